// Package computed has functions that compute the paths of its files, and that both halves of
// a change call.
package computed

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

type consent struct{ Entries map[string]bool }

// consentPath is where the file is, if there is a home directory.
func consentPath() (string, error) {
	dir, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, ".computed", "consent.json"), nil
}

func loadConsent() (*consent, error) {
	path, err := consentPath()
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	c := &consent{Entries: map[string]bool{}}
	return c, json.Unmarshal(data, c)
}

func saveConsent(c *consent) error {
	path, err := consentPath()
	if err != nil {
		return err
	}
	data, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return replace(path, data)
}

var mu sync.Mutex

// Trust enters a name. It has the path from a function that computes it, and can fail.
func Trust(name string) error {
	mu.Lock()
	defer mu.Unlock()
	c, err := loadConsent()
	if err != nil {
		return fmt.Errorf("failed to load the consent: %w", err)
	}
	c.Entries[name] = true
	if err := saveConsent(c); err != nil { // want `Trust loads .*consent.json, changes it and saves it under a mutex of this process alone`
		return fmt.Errorf("failed to save the consent: %w", err)
	}
	return nil
}

// slug is what remains of a name.
func slug(name string) string {
	out := []rune(name)
	for i, r := range out {
		if r < 'a' || 'z' < r {
			out[i] = '_'
		}
	}
	return string(out)
}

func turnsPath(dir, name string) string { return filepath.Join(dir, "turns", slug(name)+".json") }

func loadTurns(dir, name string) (map[string]int, error) {
	data, err := os.ReadFile(turnsPath(dir, name))
	if err != nil {
		return nil, err
	}
	turns := map[string]int{}
	return turns, json.Unmarshal(data, &turns)
}

func saveTurns(dir, name string, turns map[string]int) error {
	data, err := json.Marshal(turns)
	if err != nil {
		return err
	}
	return replace(turnsPath(dir, name), data)
}

var errEmpty = errors.New("no name")

// take gives the function that computes the path what the load gives it.
func take(dir, name string) error {
	if name == "" {
		return errEmpty
	}
	turns, err := loadTurns(dir, name)
	if err != nil {
		return err
	}
	turns[name]++
	return saveTurns(dir, name, turns) // want `take loads .*, changes it and saves it with no lock`
}

var next int

// backupPath is another one each time.
func backupPath(dir string) string {
	next++
	return filepath.Join(dir, fmt.Sprintf("turns.%d.json", next))
}

func loadBackup(dir string) (map[string]int, error) {
	data, err := os.ReadFile(backupPath(dir))
	if err != nil {
		return nil, err
	}
	turns := map[string]int{}
	return turns, json.Unmarshal(data, &turns)
}

// copied has what it loads from one file in another.
func copied(dir, name string) error {
	turns, err := loadBackup(dir)
	if err != nil {
		return err
	}
	return saveTurns(dir, name, turns) // ok: another file is saved
}
