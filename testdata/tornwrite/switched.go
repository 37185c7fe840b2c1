package flags

import (
	"encoding/json"
	"os"
	"path/filepath"

	"tornwrite/flags/disk"
)

type running struct{ Jobs []string }

func loadRunning(dir string) (r running, err error) {
	data, err := os.ReadFile(filepath.Join(dir, "running.json"))
	if err != nil {
		return r, err
	}
	return r, json.Unmarshal(data, &r)
}

func (r running) save(dir string) error {
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return disk.Put(filepath.Join(dir, "running.json"), data, false) // want `overwrites dir/running\.json through disk\.Put\(\) without truncating it: a shorter content keeps the tail`
}

func (r running) note(dir string) error {
	return disk.Put(filepath.Join(dir, "running.log"), []byte("one\n"), true) // ok: it only adds to it
}

// saveOr has its caller say which.
func (r running) saveOr(dir string, more bool) error {
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return disk.Put(filepath.Join(dir, "running.json"), data, more) // ok: nobody says that it is not to be appended
}

// overwrite opens the file as the opposite of its argument says.
func overwrite(name string, data []byte, fresh bool) error {
	mode := os.O_CREATE | os.O_WRONLY
	if !fresh {
		mode |= os.O_APPEND
	} else {
		mode |= os.O_TRUNC
	}
	f, err := os.OpenFile(name, mode, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.Write(data)
	return err
}

func (r running) renew(dir string) error {
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return overwrite(filepath.Join(dir, "running.json"), data, true) // want `renew truncates dir/running\.json before it is written`
}

func (r running) add(dir string) error {
	return overwrite(filepath.Join(dir, "running.notes"), []byte("one\n"), false) // ok: it only adds to it
}

// each joins flags in a loop.
func each(name string, data []byte, flags []int, more bool) error {
	mode := os.O_CREATE | os.O_WRONLY
	for _, f := range flags {
		if more {
			mode |= f
		}
	}
	f, err := os.OpenFile(name, mode, 0o600) // ok: it is not known which flags there are
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.Write(data)
	return err
}
