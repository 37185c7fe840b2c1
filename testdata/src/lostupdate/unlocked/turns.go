package unlocked

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
)

type diary struct{ Lines []string }

// addLine goes on in another function, which comes back to it.
func addLine(dir, line string, again bool) error {
	path := filepath.Join(dir, "diary.json")
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var d diary
	if err := json.Unmarshal(data, &d); err != nil {
		return err
	}
	d.Lines = append(d.Lines, line)
	if data, err = json.Marshal(d); err != nil {
		return err
	}
	if err := replace(path, data); err != nil { // want `addLine loads dir/diary.json, changes it and saves it with no lock`
		return addLater(dir, line, again)
	}
	return nil
}

func addLater(dir, line string, again bool) error {
	if !again {
		return errors.New("given up: " + line)
	}
	return addLine(dir, line, false)
}
