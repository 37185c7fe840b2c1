// Package byname writes what functions of its names load.
package byname

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
)

type catalog struct{ Models []string }

// LoadCatalog is given what somebody has opened.
func LoadCatalog(r io.Reader) (c catalog, err error) {
	return c, json.NewDecoder(r).Decode(&c)
}

// SaveCatalog replaces it.
func SaveCatalog(dir string, c catalog) error {
	data, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "catalog.json"), data, 0o644) /* warning */ // want `SaveCatalog truncates`
}

type config struct{ Theme string }

// LoadConfig is given what somebody has opened.
func LoadConfig(r io.Reader) (c config, err error) {
	return c, json.NewDecoder(r).Decode(&c)
}

// SaveConfig replaces what the user has set.
func SaveConfig(dir string, c config) error {
	data, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "config.json"), data, 0o644) /* error */ // want `SaveConfig truncates`
}
