// Package heldfunc calls functions that another package has in variables.
package heldfunc

import (
	"encoding/json"
	"path/filepath"

	"tornwrite/heldfunc/osutil"
)

type state struct{ Names []string }

func load(dir string) (*state, error) {
	data, err := osutil.ReadFile(filepath.Join(dir, "state.json"))
	if err != nil {
		return nil, err
	}
	s := new(state)
	return s, json.Unmarshal(data, s)
}

func save(dir string, s *state) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return osutil.WriteFile(filepath.Join(dir, "state.json"), data, 0o600) // want `save truncates dir/state\.json before it is written`
}

func report(dir string, s *state) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return osutil.WriteFile(filepath.Join(dir, "report.txt"), data, 0o600) // ok: a report
}

func forget(dir string) error {
	return osutil.Remove(filepath.Join(dir, "state.json"))
}
