package safeio

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestWriteReader(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "state")
	if err := WriteReader(name, strings.NewReader("one"), 0o600); err != nil {
		t.Error(err)
	}
	wantContent(t, name, "one")
	broken := errors.New("broken")
	err := WriteReader(name, io.MultiReader(strings.NewReader("tw"), readerFunc(func([]byte) (int, error) { return 0, broken })), 0o600)
	if !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	wantContent(t, name, "one")
	wantOnly(t, dir, "state")
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func TestSymlink(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "link")
	symlink(t, "nowhere", name) // skips where there are none
	for _, to := range []string{"a", "b", "no/where"} {
		if err := Symlink(to, name); err != nil {
			t.Fatal(err)
		}
		if got, err := os.Readlink(name); err != nil || got != to {
			t.Errorf("links to %q, %v, want %q", got, err, to)
		}
	}
	file := filepath.Join(dir, "file")
	mustWrite(t, file, "mine", 0o644)
	for _, taken := range []string{file, dir} {
		var le *os.LinkError
		if err := Symlink("a", taken); !errors.Is(err, fs.ErrExist) || !errors.As(err, &le) {
			t.Errorf("over %s: %v", taken, err)
		}
	}
	wantContent(t, file, "mine")
	wantOnly(t, dir, "file", "link")

	for _, failure := range stepFailures {
		for _, step := range []string{"opendir", "create", "rename", "syncdir"} {
			err := failing(step, failure).Symlink("new", name)
			if !errors.Is(err, failure) || errors.Is(err, ErrPublished) != (step == "syncdir") {
				t.Errorf("%s fails: %v", step, err)
			}
			got, _ := os.Readlink(name)
			if want := map[bool]string{true: "new", false: "no/where"}[step == "syncdir"]; got != want {
				t.Errorf("%s fails: links to %q, want %q", step, got, want)
			}
			wantOnly(t, dir, "file", "link")
		}
		if err := Symlink("no/where", name); err != nil {
			t.Error(err)
		}
	}
}

func TestFileReadAtTruncateChown(t *testing.T) {
	name := filepath.Join(t.TempDir(), "state")
	mustWrite(t, name, "old", 0o640)
	f, err := Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	piece := make([]byte, 3)
	_, err1 := f.WriteString("the new content")
	_, err2 := f.ReadAt(piece, 4)
	err = errors.Join(err1, err2, f.Truncate(7), f.Chown(-1, -1), f.Commit())
	if err != nil || string(piece) != "new" {
		t.Errorf("%q, %v", piece, err)
	}
	wantContent(t, name, "the new")
	_, read := f.ReadAt(piece, 0)
	for _, err := range []error{read, f.Truncate(0), f.Chown(-1, -1)} {
		if !errors.Is(err, fs.ErrClosed) {
			t.Errorf("after Commit: %v", err)
		}
	}
}

func TestView(t *testing.T) {
	needLocks(t)
	needContexts(t)
	name := filepath.Join(t.TempDir(), "state")
	look := func(want string, is bool) func([]byte) error {
		return func(content []byte) error {
			if string(content) != want || (content != nil) != is {
				t.Errorf("content %q, want %q", content, want)
			}
			return View(name, func([]byte) error { return io.EOF }) // others may look
		}
	}
	if err := View(name, look("", false)); err != io.EOF {
		t.Error(err)
	}
	mustWrite(t, name, "", 0o600)
	if err := View(name, look("", true)); err != io.EOF {
		t.Error(err)
	}
	err := View(name, func([]byte) error {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		defer cancel()
		return UpdateContext(ctx, name, 0o600, result("new"))
	})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("an Update meanwhile: %v", err)
	}
	wantContent(t, name, "")
	if err := View(filepath.Dir(name), look("", false)); err == nil {
		t.Error("a directory was read")
	}
}

// TestStateWith: a State and UpdateJSON go by their options.
func TestStateWith(t *testing.T) {
	needLocks(t)
	name := filepath.Join(t.TempDir(), "state")
	o := Options{LockFile: filepath.Join(filepath.Dir(name), "theirs")}
	add := func(n *int) error { *n++; return nil }
	s := NewStateWith[int](o, name, 0o600)
	err := errors.Join(s.Update(context.Background(), add), UpdateJSONWith(context.Background(), o, name, 0o600, add))
	if n, unread := s.Get(); n != 2 || unread != nil || err != nil {
		t.Errorf("%d, %v, %v", n, unread, err)
	}
	wantOnly(t, filepath.Dir(name), "state", "theirs")
}
