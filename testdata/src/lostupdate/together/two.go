// Package together has files that several functions save.
package together

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

type tasks struct{ Names []string }

func loadTasks(dir string) (*tasks, error) {
	data, err := os.ReadFile(filepath.Join(dir, "tasks.json"))
	if err != nil {
		return nil, err
	}
	var t tasks
	return &t, json.Unmarshal(data, &t)
}

func saveTasks(dir string, t *tasks) error {
	data, err := json.Marshal(t)
	if err != nil {
		return err
	}
	return replace(filepath.Join(dir, "tasks.json"), data)
}

func addTask(dir, name string) error {
	t, err := loadTasks(dir)
	if err != nil {
		return fmt.Errorf("load tasks: %w", err)
	}
	t.Names = append(t.Names, name)
	if err := saveTasks(dir, t); err != nil { // want `addTask loads dir/tasks.json`
		return fmt.Errorf("save tasks: %w", err)
	}
	return nil
}

// resetTasks loads nothing, and would be lost to either of them, or they to it.
func resetTasks(dir string) error {
	// Begin with none.
	return saveTasks(dir, &tasks{})
}
