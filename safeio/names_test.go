package safeio

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzNames writes under any name as os.WriteFile does: both succeed, with the
// same files afterwards, or both fail for the same reason.
func FuzzNames(f *testing.F) {
	for _, name := range []string{
		"a", "", ".", "a/", "a/b", "sub/b", "sub", "sub/../c", " a ", "-", "é", "a\x00b", ".safeio-1.tmp",
		strings.Repeat("n", 255), strings.Repeat("n", 256), "link", "dangling", "loop", "old",
	} {
		f.Add(name, []byte("new"))
	}
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		if name != "" && !filepath.IsLocal(name) {
			t.Skip("it leads out of the directory")
		}
		plain, safe := furnished(t), furnished(t)
		want := os.WriteFile(plain+string(filepath.Separator)+name, data, 0o644)
		got := WriteFile(safe+string(filepath.Separator)+name, data, 0o644)
		if (got == nil) != (want == nil) || got != nil && !errors.Is(got, cause(want)) {
			t.Fatalf("%q: %v, package os says %v", name, got, want)
		}
		if a, b := contents(t, plain), contents(t, safe); a != b {
			t.Errorf("%q: package os leaves\n%s\nsafeio\n%s", name, a, b)
		}
	})
}

// furnished is a directory with a file, a directory and links in it.
func furnished(t *testing.T) string {
	dir := t.TempDir()
	mustWrite(t, filepath.Join(dir, "old"), "old content", 0o644)
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"link": "old", "dangling": "sub/made", "loop": "loop"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Skipf("no symbolic links: %v", err)
		}
	}
	return dir
}

// contents lists the files below dir, with their modes and what they hold.
func contents(t *testing.T, dir string) string {
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		b.WriteString(e.Type().String() + " " + name)
		if e.Type().IsRegular() {
			info, err := e.Info()
			if err != nil {
				return err
			}
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			b.WriteString(" " + info.Mode().String() + " " + string(data))
		}
		b.WriteString("\n")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}
