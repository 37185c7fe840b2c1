package supply

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/lockvet/lockvet/internal/bundle"
)

// apply makes changes on disk.
func apply(t *testing.T, changes map[string][]byte) {
	t.Helper()
	for name, content := range changes {
		if content == nil {
			if err := os.Remove(name); err != nil {
				t.Fatal(err)
			}
			continue
		}
		write(t, name, content)
	}
}

// changes are those of a copy for functions.
func changes(t *testing.T, dir string, called ...string) map[string][]byte {
	t.Helper()
	c, err := Read(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	all, err := c.Changes(called, "v2.0.0")
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// has are the files of the copy in a directory.
func has(t *testing.T, dir string) []string {
	t.Helper()
	c, err := Read(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	return slices.Sorted(maps.Keys(c.files))
}

// TestExtend: a copy gets what else is called, keeps what it had, and is left alone by who
// needs nothing more.
func TestExtend(t *testing.T) {
	dir := t.TempDir()
	apply(t, changes(t, dir, "WriteFile"))
	if more := changes(t, dir); len(more) > 0 {
		t.Errorf("for nothing more %v change", slices.Collect(maps.Keys(more)))
	}
	if more := changes(t, dir, "WriteFile", "Nonsense"); len(more) > 0 {
		t.Errorf("for what it has %v change", slices.Collect(maps.Keys(more)))
	}
	apply(t, changes(t, dir, "TryLock"))
	want, err := bundle.Copy([]string{"TryLock", "WriteFile"}, "v2.0.0", "")
	if err != nil {
		t.Fatal(err)
	}
	if got := has(t, dir); !slices.Equal(got, slices.Sorted(maps.Keys(want))) {
		t.Errorf("it has %v", got)
	}
	for name, content := range want {
		if have, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(have) != string(content) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestHalf: a copy that lacks a file, has one too many or none that says what it is for
// becomes whole, with all that it had.
func TestHalf(t *testing.T) {
	for name, harm := range map[string]func(dir string) error{
		"a file is missing": func(dir string) error { return os.Remove(filepath.Join(dir, "lock.go")) },
		"the first file is missing": func(dir string) error {
			return os.Rename(filepath.Join(dir, bundle.First), filepath.Join(dir, "other.go"))
		},
		"a file is torn": func(dir string) error { return os.Truncate(filepath.Join(dir, "safeio_unix.go"), 200) },
		"a file of another": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "old.go"), []byte(bundle.Header+"v0"+bundle.HeaderEnd+"\npackage safeio\n"), 0o600)
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			apply(t, changes(t, dir, "RLock"))
			whole := has(t, dir)
			if err := harm(dir); err != nil {
				t.Fatal(err)
			}
			all := changes(t, dir)
			if len(all) == 0 {
				t.Fatal("it is taken for whole")
			}
			apply(t, all)
			if !slices.Equal(has(t, dir), whole) || len(changes(t, dir)) > 0 {
				t.Errorf("it has %v, and changes again", has(t, dir))
			}
		})
	}
}

// TestNotOurs: what lockvet has not written is no copy.
func TestNotOurs(t *testing.T) {
	dir := t.TempDir()
	apply(t, changes(t, dir, "WriteFile"))
	write(t, filepath.Join(dir, "own_test.go"), []byte("package safeio\n"))
	if _, err := Read(dir, ""); err != nil {
		t.Errorf("with a test: %v", err)
	}
	write(t, filepath.Join(dir, "own.go"), []byte("package safeio\n"))
	if _, err := Read(dir, ""); !errors.Is(err, ErrNotOurs) {
		t.Errorf("with other code: %v", err)
	}
}
