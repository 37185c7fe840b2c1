package quiet

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// A table is a file of rows that is locked itself.
type table struct {
	dir  string
	rows map[string]int
}

// open gives up when the lock is not had in time.
func (t *table) open() (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(t.dir, "state", "rows.json"), os.O_RDWR|os.O_CREATE, 0o600)
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
	f, err := t.open()
	if err != nil {
		return err
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, &t.rows); err != nil {
		return err
	}
	t.rows[name]++
	return t.save(f)
}

func (t *table) save(f *os.File) error {
	data, err := json.Marshal(t.rows)
	if err != nil {
		return err
	}
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err = f.WriteAt(data, 0)
	return err
}

// CountUntil waits for the end of the goroutine that has the lock taken.
func (t *table) CountUntil(ctx context.Context, name string) error {
	f, err := os.OpenFile(filepath.Join(t.dir, "state", "rows.json"), os.O_RDWR|os.O_CREATE, 0o600)
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
	data, err := io.ReadAll(f)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, &t.rows); err != nil {
		return err
	}
	t.rows[name]++
	return t.save(f)
}
