package together

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

type notes struct{ Lines []string }

// changeNotes is what all go through: the lock belongs here alone.
func changeNotes(dir string, line func(*notes) string) error {
	path := filepath.Join(dir, "notes.json")
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read notes: %w", err)
	}
	var n notes
	if err := json.Unmarshal(data, &n); err != nil {
		return fmt.Errorf("decode notes: %w", err)
	}
	if data, err = json.Marshal(n); err != nil {
		return fmt.Errorf("encode notes: %w", err)
	}
	if err := replace(path, data); err != nil { // want `changeNotes loads dir/notes.json`
		return fmt.Errorf("save notes: %w", err)
	}
	return nil
}

func addNote(dir string) error {
	return changeNotes(dir, nil)
}

func dropNote(dir string) error { return changeNotes(dir, nil) }

func countNotes(dir string) error { return changeNotes(dir, nil) }
