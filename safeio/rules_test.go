package safeio

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Promise 3: the rules of os.WriteFile.

// writers are the ways to write a file that must behave alike.
var writers = []struct {
	name  string
	write func(o Options, name, content string, perm fs.FileMode) error
}{
	{"WriteFile", func(o Options, name, content string, perm fs.FileMode) error {
		return o.WriteFile(name, []byte(content), perm)
	}},
	{"Create", func(o Options, name, content string, perm fs.FileMode) error {
		f, err := o.Create(name, perm)
		if err != nil {
			return err
		}
		defer f.Close()
		if _, err := f.WriteString(content); err != nil {
			return err
		}
		return f.Commit()
	}},
}

func TestContents(t *testing.T) {
	for _, w := range writers {
		name := filepath.Join(t.TempDir(), "state")
		for _, content := range []string{"one", "", "a longer one", strings.Repeat("x", 1<<20), "short"} {
			if err := w.write(Options{Strict: true}, name, content, 0o644); err != nil {
				t.Fatalf("%s: %v", w.name, err)
			}
			wantContent(t, name, content)
		}
	}
}

// TestErrorsOfOS compares with what os.WriteFile says about the same name.
func TestErrorsOfOS(t *testing.T) {
	dir := t.TempDir()
	mustWrite(t, filepath.Join(dir, "file"), "old", 0o644)
	if err := os.Mkdir(filepath.Join(dir, "dir"), 0o755); err != nil {
		t.Fatal(err)
	}
	sep := string(filepath.Separator)
	names := map[string]string{
		"no such directory": filepath.Join(dir, "none", "state"),
		"directory":         filepath.Join(dir, "dir"),
		"directory, slash":  filepath.Join(dir, "dir") + sep,
		"nothing, slash":    filepath.Join(dir, "none") + sep,
		"file, slash":       filepath.Join(dir, "file") + sep,
		"below a file":      filepath.Join(dir, "file", "state"),
		"empty name":        "",
		"dot":               ".",
		"too long":          filepath.Join(dir, strings.Repeat("n", 300)),
		"NUL":               filepath.Join(dir, "a\x00b"),
	}
	if makeLink("loop", filepath.Join(dir, "loop")) == nil {
		names["loop"] = filepath.Join(dir, "loop")
	}
	for what, name := range names {
		want := os.WriteFile(name, []byte("new"), 0o644)
		if want == nil {
			t.Errorf("%s: os.WriteFile has no error", what)
		}
		for _, w := range writers {
			err := w.write(Options{}, name, "new", 0o644)
			var pe *fs.PathError
			if !errors.As(err, &pe) || pe.Path != name || !errors.Is(err, cause(want)) {
				t.Errorf("%s: %s says %v, os.WriteFile %v", what, w.name, err, want)
			}
		}
	}
	wantOnly(t, dir, "file", "dir", "loop")
}

func TestRelativeNames(t *testing.T) {
	chdir(t, t.TempDir())
	for _, name := range []string{"state", "./state", "sub/../state"} {
		if err := os.MkdirAll("sub", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := WriteFile(name, []byte(name), 0o644); err != nil {
			t.Error(err)
		}
		wantContent(t, "state", name)
	}
	wantOnly(t, ".", "state", "sub")
	wantOnly(t, "sub")
}

// symlink skips where links cannot be made, which on Windows is a privilege.
func symlink(t *testing.T, target, link string) {
	t.Helper()
	if err := makeLink(target, link); err != nil {
		t.Skipf("cannot make symbolic links: %v", err)
	}
}

// makeLink is os.Symlink that also fails if that made no link, as under Wine.
func makeLink(target, link string) error {
	if err := os.Symlink(target, link); err != nil {
		return err
	}
	info, err := os.Lstat(link)
	if err == nil && info.Mode()&fs.ModeSymlink == 0 {
		err = errors.New("it is something else")
	}
	return err
}

func TestSymlinksAreFollowed(t *testing.T) {
	for _, w := range writers {
		t.Run(w.name, func(t *testing.T) {
			dir := t.TempDir()
			for _, sub := range []string{"links", "real", "elsewhere"} {
				if err := os.Mkdir(filepath.Join(dir, sub), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			// up is real/../elsewhere by way of a link: cleaning the path
			// lexically would lead to links/elsewhere.
			symlink(t, filepath.Join(dir, "real"), filepath.Join(dir, "links", "real"))
			symlink(t, "real/../elsewhere/there", filepath.Join(dir, "links", "up"))
			symlink(t, "second", filepath.Join(dir, "links", "first"))
			symlink(t, filepath.Join("..", "real", "existing"), filepath.Join(dir, "links", "second"))
			symlink(t, filepath.Join(dir, "real", "dangling"), filepath.Join(dir, "links", "third"))
			mustWrite(t, filepath.Join(dir, "real", "existing"), "old", 0o644)

			for link, target := range map[string]string{
				"first": "real/existing", "third": "real/dangling", "up": "elsewhere/there",
			} {
				for _, content := range []string{link, link + " again"} {
					if err := w.write(Options{}, filepath.Join(dir, "links", link), content, 0o644); err != nil {
						t.Fatal(err)
					}
					wantContent(t, filepath.Join(dir, target), content)
				}
				if info, err := os.Lstat(filepath.Join(dir, "links", link)); err != nil || info.Mode()&fs.ModeSymlink == 0 {
					t.Errorf("%s is no longer a link: %v, %v", link, info, err)
				}
			}
			wantOnly(t, filepath.Join(dir, "links"), "first", "second", "third", "real", "up")
			wantOnly(t, filepath.Join(dir, "real"), "existing", "dangling")
		})
	}
}

func TestReadOnlyFileIsNotReplaced(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may write any file; TestAsNobody has this case")
	}
	name := filepath.Join(t.TempDir(), "state")
	mustWrite(t, name, "old", 0o444)
	for _, w := range writers {
		if err := w.write(Options{}, name, "new", 0o644); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("%s: %v", w.name, err)
		}
	}
	wantContent(t, name, "old")
}

func TestErrorNames(t *testing.T) {
	name := filepath.Join(t.TempDir(), "state")
	f, err := Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	// Losing the descriptor makes the next write fail inside package os.
	f.out.Close()
	_, err = f.Write([]byte("x"))
	var pe *fs.PathError
	if !errors.As(err, &pe) || pe.Path != name {
		t.Errorf("the error names %v, want %s", err, name)
	}
	foreign := &fs.PathError{Op: "read", Path: "elsewhere", Err: fs.ErrInvalid}
	if err := f.named(foreign); err != error(foreign) {
		t.Errorf("another file's error became %v", err)
	}
}
