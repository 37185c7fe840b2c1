package repair

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// change puts the old content on disk.
func change(t *testing.T, dir, name, old, new string) Change {
	t.Helper()
	c := Change{Name: filepath.Join(dir, name), New: []byte(new)}
	if old != "" {
		c.Old = []byte(old)
		if err := os.WriteFile(c.Name, c.Old, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

func bases(names []string) []string {
	var out []string
	for _, n := range names {
		out = append(out, filepath.Base(n))
	}
	return out
}

func TestWriteNewFilesFirst(t *testing.T) {
	dir := t.TempDir()
	changes := []Change{
		change(t, dir, "a.go", "old", "new"),
		change(t, dir, "sub/z.go", "", "fresh"),
		{Name: filepath.Join(dir, "gone.go"), Old: []byte("x")},
	}
	if err := os.WriteFile(changes[2].Name, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	written, err := Write(t.Context(), changes, os.WriteFile)
	if err != nil {
		t.Fatal(err)
	}
	if got := bases(written); !slices.Equal(got, []string{"z.go", "a.go", "gone.go"}) {
		t.Errorf("written: %v", got)
	}
	if _, err := os.Stat(changes[2].Name); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("gone.go is still there: %v", err)
	}
}

func TestWriteInterrupted(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	interrupting := func(name string, data []byte, perm fs.FileMode) error {
		cancel() // while the first file is being written
		return os.WriteFile(name, data, perm)
	}
	changes := []Change{change(t, dir, "a.go", "old", "new"), change(t, dir, "b.go", "old", "new")}
	written, err := Write(ctx, changes, interrupting)
	if err == nil || !strings.Contains(err.Error(), "interrupted") {
		t.Errorf("err = %v", err)
	}
	if got := bases(written); !slices.Equal(got, []string{"a.go"}) {
		t.Errorf("written: %v", got)
	}
	if got := contentOnDisk(changes[0].Name); string(got) != "new" {
		t.Errorf("the file under way holds %q", got)
	}
	if got := contentOnDisk(changes[1].Name); string(got) != "old" {
		t.Errorf("the next file holds %q", got)
	}
}

func TestWriteFailure(t *testing.T) {
	failing := func(bad string) WriteFile {
		return func(name string, data []byte, perm fs.FileMode) error {
			if filepath.Base(name) == bad {
				return errors.New(bad + ": no space left")
			}
			return os.WriteFile(name, data, perm)
		}
	}
	t.Run("of one file leaves the others", func(t *testing.T) {
		dir := t.TempDir()
		changes := []Change{change(t, dir, "a.go", "old", "new"), change(t, dir, "b.go", "old", "new")}
		written, err := Write(t.Context(), changes, failing("a.go"))
		if err == nil || !slices.Equal(bases(written), []string{"b.go"}) {
			t.Errorf("written: %v, err: %v", bases(written), err)
		}
	})
	t.Run("of a new file stops", func(t *testing.T) {
		dir := t.TempDir()
		changes := []Change{change(t, dir, "a.go", "old", "new"), change(t, dir, "b.go", "", "new")}
		written, err := Write(t.Context(), changes, failing("b.go"))
		if err == nil || len(written) > 0 {
			t.Errorf("written: %v, err: %v", bases(written), err)
		}
	})
}

func TestWriteRefusesWhatChanged(t *testing.T) {
	dir := t.TempDir()
	c := change(t, dir, "a.go", "old", "new")
	if err := os.WriteFile(c.Name, []byte("someone else's"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Write(t.Context(), []Change{c}, os.WriteFile); !errors.Is(err, errChanged) {
		t.Errorf("err = %v", err)
	}
	if got := contentOnDisk(c.Name); string(got) != "someone else's" {
		t.Errorf("the file holds %q", got)
	}
}
