package unlocked

import (
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/lockvet/lockvet/safeio"
)

// addModel changes a list of its own.
func addModel(name string) error {
	home, err := os.UserHomeDir()
	if err != nil {
		return err
	}
	path := filepath.Join(home, ".pilot", "agent", "models.json")
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var models map[string]bool
	if err := json.Unmarshal(data, &models); err != nil {
		return err
	}
	models[name] = true
	if data, err = json.Marshal(models); err != nil {
		return err
	}
	return safeio.WriteFile(path, data, 0o600) // want `addModel loads ~.*models.json`
}
