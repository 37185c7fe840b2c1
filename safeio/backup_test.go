package safeio

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
)

func TestBackup(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "state.json")
	if err := Backup(name); err != nil {
		t.Errorf("without a file: %v", err)
	}
	wants := func(content, want string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(content), 0o664); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(name, 0o664); err != nil {
			t.Fatal(err)
		}
		if err := Backup(name); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(dir, want))
		if err != nil || string(got) != content {
			t.Errorf("%s holds %q, %v; want %q", want, got, err, content)
		}
	}
	wants("{", "state.json.bak")
	wants("[", "state.json.bak.1")
	wants("{", "state.json.bak") // it is there already
	if _, err := os.Stat(filepath.Join(dir, "state.json.bak.2")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the same content is kept twice: %v", err)
	}
	if info, err := os.Stat(filepath.Join(dir, "state.json.bak")); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o664 {
		t.Errorf("the copy has mode %v, %v", info.Mode(), err)
	}
	for n := 2; n < backups; n++ {
		wants(strconv.Itoa(n), "state.json.bak."+strconv.Itoa(n))
	}
	if err := os.WriteFile(name, []byte("one more"), 0o600); err != nil {
		t.Fatal(err)
	}
	err := Backup(name)
	var path *fs.PathError
	if !errors.Is(err, fs.ErrExist) || !errors.As(err, &path) || path.Path != name {
		t.Errorf("with all names taken: %v", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != backups+1 {
		t.Errorf("%d files are there, %v", len(entries), err)
	}
}

// TestBackupBeside has a directory in the way of the first copy, and no right to read the file.
func TestBackupBeside(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "state.json")
	if err := os.Mkdir(name+".bak", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Backup(name); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(name + ".bak.1"); err != nil || string(got) != "{" {
		t.Errorf("state.json.bak.1 holds %q, %v", got, err)
	}
	for _, no := range []string{dir, os.DevNull, name + ".bak.1"} {
		if err := Backup(no); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%s: %v", no, err)
		}
	}
}
