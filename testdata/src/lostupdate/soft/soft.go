// Package soft has functions that go on where a file cannot be loaded or saved,
// and so do without the lock.
package soft

import (
	"encoding/json"
	"errors"
	"io/fs"
	"log"
	"os"
)

type prune struct {
	Count int
	Done  bool
}

func stateFile(dir string) string { return dir + "/prune-state.json" }

func load(path string) (*prune, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var s prune
	return &s, json.Unmarshal(data, &s)
}

// loadNew is empty where there is no file yet.
func loadNew(path string) (*prune, error) {
	s, err := load(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &prune{}, nil
	}
	return s, err
}

func save(path string, s *prune) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return replace(path, data)
}

// bestEffort has pruned when it saves, and is content.
func bestEffort(dir string) error {
	// What was pruned before.
	s, err := load(stateFile(dir))
	if err != nil {
		return err
	}
	s.Count++
	if err := save(stateFile(dir), s); err != nil { // want `bestEffort loads dir/prune-state.json`
		log.Print(err)
	}
	return nil
}

// dropped does not even look at the error.
func dropped(dir string) error {
	s, err := load(stateFile(dir))
	if err != nil {
		return err
	}
	s.Count++
	_ = save(stateFile(dir), s) // want `dropped loads dir/prune-state.json`
	return nil
}

// nothingThere has nothing to do where the file cannot be loaded.
func nothingThere(dir string) error {
	s, err := load(stateFile(dir))
	if err != nil {
		return nil
	}
	s.Done = true
	return save(stateFile(dir), s) // want `nothingThere loads dir/prune-state.json`
}

// status is asked for on read-only systems, too.
func status(dir string) (int, error) {
	s, err := load(stateFile(dir))
	if err != nil {
		return 0, err
	}
	if s.Done {
		return s.Count, nil
	}
	s.Done = true
	return s.Count, save(stateFile(dir), s) // want `status loads dir/prune-state.json`
}

// purge has nothing to do where there is no file, nor the directory of one.
func purge(dir string) error {
	s, err := loadNew(stateFile(dir))
	if err != nil {
		return err
	}
	if s.Count == 0 {
		return nil
	}
	s.Count = 0
	return save(stateFile(dir), s) // want `purge loads dir/prune-state.json`
}

// forget is told by the error that there is no file.
func forget(dir string) error {
	s, err := load(stateFile(dir))
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	s.Done = false
	return save(stateFile(dir), s) // want `forget loads dir/prune-state.json`
}

// gone is what a variable holds, and could hold anything.
var gone = os.IsNotExist

// asked is asked through a variable whether there is a file.
func asked(dir string) error {
	s, err := load(stateFile(dir))
	if gone(err) {
		return nil
	}
	if err != nil {
		return err
	}
	s.Done = false
	return save(stateFile(dir), s) // want `asked loads dir/prune-state.json`
}

// insists has no other way to end well than to save.
func insists(dir string) error {
	s, err := loadNew(stateFile(dir))
	if err != nil {
		return err
	}
	s.Done = true
	if err := save(stateFile(dir), s); err != nil { // want `insists loads dir/prune-state.json`
		return err
	}
	return nil
}

// makesDir makes the directory at last.
func makesDir(dir string) {
	s, err := loadNew(stateFile(dir))
	if err != nil {
		return
	}
	s.Count++
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return
	}
	save(stateFile(dir), s) // want `makesDir loads dir/prune-state.json`
}
