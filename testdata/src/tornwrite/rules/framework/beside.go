package framework

import (
	"encoding/json"
	"os"
	"path/filepath"
)

// Save stands beside what helps the tests.
func Save(dir string, settings any) error {
	data, err := json.Marshal(settings)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "settings.json"), data, 0o600) // want `truncates`
}
