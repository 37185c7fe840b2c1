package quiet

import (
	"encoding/json"
	"os"
)

type journal struct{ path string }

// recover cuts a journal where its last whole record ends.
func (j *journal) recover(good int64, v any) error {
	f, err := os.OpenFile(j.path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Truncate(good); err != nil { // ok: it is not emptied
		return err
	}
	if _, err := f.Seek(0, 2); err != nil {
		return err
	}
	return json.NewEncoder(f).Encode(v)
}

func (j *journal) reset(v any) error {
	f, err := os.OpenFile(j.path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Truncate(0); err != nil { // want `\(\*journal\)\.reset truncates j\.path`
		return err
	}
	return json.NewEncoder(f).Encode(v)
}

// shrinkState cuts a file by its name.
func shrinkState(good int64) error {
	if _, err := os.ReadFile("state.db"); err != nil {
		return err
	}
	return os.Truncate("state.db", good) // ok: it is not emptied
}
