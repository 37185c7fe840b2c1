package unlocked

import (
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/lockvet/lockvet/safeio"
)

// A task is a record that has its own name in it.
type task struct{ ID, Status string }

type tasks struct{ dir string }

func (t *tasks) get(id string) (task, error) {
	var one task
	data, err := os.ReadFile(filepath.Join(t.dir, id+".json"))
	if err != nil {
		return one, err
	}
	return one, json.Unmarshal(data, &one)
}

func (t *tasks) put(one task) error {
	data, err := json.Marshal(one)
	if err != nil {
		return err
	}
	return safeio.WriteFile(filepath.Join(t.dir, one.ID+".json"), data, 0o600)
}

// finish reads the record under its name, and saves it under the name that stands in it.
func (t *tasks) finish(id string) error {
	one, err := t.get(id)
	if err != nil {
		return err
	}
	one.Status = "done"
	return t.put(one) // want `\(\*tasks\).finish loads t.dir/id.json, changes it and saves it with no lock`
}

// copied saves another record.
func (t *tasks) copied(id, as string) error {
	one, err := t.get(id)
	if err != nil {
		return err
	}
	one.ID = as
	return t.put(one)
}
