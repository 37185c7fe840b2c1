package untrusted_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/lockvet/lockvet/internal/untrusted"
)

func TestInside(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "module")
	for _, d := range []string{"module/.git/hooks", "module/real", "outside"} {
		if err := os.MkdirAll(filepath.Join(root, d), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "outside", "file"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{
		"module/folder": "../outside", "module/file": "../outside/file", "module/fresh": "../outside/fresh", "module/hook": ".git/hooks/pre-commit",
		"module/own": "real", "module/twice": "folder", "module/loop": "loop", "alias": "module",
	} {
		if err := os.Symlink(to, filepath.Join(root, link)); err != nil {
			t.Skip("there are no symbolic links:", err)
		}
	}
	for name, want := range map[string]bool{
		"new": true, "real/new/file": true, "own/new": true, "real/../new": true,
		"folder/new": false, "folder/a/b": false, "file": false, "fresh": false, "hook": false, "twice/a": false, "loop": false, "../outside/file": false,
	} {
		for _, dir := range []string{dir, filepath.Join(root, "alias")} {
			if err := untrusted.Inside(dir, filepath.Join(dir, name)); (err == nil) != want {
				t.Errorf("Inside(%s, %s): %v", dir, name, err)
			}
		}
	}
}
