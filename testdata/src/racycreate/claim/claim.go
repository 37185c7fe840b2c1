// Package claim has functions that take a lock without looking for it.
package claim

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Boot starts one session.
type Boot struct {
	dir  string
	mux  interface{ HasSession(string) (bool, error) }
	name string
}

func (b *Boot) marker() string { return filepath.Join(b.dir, ".starting") }

func (b *Boot) running() bool {
	has, err := b.mux.HasSession(b.name)
	return err == nil && has
}

// AcquireLock asks the multiplexer, where nothing runs yet.
func (b *Boot) AcquireLock() error {
	if b.running() {
		return errors.New("a session is running already")
	}
	if err := os.MkdirAll(b.dir, 0o755); err != nil {
		return err
	}
	f, err := os.Create(b.marker()) // want `\(\*Boot\).AcquireLock makes b.dir/.starting by a call that takes an existing one as well`
	if err != nil {
		return fmt.Errorf("create marker: %w", err)
	}
	return f.Close()
}

// ReleaseLock removes the marker.
func (b *Boot) ReleaseLock() error { return os.Remove(b.marker()) }

// AcquireQuietly asks nothing: whoever calls it may have asked.
func (b *Boot) AcquireQuietly() error {
	return os.WriteFile(b.marker(), nil, 0o600)
}
