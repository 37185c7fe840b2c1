// Package library locks any file that its importers name.
package library

import (
	"os"
	"syscall"
)

// A Mutex is a lock on a file.
type Mutex struct {
	path string
	fh   *os.File
}

// New makes the lock of a file.
func New(path string) *Mutex { return &Mutex{path: path} }

func (m *Mutex) open() error {
	fh, err := os.OpenFile(m.path, os.O_CREATE|os.O_TRUNC|os.O_RDWR, os.FileMode(0o600)) // want `\(\*Mutex\)\.open empties m\.path before the lock on it is held.*no fix: nothing is written through it: open it without O_TRUNC`
	if err != nil {
		return err
	}
	m.fh = fh
	return nil
}

// Lock waits for the lock.
func (m *Mutex) Lock() error {
	if m.fh == nil {
		if err := m.open(); err != nil {
			return err
		}
	}
	return syscall.Flock(int(m.fh.Fd()), syscall.LOCK_EX)
}

// Unlock lets go of it.
func (m *Mutex) Unlock() error {
	if err := syscall.Flock(int(m.fh.Fd()), syscall.LOCK_UN); err != nil {
		return err
	}
	m.fh.Close()
	m.fh = nil
	return nil
}

// A Blocks is a file of blocks, of which nothing but the path is known.
type Blocks struct {
	blockPath string
	fh        *os.File
}

// NewBlocks makes the lock of a file of blocks.
func NewBlocks(blockPath string) *Blocks { return &Blocks{blockPath: blockPath} }

// Take waits for the lock.
func (b *Blocks) Take() error {
	fh, err := os.OpenFile(b.blockPath, os.O_CREATE|os.O_TRUNC|os.O_RDWR, os.FileMode(0o600)) // want `\(\*Blocks\)\.Take empties b\.blockPath before the lock on it is held`
	if err != nil {
		return err
	}
	b.fh = fh
	return syscall.Flock(int(fh.Fd()), syscall.LOCK_EX)
}
