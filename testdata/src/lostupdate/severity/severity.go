// Package severity has lost updates of which a rule makes less.
package severity

import (
	"encoding/json"
	"os"
)

func load(path string) (m map[string]string, err error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return m, json.Unmarshal(b, &m)
}

func save(path string, m map[string]string) error {
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return os.WriteFile(path, b, 0o600) // want `save truncates path`
}

// SetTheme is what a person does.
func SetTheme(name string) error {
	m, err := load("/var/lib/agentd/prefs.json")
	if err != nil {
		return err
	}
	m["theme"] = name
	return save("/var/lib/agentd/prefs.json", m) /* note */ // want `SetTheme`
}
