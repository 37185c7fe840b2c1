package update

import (
	"encoding/json"
	"os"
)

type pairs struct{ path string }

func (p *pairs) entries() (map[string]string, error) {
	data, err := os.ReadFile(p.path)
	if err != nil {
		return nil, err
	}
	m := map[string]string{}
	return m, json.Unmarshal(data, &m)
}

func (p *pairs) set(key string) error {
	m, err := p.entries()
	if err != nil {
		return err
	}
	m[key] = ""
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return os.WriteFile(p.path, data, 0o600) // want `\(\*pairs\).set loads p.path, .*\(no fix: \(\*pairs\).both saves the file, too, at both.go:47, and would not have the lock: a function that it calls does the same` `\(\*pairs\).set truncates`
}

// both does by itself what a function does that it calls: a lock around both would
// be waited for by that one.
func (p *pairs) both(key string) error {
	m, err := p.entries()
	if err != nil {
		return err
	}
	if err := p.set(key); err != nil {
		return err
	}
	m[key] = "both"
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return os.WriteFile(p.path, data, 0o600) // want `\(\*pairs\).both loads p.path, .*\(no fix: a function that it calls does the same, and waits for the same lock\)` `\(\*pairs\).both truncates`
}
