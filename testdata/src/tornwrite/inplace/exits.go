package inplace

import (
	"encoding/gob"
	"encoding/json"
	"fmt"
	"os"
)

type place struct{ Dir string }

func mustWritePlace(dir string, p place) {
	path := dir + "/state.gob"
	f, err := os.Create(path) // want `mustWritePlace truncates dir/state\.gob`
	if err != nil {
		exit("Failed to open %s for writing: %v", path, err)
	}
	defer f.Close()
	if err := gob.NewEncoder(f).Encode(p); err != nil {
		exit("Failed to encode %s: %v", path, err)
	}
}

func mustReadPlace(dir string) (p place) {
	f, err := os.Open(dir + "/state.gob")
	if err != nil {
		exit("Failed to open %s for reading: %v", dir, err)
	}
	defer f.Close()
	if err := gob.NewDecoder(f).Decode(&p); err != nil {
		exit("Failed to decode %s: %v", dir, err)
	}
	return p
}

func exit(format string, args ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", args...)
	os.Exit(1)
}

type wordedError struct {
	error
	words string
}

func createPlace(dir string, p place) error {
	f, err := os.Create(dir + "/state.gob") // want `createPlace truncates dir/state\.gob`
	if err != nil {
		return wordedError{err, "Could not create the state."}
	}
	defer f.Close()
	if err := gob.NewEncoder(f).Encode(p); err != nil {
		return wordedError{err, "Could not encode the state."}
	}
	return nil
}

func mustWriteOther(dir string, p place) {
	path := dir + "/state.gob"
	f, err := os.Create(path) // want `mustWriteOther truncates dir/state\.gob`
	if err != nil {
		exit("Failed to open %s for writing: ", path)
	}
	defer f.Close()
	if err := gob.NewEncoder(f).Encode(p); err != nil {
		exit("Failed to encode the state: %s: %v", path, err)
	}
}

type told struct{ Dir string }

// saveTold swallows the error of the write. The old file is left then, and the fix says so.
func saveTold(dir string, t told) error {
	f, err := os.Create(dir + "/told.json") // want `saveTold truncates dir/told\.json`
	if err != nil {
		return err
	}
	defer f.Close()
	data, err := json.Marshal(t)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err != nil {
		return nil
	}
	return nil
}

func loadTold(dir string) (t told, err error) {
	data, err := os.ReadFile(dir + "/told.json")
	if err != nil {
		return t, err
	}
	return t, json.Unmarshal(data, &t)
}
