// Package soft has functions that go on where a file cannot be loaded or saved,
// and so would have to where the lock is not to be had.
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
	if err := save(stateFile(dir), s); err != nil { // want `bestEffort loads dir/prune-state.json.*no fix: the function goes on where it could not save the file`
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
	_ = save(stateFile(dir), s) // want `dropped loads dir/prune-state.json.*no fix: the function goes on where it could not save the file`
	return nil
}

// nothingThere has nothing to do where the file cannot be loaded.
func nothingThere(dir string) error {
	s, err := load(stateFile(dir))
	if err != nil {
		return nil
	}
	s.Done = true
	return save(stateFile(dir), s) // want `nothingThere loads dir/prune-state.json.*no fix: the function ends well where it cannot load the file`
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
	return s.Count, save(stateFile(dir), s) // want `status loads dir/prune-state.json.*no fix: the function tells what the file holds where nothing can be written`
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
	return save(stateFile(dir), s) // want `purge loads dir/prune-state.json.*no fix: the function ends well where there is no file`
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
	return save(stateFile(dir), s) // want `forget loads dir/prune-state.json.*no fix: the function ends well where there is no file`
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
	return save(stateFile(dir), s) // want `asked loads dir/prune-state.json.*no fix: the function ends well where there is no file`
}

// insists has no other way to end well than to save.
func insists(dir string) error {
	s, err := loadNew(dir + "/pruned.json")
	if err != nil {
		return err
	}
	s.Done = true
	if err := save(dir+"/pruned.json", s); err != nil { // want `insists loads dir/pruned.json`
		return err
	}
	return nil
}

// makesDir makes the directory at last.
func makesDir(dir string) {
	s, err := loadNew(dir + "/counted.json")
	if err != nil {
		return
	}
	s.Count++
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return
	}
	save(dir+"/counted.json", s) // want `makesDir loads dir/counted.json.*no fix: the function returns no error`
}

// away has nothing to do where there is no file, and reads it itself.
func away(dir string) (int, error) {
	data, err := os.ReadFile(dir + "/away.json")
	if err != nil {
		if os.IsNotExist(err) {
			return 0, nil
		}
		return 0, err
	}
	var s prune
	if err := json.Unmarshal(data, &s); err != nil {
		return 0, err
	}
	s.Count = 0
	return 1, save(dir+"/away.json", &s) // want `away loads dir/away.json.*no fix: the function ends well where there is no file`
}

// reports says what it could not load, and leaves.
func reports(dir string) int {
	s, err := loadNew(dir + "/reported.json")
	if err != nil {
		log.Printf("prune %s: %v", dir, err)
		return -1
	}
	s.Count++
	if err := save(dir+"/reported.json", s); err != nil { // want `reports loads dir/reported.json.*no fix: the function returns no error`
		log.Print(err)
	}
	return s.Count
}

// silent has nobody to tell.
func silent(dir string) {
	s, err := load(dir + "/silent.json")
	if err == nil {
		s.Count++
		save(dir+"/silent.json", s) // want `silent loads dir/silent.json.*no fix: the function returns no error`
	}
}
