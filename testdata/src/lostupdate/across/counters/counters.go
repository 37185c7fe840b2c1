// Package counters knows its file, and says for itself what is wrong.
package counters

import (
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/lockvet/lockvet/safeio"
)

// Bump changes the file.
func Bump(dir, name string) error {
	file := filepath.Join(dir, "counters.json")
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	counters := map[string]int{}
	if err := json.Unmarshal(data, &counters); err != nil {
		return err
	}
	counters[name]++
	if data, err = json.Marshal(counters); err != nil {
		return err
	}
	return safeio.WriteFile(file, data, 0o600) // want `Bump loads`
}
