// Package given has functions that are given the file.
package given

import (
	"encoding/json"
	"os"
	"syscall"

	"github.com/lockvet/lockvet/safeio"
)

func load(path string) (m map[string]string, err error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return m, json.Unmarshal(b, &m)
}

func save(path string, m map[string]string) error {
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return safeio.WriteFile(path, b, 0o600)
}

// hold keeps others from a file: which that is, its callers know.
func hold(path string) (*os.File, error) {
	f, err := os.OpenFile(path+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	return f, syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
}

// join is given a path, too, and that is another one.
func join(path, name string) error {
	m, err := load(path)
	if err != nil {
		return err
	}
	m[name] = "seen"
	return save(path, m) /* note */ // want `join`
}

// locked and free save the same file by one helper, one of them under its lock.
func locked(path string) error {
	f, err := hold(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return put(path, "locked")
}

func free(path string) error { return put(path, "free") }

func put(path, name string) error {
	m, err := load(path)
	if err != nil {
		return err
	}
	m[name] = "seen"
	return save(path, m) /* error */ // want `put`
}

var _, _, _, _ = join, hold, locked, free
