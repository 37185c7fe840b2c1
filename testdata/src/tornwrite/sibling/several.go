package sibling

import (
	"encoding/json"
	"os"
	"path/filepath"
)

type stage struct {
	dir  string
	Cues []string
}

// readScript reads one of the files that writeScript writes.
func (s *stage) readScript() error {
	data, err := os.ReadFile(filepath.Join(s.dir, "script.json"))
	if err != nil {
		return err
	}
	return json.Unmarshal(data, s)
}

func (s *stage) writeScript() error {
	data, err := json.Marshal(s.Cues)
	if err != nil {
		return err
	}
	if err := s.light(); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(s.dir, "script.json"), data, 0o644) // want `\(\*stage\)\.writeScript truncates s\.dir/script\.json`
}

// light writes another one, which its caller's name says nothing of.
func (s *stage) light() error {
	return os.WriteFile(filepath.Join(s.dir, "lamps.conf"), []byte("[lamps]\n"+s.dir), 0o644) // ok: nothing reads it
}
