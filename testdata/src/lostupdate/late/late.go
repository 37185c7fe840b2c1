package late

import (
	"encoding/json"
	"os"

	"github.com/gofrs/flock"
)

type index struct {
	Sessions map[string]string
}

func loadIndex(path string) (*index, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var x index
	return &x, json.Unmarshal(data, &x)
}

func saveIndex(path string, x *index) error {
	data, err := json.Marshal(x)
	if err != nil {
		return err
	}
	return replace(path, data)
}

// register believes that a lock around the save is enough.
func register(path, id, file string) error {
	x, err := loadIndex(path)
	if err != nil {
		return err
	}
	x.Sessions[id] = file
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	return saveIndex(path, x) // want `register takes the lock of path only after it has loaded it, and saves what it loaded: what another process saves in between is lost`
}

// rename comes to its lock by an object of its own, which goes with it.
func rename(path, id, file string) error {
	// What is registered.
	x, err := loadIndex(path)
	if err != nil {
		return err
	}
	if x.Sessions[id] == file {
		return nil
	}

	l := flock.New(path + ".lock")
	if err := l.Lock(); err != nil {
		return err
	}
	defer l.Unlock()

	x.Sessions[id] = file
	return saveIndex(path, x) // want `rename takes the lock of path only after it has loaded it`
}

// named knows its lock from what it has loaded.
func named(path, id string) error {
	x, err := loadIndex(path)
	if err != nil {
		return err
	}
	unlock, err := lock(path + x.Sessions[id])
	if err != nil {
		return err
	}
	defer unlock()
	delete(x.Sessions, id)
	return saveIndex(path, x) // want `named takes the lock of path only after .*no fix: what takes the lock has to move in front of the load`
}

// byHand lets go of the lock itself.
func byHand(path, id string) error {
	x, err := loadIndex(path)
	if err != nil {
		return err
	}
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	delete(x.Sessions, id)
	err = saveIndex(path, x) // want `byHand takes the lock of path only after .*no fix: what takes the lock has to move in front of the load`
	unlock()
	return err
}

// only declares nothing but the error where it loads.
func only(path, id string) error {
	x := &index{}
	err := fill(path, x)
	if err != nil {
		return err
	}
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	delete(x.Sessions, id)
	return saveIndex(path, x) // want `only takes the lock of path only after .*no fix: what takes the lock has to move in front of the load`
}

func fill(path string, x *index) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, x)
}
