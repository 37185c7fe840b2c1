// Package libraries loads and saves its state through functions of other packages.
package libraries

import (
	"bytes"
	"encoding/json"
	"path/filepath"

	"github.com/cloudfoundry/bosh-utils/system"
	"github.com/rogpeppe/go-internal/lockedfile"
	"github.com/spf13/afero"
)

type session struct {
	ID    string
	Turns []string
}

// rename holds the lock of each half alone, and starts over: no lock goes around it.
func rename(dir string, ids []string) error {
	path := filepath.Join(dir, "session.json")
	for _, id := range ids {
		data, err := lockedfile.Read(path)
		if err != nil {
			return err
		}
		var s session
		if err := json.Unmarshal(data, &s); err != nil {
			return err
		}
		s.ID = id
		if data, err = json.Marshal(s); err != nil {
			return err
		}
		if err := lockedfile.Write(path, bytes.NewReader(data), 0o600); err != nil { // want `rename loads dir/session\.json, changes it and saves it with no lock` `rename rewrites dir/session\.json in place`
			return err
		}
	}
	return nil
}

type store struct {
	fs  afero.Fs
	dir string
}

// add has the file system of the store read and write.
func (s *store) add(turn string) error {
	path := filepath.Join(s.dir, "turns.json")
	data, err := afero.ReadFile(s.fs, path)
	if err != nil {
		return err
	}
	var v session
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	v.Turns = append(v.Turns, turn)
	if data, err = json.Marshal(v); err != nil {
		return err
	}
	return afero.WriteFile(s.fs, path, data, 0o600) // want `add loads s\.dir/turns\.json, changes it and saves it with no lock` `add rewrites s\.dir/turns\.json in place`
}

type vars struct {
	fs   system.FileSystem
	path string
}

// set has the file system of the machine, behind an interface, read and write.
func (v *vars) set(key, value string) error {
	all := map[string]string{}
	if v.fs.FileExists(v.path) {
		data, err := v.fs.ReadFile(v.path)
		if err != nil {
			return err
		}
		if err := json.Unmarshal(data, &all); err != nil {
			return err
		}
	}
	all[key] = value
	data, err := json.Marshal(all)
	if err != nil {
		return err
	}
	return v.fs.WriteFile(v.path, data) // want `set loads v\.path, changes it and saves it with no lock` `set rewrites v\.path in place`
}
