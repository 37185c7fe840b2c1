package seams

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

type counts struct {
	N     int
	Items []string
}

// through reads and writes the counts by one open file, and asks in between: nobody is to wait
// for that.
func through(dir string, ask func() error) error {
	f, err := os.OpenFile(filepath.Join(dir, "counts.json"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	var c counts
	if err := json.NewDecoder(f).Decode(&c); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if err := ask(); err != nil {
		return err
	}
	c.N++
	if err := f.Truncate(0); err != nil { // want `through truncates dir/counts.json`
		return err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return json.NewEncoder(f).Encode(&c) // want `through loads dir/counts.json, changes it and saves it with no lock`
}

// lockedThrough has the lock of that file.
func lockedThrough(dir string) error {
	f, err := os.OpenFile(filepath.Join(dir, "counts.json"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	var c counts
	if err := json.NewDecoder(f).Decode(&c); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	c.N++
	if err := f.Truncate(0); err != nil { // want `lockedThrough truncates dir/counts.json`
		return err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return json.NewEncoder(f).Encode(&c)
}
