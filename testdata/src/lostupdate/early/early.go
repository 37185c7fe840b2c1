// Package early has functions that return between the load and the save: they take the lock
// behind these returns where nothing is saved, and what the file holds does not decide.
package early

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"lostupdate/needs/rigs"
)

// shown tells the name where it is given none: the file is loaded again under the lock.
func shown(dir string, args []string) error {
	path := filepath.Join(dir, "shown.json")
	r, err := rigs.LoadOrCreate(path)
	if err != nil {
		return fmt.Errorf("loading: %w", err)
	}

	if len(args) == 0 {
		fmt.Println(r.Name)
		return nil
	}

	name := args[0]
	if name == "" {
		return errors.New("empty name")
	}

	r.Name = name

	// The save makes the directory, too.
	if err := rigs.Save(path, r); err != nil { // want `shown loads dir/shown.json.*no fix: it returns at early.go:`
		return fmt.Errorf("saving: %w", err)
	}
	fmt.Println("name set")
	return nil
}

// checked refuses what it is given: that moves in front of the load.
func checked(dir, line string) error {
	// Load the settings
	path := filepath.Join(dir, "checked.json")
	r, err := rigs.LoadOrCreate(path)
	if err != nil {
		return err
	}

	// Split the line
	parts := strings.Fields(line)
	if len(parts) == 0 {
		return errors.New("empty line")
	}

	r.Names = parts
	return rigs.Save(path, r) // want `checked loads dir/checked.json`
}

// decides returns for what the file holds: the lock stays in front of the load.
func decides(dir, name string) error {
	path := filepath.Join(dir, "decides.json")
	r, err := rigs.Load(path)
	if err != nil {
		return err
	}
	if r.Name == name {
		return nil
	}
	if name == "" {
		return errors.New("empty name")
	}
	r.Name = name
	return rigs.Save(path, r) // want `decides loads dir/decides.json`
}

// changed shows what it has changed already, which would be lost with a second load.
func changed(dir string, args []string) error {
	path := filepath.Join(dir, "changed.json")
	r, err := rigs.LoadOrCreate(path)
	if err != nil {
		return err
	}
	r.Name = strings.ToLower(r.Name)
	if len(args) == 0 {
		fmt.Println(r.Name)
		return nil
	}
	r.Names = args
	return rigs.Save(path, r) // want `changed loads dir/changed.json.*no fix: it returns at early.go:`
}

// renewed goes on with what it has loaded by then.
func renewed(dir, other string, args []string) error {
	path := filepath.Join(dir, "renewed.json")
	r, err := rigs.LoadOrCreate(path)
	if err != nil {
		return err
	}
	if len(args) == 0 {
		fmt.Println(r.Name)
		return nil
	}
	if err := archive(other, r); err != nil {
		return err
	}
	r.Names = args
	return rigs.Save(path, r) // want `renewed loads dir/renewed.json.*no fix: it returns at early.go:`
}

func archive(string, *rigs.Rig) error { return nil }

// saved saves on the way that does not need what the file holds.
func saved(dir string, reset bool) error {
	path := filepath.Join(dir, "saved.json")
	r, err := rigs.LoadOrCreate(path)
	if err != nil {
		return err
	}
	if reset {
		return rigs.Save(path, &rigs.Rig{Names: r.Names}) // want `saved loads dir/saved.json`
	}
	r.Name = "saved"
	return rigs.Save(path, r)
}

// missing makes the file where there is none, and returns then where only that was asked for.
func missing(dir string, only bool) error {
	path := filepath.Join(dir, "missing.json")
	r, err := rigs.Load(path)
	if errors.Is(err, rigs.ErrNotFound) {
		return rigs.Save(path, &rigs.Rig{})
	}
	if err != nil {
		return err
	}
	if only {
		return nil
	}
	r.Name = "made"
	return rigs.Save(path, r) // want `missing loads dir/missing.json.*no fix: it returns at early.go:`
}

// tiers are what a tier can be.
var tiers = map[string]bool{"low": true, "high": true}

func isValidTier(name string) bool { return tiers[name] }

// chosen shows the tier where it is given none, and asks a function whether one is valid: the
// lock stands behind both.
func chosen(dir string, args []string) error {
	path := filepath.Join(dir, "chosen.json")
	r, err := rigs.LoadOrCreate(path)
	if err != nil {
		return fmt.Errorf("loading: %w", err)
	}

	if len(args) == 0 {
		fmt.Println(r.Name)
		return nil
	}

	tier := args[0]
	if !isValidTier(tier) {
		return fmt.Errorf("invalid tier %q", tier)
	}

	r.Name = tier
	if err := rigs.Save(path, r); err != nil { // want `chosen loads dir/chosen.json.*no fix: it returns at early.go:`
		return fmt.Errorf("saving: %w", err)
	}
	return nil
}
