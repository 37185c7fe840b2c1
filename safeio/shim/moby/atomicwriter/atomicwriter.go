// Package atomicwriter has the functions of github.com/moby/sys/atomicwriter, made with
// package safeio: a program that goes over needs another import path and nothing else.
// What is different stands in docs/migrate.md of the repository.
package atomicwriter

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/lockvet/lockvet/safeio"
)

// New begins a new content of the file, which Close puts in place, with permissions
// perm, less nothing. If nothing was written, or a Write failed, Close leaves the file
// as it is.
func New(filename string, perm os.FileMode) (io.WriteCloser, error) {
	if err := check(filename); err != nil {
		return nil, err
	}
	abs, err := filepath.Abs(filename)
	if err != nil {
		return nil, err
	}
	f, err := safeio.Options{Strict: true}.Create(abs, perm)
	if err != nil {
		return nil, err
	}
	if err := f.Chmod(perm); err != nil {
		f.Close()
		return nil, err
	}
	return &writer{file: f}, nil
}

type writer struct {
	file    *safeio.File
	written bool
	failed  bool
}

func (w *writer) Write(p []byte) (int, error) {
	w.written = true
	n, err := w.file.Write(p)
	w.failed = w.failed || err != nil
	return n, err
}

func (w *writer) Close() error {
	if w.written && !w.failed {
		return w.file.Commit()
	}
	if err := w.file.Close(); !errors.Is(err, safeio.ErrDiscarded) {
		return err
	}
	return nil
}

// WriteFile is os.WriteFile that replaces the file, with permissions perm, less nothing.
func WriteFile(filename string, data []byte, perm os.FileMode) error {
	w, err := New(filename, perm)
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	return errors.Join(err, w.Close())
}

// kinds are the files that cannot be written.
var kinds = []struct {
	mode fs.FileMode
	what string
}{
	{fs.ModeDir, "a directory"},
	{fs.ModeSymlink, "a symbolic link directly"},
	{fs.ModeNamedPipe, "a named pipe (FIFO)"},
	{fs.ModeSocket, "a socket"},
	{fs.ModeCharDevice, "a character device file"},
	{fs.ModeDevice, "a block device file"},
}

// check says what is wrong with the name of a file.
func check(name string) error {
	if name == "" {
		return errors.New("file name is empty")
	}
	dir := filepath.Dir(name)
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = &fs.PathError{Op: "stat", Path: dir, Err: syscall.ENOTDIR}
	}
	if err != nil {
		return fmt.Errorf("invalid output path: %w", err)
	}
	info, err = os.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("failed to stat output path: %w", err)
	}
	for _, k := range kinds {
		if info.Mode()&k.mode != 0 {
			return errors.New("cannot write to " + k.what)
		}
	}
	return nil
}

// A WriteSet is files that come to be seen together, in a directory that is new.
type WriteSet struct{ root string }

// NewWriteSet begins a set, in a directory below tmpDir or the system's temporary one.
func NewWriteSet(tmpDir string) (*WriteSet, error) {
	root, err := os.MkdirTemp(tmpDir, "write-set-")
	if err != nil {
		return nil, err
	}
	return &WriteSet{root: root}, nil
}

// WriteFile writes a file of the set, durably.
func (ws *WriteSet) WriteFile(filename string, data []byte, perm os.FileMode) error {
	return safeio.WriteFile(filepath.Join(ws.root, filename), data, perm)
}

// FileWriter opens a file of the set, which its Close syncs.
func (ws *WriteSet) FileWriter(name string, flag int, perm os.FileMode) (io.WriteCloser, error) {
	f, err := os.OpenFile(filepath.Join(ws.root, name), flag, perm)
	if err != nil {
		return nil, err
	}
	return synced{f}, nil
}

type synced struct{ *os.File }

func (f synced) Close() error { return errors.Join(f.File.Sync(), f.File.Close()) }

// Cancel removes the set.
func (ws *WriteSet) Cancel() error { return os.RemoveAll(ws.root) }

// Commit makes the set the directory target, which must not exist.
func (ws *WriteSet) Commit(target string) error { return os.Rename(ws.root, target) }

// String is where the set is written to.
func (ws *WriteSet) String() string { return ws.root }
