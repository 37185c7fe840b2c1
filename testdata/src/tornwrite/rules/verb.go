package rules

import (
	"encoding/json"
	"os"
)

type engineConfig struct{ Dir string }

// dumpEngineConfig saves what loadEngineConfig loads: to dump is to save, and makes no dump.
func dumpEngineConfig(c *engineConfig, path string) error {
	data, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o600) // want `dumpEngineConfig truncates path`
}

func loadEngineConfig(path string) (*engineConfig, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var c engineConfig
	return &c, json.Unmarshal(data, &c)
}

// saveEngineDump writes a dump.
func saveEngineDump(c *engineConfig, path string) error {
	data, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o600)
}
