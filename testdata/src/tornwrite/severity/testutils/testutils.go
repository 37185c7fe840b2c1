// Package testutils signs what tests read.
package testutils

import (
	"encoding/json"
	"os"
)

type signed struct{ Keys []string }

// persist saves what a developer has changed by a command.
func persist(path string, key string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	s := &signed{}
	if err := json.Unmarshal(data, s); err != nil {
		return err
	}
	s.Keys = append(s.Keys, key)
	if data, err = json.Marshal(s); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644) /* warning note */ // want `persist truncates path before it is written` `persist loads path, changes it`
}
