// Package needs has functions that fail where there is no file, and make no directory for a
// lock then; and some that make the file.
package needs

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"lostupdate/needs/rigs"
)

// rename fails where there is no file.
func rename(dir, name string) error {
	path := filepath.Join(dir, "settings", "renamed.json")
	r, err := rigs.Load(path)
	if err != nil {
		return fmt.Errorf("loading settings: %w", err)
	}
	r.Names = append(r.Names, name)
	return rigs.Save(path, r) // want `rename loads dir/settings/renamed.json`
}

// unset says so in its own words.
func unset(dir string) error {
	path := filepath.Join(dir, "settings", "unset.json")
	r, err := rigs.Load(path)
	if err != nil {
		if errors.Is(err, rigs.ErrNotFound) {
			return fmt.Errorf("no settings at %s", path)
		}
		return fmt.Errorf("loading settings: %w", err)
	}
	r.Names = r.Names[1:]
	return rigs.Save(path, r) // want `unset loads dir/settings/unset.json`
}

// set makes the file where there is none.
func set(dir, name string) error {
	path := filepath.Join(dir, "settings", "set.json")
	r, err := rigs.Load(path)
	if err != nil {
		if !errors.Is(err, rigs.ErrNotFound) {
			return fmt.Errorf("loading settings: %w", err)
		}
		r = &rigs.Rig{}
	}
	r.Names = append(r.Names, name)
	return rigs.Save(path, r) // want `set loads dir/settings/set.json`
}

// begin calls what does.
func begin(dir, name string) error {
	path := filepath.Join(dir, "settings", "begun.json")
	r, err := rigs.LoadOrCreate(path)
	if err != nil {
		return fmt.Errorf("loading settings: %w", err)
	}
	r.Names = append(r.Names, name)
	return rigs.Save(path, r) // want `begin loads dir/settings/begun.json`
}

// looks asks first whether there is one.
func looks(dir, name string) error {
	path := filepath.Join(dir, "settings", "looked.json")
	r := &rigs.Rig{}
	if _, err := os.Stat(path); err == nil {
		if r, err = rigs.Load(path); err != nil {
			return fmt.Errorf("loading settings: %w", err)
		}
	}
	r.Names = append(r.Names, name)
	return rigs.Save(path, r) // want `looks loads dir/settings/looked.json`
}

// makes puts in place what is missing.
func makes(dir, name string) error {
	path := filepath.Join(dir, "settings", "made.json")
	r, err := rigs.Load(path)
	if err != nil {
		return rigs.Save(path, &rigs.Rig{Name: name})
	}
	r.Names = append(r.Names, name)
	return rigs.Save(path, r) // want `makes loads dir/settings/made.json`
}

// remove fails where there is no file, too, but says so of what it was given: without a
// directory it says the same.
func remove(dir, name string) error {
	path := filepath.Join(dir, "settings", "removed.json")
	r, err := rigs.LoadOrCreate(path)
	if err != nil {
		return fmt.Errorf("loading settings: %w", err)
	}
	if r.Paths == nil || r.Paths[name] == nil {
		return fmt.Errorf("%s is not a rig", name)
	}
	delete(r.Paths, name)
	return rigs.Save(path, r) // want `remove loads dir/settings/removed.json`
}
