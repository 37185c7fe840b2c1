//go:build linux

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/gofrs/flock"
	"github.com/google/renameio/v2"
	"github.com/lockvet/lockvet/safeio"
	"github.com/moby/sys/atomicwriter"
	"github.com/natefinch/atomic"
	"github.com/rogpeppe/go-internal/lockedfile"
)

const (
	floor      = "floor: system calls"
	floorAgain = "floor, once more"

	noDirSync = "directory not synced"
	noSync    = "not synced"
	tearing   = "in place, readers meet a part; not synced"
)

// A place is what is under a directory. In memory there is nothing to wait for,
// so a ratio is one of processor times, and has no bound.
type place struct{ bound float64 }

var onDisk, inMemory = place{1.05}, place{}

// writes is WriteFile of size bytes over a file.
func writes(size int, at place) contest {
	data := bytes.Repeat([]byte("0123456789abcde\n"), size/16+1)[:size]
	c := contest{
		title: fmt.Sprintf("WriteFile of %d bytes", size), unit: microseconds, turn: 4, rounds: 10000, measure: timed,
		contenders: writersOf(data),
		check: func(path string, n int) error {
			got, err := os.ReadFile(path)
			if err == nil && !bytes.Equal(got, data) {
				err = fmt.Errorf("%d bytes of another content", len(got))
			}
			return err
		},
	}
	c.contenders[2].bound = at.bound
	return c
}

func writersOf(data []byte) []contender {
	bare := func(path string) error { return writeBarely(path, data) }
	return []contender{
		{name: floor, op: bare},
		{name: floorAgain, op: bare},
		{name: "safeio.WriteFile", op: func(path string) error { return safeio.WriteFile(path, data, 0o644) }},
		{name: "renameio", lacks: noDirSync, op: func(path string) error { return renameio.WriteFile(path, data, 0o644) }},
		{name: "renameio, WithTempDir", lacks: noDirSync, op: func(path string) error {
			return renameio.WriteFile(path, data, 0o644, renameio.WithTempDir(filepath.Dir(path)))
		}},
		{name: "natefinch/atomic", lacks: noDirSync, op: func(path string) error { return atomic.WriteFile(path, bytes.NewReader(data)) }},
		{name: "moby atomicwriter", lacks: noDirSync, op: func(path string) error { return atomicwriter.WriteFile(path, data, 0o644) }},
		{name: "os.WriteFile, Sync", lacks: "in place, readers meet a part", op: func(path string) error { return writeSynced(path, data) }},
		{name: "os.WriteFile", lacks: tearing, op: func(path string) error { return os.WriteFile(path, data, 0o644) }},
	}
}

// lockedWriter is Write of lockedfile.
func lockedWriter(data []byte) contender {
	return contender{name: "lockedfile.Write", lacks: tearing, op: func(path string) error {
		return lockedfile.Write(path, bytes.NewReader(data), 0o644)
	}}
}

// writeSynced is os.WriteFile with a Sync before the Close.
func writeSynced(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Sync(), f.Close())
}

// locks is taking a lock that nobody else wants, and letting go.
func locks() contest {
	bare := func(path string) error {
		fd, err := lockBarely(path)
		if err != nil {
			return err
		}
		return syscall.Close(fd)
	}
	return contest{
		title: "Lock and Unlock", unit: microseconds, turn: 100, rounds: 10000, measure: timed,
		contenders: []contender{
			{name: floor, op: bare},
			{name: floorAgain, op: bare},
			{name: "safeio.Lock", bound: 1.5, op: func(path string) error {
				held, err := safeio.Lock(path)
				if err != nil {
					return err
				}
				return held.Unlock()
			}},
			{name: "gofrs/flock", op: func(path string) error {
				l := flock.New(path + ".lock")
				return errors.Join(l.Lock(), l.Unlock())
			}},
			{name: "lockedfile.Mutex", op: func(path string) error {
				unlock, err := lockedfile.MutexAt(path + ".lock").Lock()
				if err == nil {
					unlock()
				}
				return err
			}},
		},
		check: func(path string, n int) error {
			_, err := os.Stat(path + ".lock")
			if _, hidden := os.Stat(filepath.Join(filepath.Dir(path), ".safeio-"+filepath.Base(path)+".lock")); hidden == nil {
				return nil // the lock file of safeio
			}
			return err
		},
	}
}

// updates is adding 1 to the number in a file that nobody else wants.
func updates() contest {
	return contest{
		title: "Update", unit: microseconds, turn: 4, rounds: 10000, measure: timed,
		contenders: []contender{
			{name: "floor: flock, read, write as above", op: updateBarely},
			{name: floorAgain, op: updateBarely},
			{name: "safeio.Update", bound: 1.1, op: func(path string) error { return safeio.Update(path, 0o644, increment) }},
			{name: "gofrs/flock, renameio", lacks: noDirSync, op: updateByFlock},
			{name: "lockedfile.Transform", lacks: tearing, op: func(path string) error { return lockedfile.Transform(path, increment) }},
		},
		check: func(path string, n int) error {
			got, err := os.ReadFile(path)
			if err == nil && string(got) != strconv.Itoa(n) {
				err = fmt.Errorf("%d changes were acknowledged, the file says %q", n, got)
			}
			return err
		},
	}
}

// updateByFlock is what a program does that knows both packages.
func updateByFlock(path string) (err error) {
	l := flock.New(path + ".lock")
	if err := l.Lock(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Unlock()) }()
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	next, err := increment(old)
	if err != nil {
		return err
	}
	return renameio.WriteFile(path, next, 0o644, renameio.WithTempDir(filepath.Dir(path)))
}

// appends is adding a line to a file.
func appends() contest {
	record := bytes.Repeat([]byte("r"), 200)
	line := append(bytes.Clone(record), '\n')
	bare := func(path string) error { return appendBarely(path, line) }
	return contest{
		title: "Append of 200 bytes", unit: microseconds, turn: 4, rounds: 10000, measure: timed,
		contenders: []contender{
			{name: "floor: open, write, fsync, close", lacks: "no lock, torn lines not ended", op: bare},
			{name: floorAgain, lacks: "no lock, torn lines not ended", op: bare},
			{name: "safeio.Append", op: func(path string) error { return safeio.Append(path, record, 0o644) }},
		},
		check: func(path string, n int) error {
			got, err := os.ReadFile(path)
			if err == nil && !bytes.Equal(got, bytes.Repeat(line, n)) {
				err = fmt.Errorf("%d bytes after %d records", len(got), n)
			}
			return err
		},
	}
}
