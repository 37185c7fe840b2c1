//go:build linux

package main

import (
	"bufio"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// homePrefix begins the name of a directory for images and mounts.
const homePrefix = "safeio-cuts-"

// A home is a directory for images, and for the file systems in them. Whoever made it
// holds it locked, so that one that a run has left behind, which was killed, can be told.
type home struct {
	path string
	lock *os.File
}

func newHome(below string) (home, error) {
	path, err := os.MkdirTemp(below, homePrefix)
	if err != nil {
		return home{}, err
	}
	lock, err := os.Open(path)
	if err == nil {
		err = syscall.Flock(int(lock.Fd()), syscall.LOCK_EX)
	}
	if _, gone := os.Stat(path); gone != nil { // another run took it for left behind
		lock.Close()
		return newHome(below)
	}
	return home{path, lock}, err
}

func (h home) file(name string) string { return filepath.Join(h.path, name) }

// dir is a directory in h, which is made.
func (h home) dir(name string) string {
	os.Mkdir(h.file(name), 0o755) // whoever uses it fails
	return h.file(name)
}

// remove unmounts what is mounted in h, the last first, and removes h.
func (h home) remove() error {
	defer h.lock.Close()
	mounts, err := mountsBelow(h.path)
	for _, at := range slices.Backward(mounts) {
		err = errors.Join(err, command("umount", "-l", at))
	}
	return errors.Join(err, os.RemoveAll(h.path))
}

// mountsBelow are the directories below path where something is mounted.
func mountsBelow(path string) (found []string, err error) {
	f, err := os.Open("/proc/self/mountinfo")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	for in.Scan() {
		if at := strings.Fields(in.Text())[4]; strings.HasPrefix(at, path+"/") {
			found = append(found, at)
		}
	}
	return found, in.Err()
}

// removeLeftovers removes what runs have left behind that were killed.
func removeLeftovers(below string) {
	homes, _ := filepath.Glob(filepath.Join(below, homePrefix+"*"))
	for _, path := range homes {
		lock, err := os.Open(path)
		if err == nil && syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
			home{path, lock}.remove()
		} else if err == nil {
			lock.Close()
		}
	}
}
