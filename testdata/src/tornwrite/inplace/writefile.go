// Package inplace rewrites whole files where they stand.
package inplace

import (
	"encoding/json"
	"os"
	"path/filepath"
)

type session struct {
	ID    string
	Turns []string
}

type sessions struct{ dir string }

// save keeps the mode that the call asks for.
func (s *sessions) save(v *session) error {
	data, err := json.MarshalIndent(v, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(s.dir, v.ID+".json"), data, 0o600) // want `\(\*sessions\)\.save truncates s\.dir/v\.ID\.json before it is written`
}
