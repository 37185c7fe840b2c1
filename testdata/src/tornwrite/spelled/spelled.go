// Package spelled puts one path together in several ways.
package spelled

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

func put(b []byte, dir, id string) error {
	return os.WriteFile(fmt.Sprintf("%s/%s.json", dir, id), b, 0o600) // want `put truncates dir/id\.json`
}

func putOne(dir, id string) error {
	b, err := json.Marshal(id)
	if err != nil {
		return err
	}
	return put(b, dir, id)
}

func concat(dir, id string) error {
	b, err := json.Marshal(id)
	if err != nil {
		return err
	}
	return os.WriteFile(dir+"/"+id+".json", b, 0o600) // want `concat truncates dir/id\.json`
}

func cleaned(dir, id string) error {
	b, err := json.Marshal(id)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Clean(dir+"/x/../"+strings.ToLower(id)+".json"), b, 0o600) // want `cleaned truncates dir/`
}

type shelf struct {
	dir   string
	Books []string
}

func (s *shelf) read(id string) error {
	b, err := os.ReadFile(fmt.Sprintf("%s/shelf-%s", s.dir, id))
	if err != nil {
		return err
	}
	return json.Unmarshal(b, s)
}

// Sprintf there and Join here name the same family of files.
func (s *shelf) arrange(id string) error {
	b, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(s.dir, "shelf-"+id), b, 0o600) // want `\(\*shelf\)\.arrange truncates s\.dir/shelf-{id}`
}
