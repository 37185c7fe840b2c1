package together

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

type errands struct{ Names []string }

func loadErrands(dir string) (*errands, error) {
	data, err := os.ReadFile(filepath.Join(dir, "errands.json"))
	if err != nil {
		return nil, err
	}
	var t errands
	return &t, json.Unmarshal(data, &t)
}

func saveErrands(dir string, t *errands) error {
	data, err := json.Marshal(t)
	if err != nil {
		return err
	}
	return replace(filepath.Join(dir, "errands.json"), data)
}

func dropErrands(dir string) error {
	t, err := loadErrands(dir)
	if err != nil {
		return err
	}
	t.Names = t.Names[:0]
	return saveErrands(dir, t) // want `dropErrands loads dir/errands.json`
}

// beginErrands makes the file where there is none: another must not have made it in between.
func beginErrands(dir string) error {
	if _, err := os.Stat(filepath.Join(dir, "errands.json")); err != nil {
		if !os.IsNotExist(err) {
			return fmt.Errorf("look for errands: %w", err)
		}
		return saveErrands(dir, &errands{})
	}
	return nil
}
