package soft

import (
	"fmt"
)

// prepare needs packages that the file does not import.
func prepare(dir string) error {
	s, err := loadNew(stateFile(dir))
	if err != nil {
		return err
	}
	s.Count++
	if err := ensure(dir); err != nil {
		return fmt.Errorf("prepare: %w", err)
	}
	return save(stateFile(dir), s) // want `prepare loads dir/prune-state.json`
}
