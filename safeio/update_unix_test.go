//go:build unix

package safeio

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestUpdateKeepsWhatWriteFileKeeps: the mode, and symbolic links.
func TestUpdateKeepsWhatWriteFileKeeps(t *testing.T) {
	dir := t.TempDir()
	name, link := filepath.Join(dir, "state"), filepath.Join(dir, "link")
	mustWrite(t, name, "old", 0o604)
	symlink(t, "state", link)
	if err := Update(link, 0o666, appending("er")); err != nil {
		t.Fatal(err)
	}
	wantContent(t, name, "older")
	if got := modeOf(t, name); got != 0o604 {
		t.Errorf("mode %v", got)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("no longer a link: %v, %v", info, err)
	}
	umask := syscall.Umask(0o027)
	err := Update(filepath.Join(dir, "new"), 0o666, appending("new"))
	syscall.Umask(umask)
	if err != nil {
		t.Fatal(err)
	}
	if got := modeOf(t, filepath.Join(dir, "new")); got != 0o640 {
		t.Errorf("new file: mode %v", got)
	}
}
