// Package gate decides whether an agent may edit a file. The first edit of a
// file in a session is held back until the agent has stated the facts that it
// relies on; from then on the file counts as checked. Every tool call asks in
// a process of its own, so what has been checked is kept in a state file.
package gate

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"
)

const (
	// maxChecked bounds the state of a long session; the oldest files are asked for again.
	maxChecked = 500
	// heartbeat is how often an edit of a checked file renews the session.
	heartbeat = time.Minute
	// expiry ends a session in which nothing was edited.
	expiry = 30 * time.Minute
)

// Gate guards the edits of one session.
type Gate struct {
	path string
}

// State is what a session remembers between tool calls.
type State struct {
	Checked    []string  `json:"checked"`
	LastActive time.Time `json:"last_active"`
}

var unsafeChars = regexp.MustCompile(`[^A-Za-z0-9_-]+`)

// New returns the gate of a session, with its state in dir.
func New(dir, session string) *Gate {
	return &Gate{path: filepath.Join(dir, "state-"+unsafeChars.ReplaceAllString(session, "_")+".json")}
}

// Allow reports whether file may be edited. A file that was not checked is
// refused once, and checked by that.
func (g *Gate) Allow(file string) (bool, error) {
	checked, err := g.IsChecked(file)
	if err != nil || checked {
		return checked, err
	}
	return false, g.MarkChecked(file)
}

// IsChecked reports whether the session has checked file, and keeps the session alive.
func (g *Gate) IsChecked(file string) (bool, error) {
	state, err := g.load()
	if err != nil {
		return false, err
	}
	if !slices.Contains(state.Checked, file) {
		return false, nil
	}
	if time.Since(state.LastActive) > heartbeat {
		if err := g.save(state); err != nil {
			return true, err
		}
	}
	return true, nil
}

// MarkChecked adds file to the checked files of the session.
func (g *Gate) MarkChecked(file string) error {
	state, err := g.load()
	if err != nil {
		return err
	}
	if slices.Contains(state.Checked, file) {
		return nil
	}
	state.Checked = append(state.Checked, file)
	return g.save(state)
}

// Checked returns the checked files, oldest first.
func (g *Gate) Checked() ([]string, error) {
	state, err := g.load()
	if err != nil {
		return nil, err
	}
	return state.Checked, nil
}

// load reads the state; a session that is new or has expired starts empty.
func (g *Gate) load() (*State, error) {
	data, err := os.ReadFile(g.path)
	if errors.Is(err, fs.ErrNotExist) {
		return &State{}, nil
	}
	if err != nil {
		return nil, err
	}
	var state State
	if err := json.Unmarshal(data, &state); err != nil {
		return nil, fmt.Errorf("decode gate state %s: %w", g.path, err)
	}
	if time.Since(state.LastActive) > expiry {
		return &State{}, nil
	}
	return &state, nil
}

// save puts the state in place of the old one, whole or not at all.
func (g *Gate) save(state *State) (err error) {
	if over := len(state.Checked) - maxChecked; over > 0 {
		state.Checked = state.Checked[over:]
	}
	state.LastActive = time.Now().UTC()
	data, err := json.MarshalIndent(state, "", "  ")
	if err != nil {
		return fmt.Errorf("encode gate state: %w", err)
	}
	dir := filepath.Dir(g.path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(dir, filepath.Base(g.path)+".*.tmp")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			tmp.Close()
			os.Remove(tmp.Name())
		}
	}()
	if _, err := tmp.Write(data); err != nil {
		return err
	}
	if err := tmp.Sync(); err != nil {
		return err
	}
	if err := tmp.Close(); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), g.path)
}
