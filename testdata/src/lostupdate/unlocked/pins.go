package unlocked

import (
	"encoding/json"
	"os"
	"path/filepath"
)

// pinned are the versions of a project, in a file that is named as package managers name it.
type pinned struct {
	Version  string
	Packages map[string]string
}

func loadPins(dir string) (*pinned, error) {
	data, err := os.ReadFile(filepath.Join(dir, "tool.lock"))
	if err != nil {
		return nil, err
	}
	p := &pinned{}
	return p, json.Unmarshal(data, p)
}

func savePins(dir string, p *pinned) error {
	data, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return replace(filepath.Join(dir, "tool.lock"), data)
}

func pinTo(dir, name, version string) error {
	p, err := loadPins(dir)
	if err != nil {
		return err
	}
	p.Packages[name] = version
	return savePins(dir, p) // want `pinTo loads dir/tool.lock, changes it and saves it with no lock`
}
