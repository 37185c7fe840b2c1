// Package defaults has functions that answer a broken file by saving another one.
package defaults

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
)

// Settings are edited by hand.
type Settings struct {
	Version string
	Zones   []string
}

func file() string {
	home, _ := os.UserHomeDir()
	return filepath.Join(home, ".clock", "settings.json")
}

// Save writes them.
func (s *Settings) Save() error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return replace(file(), data)
}

func saveNew() (*Settings, error) {
	s := &Settings{Version: "1"}
	return s, s.Save()
}

// Load begins again where there is a typo in the file.
func Load() (*Settings, error) {
	data, err := os.ReadFile(file())
	if os.IsNotExist(err) {
		return saveNew()
	}
	if err != nil {
		return nil, err
	}
	s := &Settings{}
	err = json.Unmarshal(data, s) // want `where ~/.clock/settings.json cannot be decoded, Load saves something else over it: one bad edit erases all that it held`
	if err != nil {
		fmt.Println("settings are broken, and replaced:", err)
		return saveNew()
	}
	return s, nil
}

// LoadKept does the same, and keeps what was there.
func LoadKept() (*Settings, error) {
	data, err := os.ReadFile(file())
	if err != nil {
		return nil, err
	}
	s := &Settings{}
	if err := json.Unmarshal(data, s); err != nil {
		if err := os.Rename(file(), file()+".broken"); err != nil {
			return nil, err
		}
		return saveNew()
	}
	return s, nil
}

// LoadCopied copies what was there.
func LoadCopied() (*Settings, error) {
	data, err := os.ReadFile(file())
	if err != nil {
		return nil, err
	}
	s := &Settings{}
	if err := json.Unmarshal(data, s); err != nil {
		if err := replace(file()+".broken", data); err != nil {
			return nil, err
		}
		return saveNew()
	}
	return s, nil
}

// LoadFirst saves where there is no file, and else tells of what is wrong.
func LoadFirst() (*Settings, error) {
	data, err := os.ReadFile(file())
	if err != nil {
		if _, err := os.Stat(file()); os.IsNotExist(err) {
			return saveNew()
		}
		return nil, err
	}
	s := &Settings{}
	return s, json.Unmarshal(data, s)
}

func read() (*Settings, error) {
	data, err := os.ReadFile(file())
	if err != nil {
		return nil, err
	}
	s := &Settings{}
	if err := json.Unmarshal(data, s); err != nil {
		return nil, fmt.Errorf("%s: %w", file(), err)
	}
	return s, nil
}

// LoadMissing saves where there is no file, and tells of one that is broken.
func LoadMissing() (*Settings, error) {
	s, err := read()
	if errors.Is(err, fs.ErrNotExist) {
		return saveNew()
	}
	return s, err
}

// LoadAny begins again whatever is wrong.
func LoadAny() (*Settings, error) {
	s, err := read() // want `where ~/.clock/settings.json cannot be decoded, LoadAny saves something else over it`
	if err != nil {
		return saveNew()
	}
	return s, nil
}

// LoadBackup puts back what was saved before.
func LoadBackup() (*Settings, error) {
	old, err := os.ReadFile(file() + ".old")
	if err != nil {
		return nil, err
	}
	s, err := read()
	if err != nil {
		return nil, replace(file(), old)
	}
	return s, nil
}

func zonesFile() string {
	home, _ := os.UserHomeDir()
	return filepath.Join(home, ".clock", "zones.json")
}

func readZones() (s Settings, err error) {
	data, err := os.ReadFile(zonesFile())
	if err != nil {
		return s, err
	}
	return s, json.Unmarshal(data, &s)
}

func saveZonesToCache(s Settings) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return replace(zonesFile(), data)
}

// LoadZones asks again for what can be asked for.
func LoadZones(ask func() Settings) (Settings, error) {
	s, err := readZones()
	if err != nil {
		s = ask()
		return s, saveZonesToCache(s)
	}
	return s, nil
}

// LoadIndex makes again what can be made again.
func LoadIndex(dir string) (map[string]int, error) {
	path := filepath.Join(dir, "index-cache.json")
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	index := map[string]int{}
	if err := json.Unmarshal(data, &index); err != nil {
		index = map[string]int{}
		filepath.WalkDir(dir, func(p string, _ fs.DirEntry, _ error) error { index[p]++; return nil })
		again, _ := json.Marshal(index)
		return index, replace(path, again)
	}
	return index, nil
}

// SaveChanged does not save what the file has already: what cannot be decoded is another text,
// and is replaced as any other.
func (s *Settings) SaveChanged() error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if heldAlready(file(), data) { // ok
		return nil
	}
	return replace(file(), data)
}

func heldAlready(path string, data []byte) bool {
	held, err := os.ReadFile(path)
	return err == nil && sameJSON(held, data)
}

func sameJSON(a, b []byte) bool {
	var x, y any
	if err := json.Unmarshal(a, &x); err != nil {
		return false
	}
	if err := json.Unmarshal(b, &y); err != nil {
		return false
	}
	return reflect.DeepEqual(x, y)
}
