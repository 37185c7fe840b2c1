package safeio

import (
	"bytes"
	"context"
	"errors"
	"os"
)

// Update replaces the content of the named file, nil if there is none, by what change makes of it, under its Lock. What
// is the same is not written. In the module those who wait in one process share a sync.
func Update(name string, perm os.FileMode, change func(old []byte) ([]byte, error)) error {
	return UpdateContext(context.Background(), name, perm, change)
}

// UpdateContext is Update that does not wait any longer for the lock when ctx is done.
func UpdateContext(ctx context.Context, name string, perm os.FileMode, change func(old []byte) ([]byte, error)) error {
	t, err := locate(name)
	if err != nil {
		return err
	}
	if t.special {
		return &os.PathError{Op: "update", Path: name, Err: os.ErrInvalid}
	}
	held, err := LockContext(ctx, t.path)
	if err != nil {
		return err
	}
	defer held.Unlock()
	old, err := os.ReadFile(t.path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	content, err := change(append(old[:0:0], old...))
	if err != nil {
		return err
	}
	if (old == nil) == (content == nil) && bytes.Equal(old, content) {
		return syncDir(t.dir, syncFile) // an earlier Update may have matched ErrPublished
	}
	return WriteFile(t.path, content, perm)
}
