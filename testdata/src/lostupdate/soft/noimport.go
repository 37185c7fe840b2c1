package soft

import (
	"fmt"
)

// prepare needs packages that the file does not import.
func prepare(dir string) error {
	s, err := loadNew(dir + "/prepared.json")
	if err != nil {
		return err
	}
	s.Count++
	if err := ensure(dir); err != nil {
		return fmt.Errorf("prepare: %w", err)
	}
	return save(dir+"/prepared.json", s) // want `prepare loads dir/prepared.json`
}
