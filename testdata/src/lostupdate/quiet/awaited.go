package quiet

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/lockvet/lockvet/safeio"
)

// A table is a file of rows with a lock file beside it.
type table struct {
	dir  string
	rows map[string]int
}

func (t *table) path() string { return filepath.Join(t.dir, "state", "rows.json") }

// lock gives up when the lock is not had in time.
func (t *table) lock() (*os.File, error) {
	f, err := os.OpenFile(t.path()+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	locked := make(chan error)
	go func() {
		locked <- syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
	}()
	select {
	case err := <-locked:
		return f, err
	case <-time.After(5 * time.Second):
		f.Close()
		return nil, errors.New("the rows are locked by another process")
	}
}

// Count loads and saves under the lock.
func (t *table) Count(name string) error {
	f, err := t.lock()
	if err != nil {
		return err
	}
	defer f.Close()
	data, err := os.ReadFile(t.path())
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, &t.rows); err != nil {
		return err
	}
	t.rows[name]++
	return t.save()
}

func (t *table) save() error {
	data, err := json.Marshal(t.rows)
	if err != nil {
		return err
	}
	return safeio.WriteFile(t.path(), data, 0o600)
}

// CountUntil waits for the end of the goroutine that has the lock taken.
func (t *table) CountUntil(ctx context.Context, name string) error {
	f, err := os.OpenFile(t.path()+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	done := make(chan struct{})
	var failed error
	go func(done chan<- struct{}) {
		defer close(done)
		failed = syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
	}(done)
	select {
	case <-done:
		if failed != nil {
			return failed
		}
	case <-ctx.Done():
		return ctx.Err()
	}
	data, err := os.ReadFile(t.path())
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, &t.rows); err != nil {
		return err
	}
	t.rows[name]++
	return t.save()
}
