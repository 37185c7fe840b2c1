// Package handed empties files that somebody else has opened.
package handed

import (
	"encoding/json"
	"os"
	"path/filepath"
)

type instance struct{ Pid int }

func load(f *os.File) (map[string]instance, error) {
	all := map[string]instance{}
	data, err := os.ReadFile(f.Name())
	if err != nil {
		return nil, err
	}
	return all, json.Unmarshal(data, &all)
}

func save(all map[string]instance, f *os.File) error {
	data, err := json.Marshal(all)
	if err != nil {
		return err
	}
	if err := f.Truncate(0); err != nil { // want `save truncates dir/instances.json before it is written.*opened for more than this write`
		return err
	}
	_, err = f.Write(data)
	return err
}

func open(dir string) (*os.File, error) {
	return os.OpenFile(filepath.Join(dir, "instances.json"), os.O_WRONLY|os.O_CREATE, 0o600)
}

// Record knows which file it is that save empties.
func Record(dir string, all map[string]instance) error {
	f, err := open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	return save(all, f)
}

// Running loads what Record has saved.
func Running(dir string) (map[string]instance, error) {
	f, err := open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return load(f)
}

type report struct{ Lines int }

func readReport(f *os.File) (r report, err error) {
	return r, json.NewDecoder(f).Decode(&r)
}

// WriteReport is called by nobody who says what it is given.
func WriteReport(r report, f *os.File) error {
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err = f.WriteAt(data, 0)
	return err
}
