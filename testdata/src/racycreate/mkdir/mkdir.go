// Package mkdir makes directories.
package mkdir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

const home = "/var/lib/agentd"

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// setUp fails in the second of two processes that start at the same time.
func setUp() error {
	dir := filepath.Join(home, "state")
	if !exists(dir) {
		if err := os.Mkdir(dir, 0o700); err != nil { // want `setUp makes /var/lib/agentd/state where it has found none: of two processes that start at the same time, the second one fails because the directory is there`
			return err
		}
	}
	return os.WriteFile(filepath.Join(dir, "started"), nil, 0o600)
}

// logs looks itself.
func logs() error {
	dir := filepath.Join(home, "logs")
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return os.Mkdir(dir, 0o700) // want `logs makes /var/lib/agentd/logs where it has found none`
	}
	return nil
}

// tolerant takes a directory that is there.
func tolerant() error {
	dir := filepath.Join(home, "tolerant")
	if !exists(dir) {
		if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) { // ok
			return err
		}
	}
	return nil
}

// older asks in the older way.
func older() error {
	dir := filepath.Join(home, "older")
	if !exists(dir) {
		if err := os.Mkdir(dir, 0o700); err != nil && !os.IsExist(err) { // ok
			return err
		}
	}
	return nil
}

// dropped goes on in any case.
func dropped() {
	dir := filepath.Join(home, "dropped")
	if !exists(dir) {
		_ = os.Mkdir(dir, 0o700) // ok
	}
}

// all takes a directory that is there by the call that it makes.
func all() error {
	dir := filepath.Join(home, "all")
	if !exists(dir) {
		return os.MkdirAll(dir, 0o700) // ok
	}
	return nil
}

// fresh has removed what was there.
func fresh() error {
	dir := filepath.Join(home, "fresh")
	if exists(dir) {
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	}
	return os.Mkdir(dir, 0o700) // ok
}

// again looks once more where it has failed.
func again() error {
	dir := filepath.Join(home, "again")
	if exists(dir) {
		return nil
	}
	err := os.Mkdir(dir, 0o700) // ok
	if err != nil && exists(dir) {
		return nil
	}
	return err
}

// begin is to fail where the directory is there, and fails.
func begin() error {
	dir := filepath.Join(home, "project")
	if exists(dir) {
		return errors.New("the project exists")
	}
	return os.Mkdir(dir, 0o700) // ok
}
