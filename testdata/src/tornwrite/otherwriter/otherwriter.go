// Package otherwriter writes in place what it replaces as a whole elsewhere.
package otherwriter

import (
	"encoding/json"
	"os"
	"path/filepath"
)

type store struct {
	path string
	dir  string
	Keys []string
}

func (s *store) load() error {
	data, err := os.ReadFile(s.path)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, &s.Keys)
}

// save is what all others should call.
func (s *store) save() error {
	data, err := json.Marshal(s.Keys)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(s.path), ".store-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if _, err := f.Write(data); err != nil {
		f.Close()
		return err
	}
	if err := f.Sync(); err != nil {
		f.Close()
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), s.path)
}

func (s *store) reset() error {
	data, err := json.Marshal([]string{})
	if err != nil {
		return err
	}
	return os.WriteFile(s.path, data, 0o600) // want `reset truncates s.path .* \(no fix: \(\*store\)\.save replaces this file already: have it write this, too`
}

func (s *store) drain() error {
	f, err := os.Create(s.path) // want `drain truncates s.path .* \(no fix: \(\*store\)\.save replaces this file already: have it write this, too`
	if err != nil {
		return err
	}
	if err := json.NewEncoder(f).Encode(s.Keys); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// writeConfigFile is for files of one purpose.
func writeConfigFile(path string, data []byte, perm os.FileMode) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".config-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if _, err := f.Write(data); err != nil {
		f.Close()
		return err
	}
	if err := f.Sync(); err != nil {
		f.Close()
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.Chmod(f.Name(), perm); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

func (s *store) saveConfig(config map[string]string) error {
	data, err := json.Marshal(config)
	if err != nil {
		return err
	}
	return writeConfigFile(filepath.Join(s.dir, "config.json"), data, 0o600)
}

func (s *store) setName(name string) error {
	data, err := json.Marshal(map[string]string{"name": name})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(s.dir, "config.json"), data, 0o600) // want `setName truncates s.dir/config.json`
}

// index is of another file, which nobody replaces.
func (s *store) index() error {
	data, err := json.Marshal(s.Keys)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(s.dir, "index.json"), data, 0o600) // want `index truncates s.dir/index.json`
}

// saveIndex calls index, and puts the old one back where that fails: it is no other writer.
func (s *store) saveIndex() error {
	if err := s.index(); err != nil {
		return os.Rename(filepath.Join(s.dir, "old.json"), filepath.Join(s.dir, "index.json"))
	}
	return nil
}

// keep writes any file, and so does writeConfigFile: neither is known to be that of the other.
func keep(path, turn string) error {
	old, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var turns []string
	if err := json.Unmarshal(old, &turns); err != nil {
		return err
	}
	data, err := json.Marshal(append(turns, turn))
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o600) // want `keep truncates path before it is written` `keep loads path, changes it and saves it with no lock`
}

// writeStateFile has a mode of its own.
func writeStateFile(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".state-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if _, err := f.Write(data); err != nil {
		f.Close()
		return err
	}
	if err := f.Sync(); err != nil {
		f.Close()
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

func (s *store) saveState() error {
	data, err := json.Marshal(s.Keys)
	if err != nil {
		return err
	}
	return writeStateFile(filepath.Join(s.dir, "state.json"), data)
}

func (s *store) clear() error {
	data, err := json.Marshal([]string{})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(s.dir, "state.json"), data, 0o644) // want `clear truncates s.dir/state.json .* \(no fix: \(\*store\)\.saveState replaces this file already: have it write this, too`
}
