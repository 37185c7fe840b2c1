package inplace

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
)

// A cabinet takes every file in its directory for a drawer: a temporary file
// among them would be one, too.
type cabinet string

func (c cabinet) putConfig(name string, config any) error {
	data, err := json.Marshal(config)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(string(c), name), data, 0o600) // want `\(cabinet\)\.putConfig truncates c/name .* \(no fix: \(cabinet\)\.drawers lists the directory and would meet temporary files there\)`
}

func (c cabinet) drawers() ([]any, error) {
	entries, err := os.ReadDir(string(c))
	if err != nil {
		return nil, err
	}
	var all []any
	for _, e := range entries {
		var v any
		data, err := os.ReadFile(filepath.Join(string(c), e.Name()))
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(data, &v); err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, nil
}

type dresser struct{ dir string }

func (d *dresser) put(name string, config any) error {
	data, err := json.Marshal(config)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(d.dir, name+".json"), data, 0o600) // want `\(\*dresser\)\.put truncates d\.dir/name\.json`
}

func (d *dresser) drawers() ([]string, error) {
	entries, err := os.ReadDir(d.dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".json"); ok {
			names = append(names, name)
		}
	}
	return names, nil
}
