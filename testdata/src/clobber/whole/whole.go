// Package whole replaces its files whole.
package whole

import (
	"encoding/json"
	"os"

	"gopkg.in/yaml.v3"

	"github.com/lockvet/lockvet/safeio"
)

// note adds to what no crash tears.
func note(name string) error {
	path := "/var/lib/agentd/seen.json"
	seen := map[string]bool{}
	if data, err := os.ReadFile(path); err == nil {
		_ = json.Unmarshal(data, &seen) /* warning */ // want `note`
	}
	seen[name] = true
	data, err := json.Marshal(seen)
	if err != nil {
		return err
	}
	return safeio.WriteFile(path, data, 0o600) // want `note loads`
}

// choose adds to what people edit, too.
func choose(name string) error {
	path := "/var/lib/agentd/chosen.yaml"
	chosen := map[string]bool{}
	if data, err := os.ReadFile(path); err == nil {
		_ = yaml.Unmarshal(data, &chosen) /* error */ // want `choose`
	}
	chosen[name] = true
	data, err := yaml.Marshal(chosen)
	if err != nil {
		return err
	}
	return safeio.WriteFile(path, data, 0o600) // want `choose loads`
}
