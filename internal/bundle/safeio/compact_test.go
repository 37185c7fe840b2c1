package safeio

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "errand" {
		run(os.Args[2], os.Args[3])
		return
	}
	os.Exit(m.Run())
}

// The errands run on the main thread, which is the one that is traced.
func init() { runtime.LockOSThread() }

// run does an errand on a file and says with what error.
func run(errand, name string) {
	fmt.Println("begin")
	err := errands[errand](name)
	kind := "old"
	if err == nil || errors.Is(err, ErrPublished) {
		kind = "new"
	}
	fmt.Printf("end %s %v\n", kind, err)
}

// The content of the files of errands.
var (
	oldContent = strings.Repeat("old ", 3000)
	newContent = strings.Repeat("new content ", 2000)
)

// errands replace the content of a file by newContent, or do what they say.
var errands = map[string]func(name string) error{
	"WriteFile": func(name string) error { return WriteFile(name, []byte(newContent), 0o640) },
	"Create": func(name string) error {
		f, err := Create(name)
		if err != nil {
			return err
		}
		defer f.Close()
		for _, part := range []string{newContent[:9000], newContent[9000:]} {
			io.WriteString(f, part) // an encoder may drop the error
		}
		return f.Commit()
	},
	"Replace": func(name string) error {
		return Replace(name, func(name string) error { return os.WriteFile(name, []byte(newContent), 0o640) })
	},
	"Update": func(name string) error {
		return Update(name, 0o640, func([]byte) ([]byte, error) { return []byte(newContent), nil })
	},
	"NoSync": func(name string) error { return WriteFileNoSync(name, []byte(newContent), 0o640) },
	"Append": func(name string) error { return Append(name, []byte("record"), 0o640) },
	"hold": func(name string) error {
		if _, err := Lock(name); err != nil {
			return err
		}
		fmt.Println("held")
		io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
		return nil
	},
	"count": func(name string) error {
		for n := 0; n < 25; n++ {
			if err := count(name); err != nil {
				return err
			}
		}
		return nil
	},
}

// count adds one to the number in a file.
func count(name string) error {
	return Update(name, 0o640, func(old []byte) ([]byte, error) {
		n := 0
		if old != nil {
			var err error
			if n, err = strconv.Atoi(string(old)); err != nil {
				return nil, err
			}
		}
		return []byte(strconv.Itoa(n + 1)), nil
	})
}

// put makes a file of a new directory.
func put(t *testing.T, content string) (dir, name string) {
	t.Helper()
	dir = t.TempDir()
	name = filepath.Join(dir, "state")
	if err := os.WriteFile(name, []byte(content), 0o640); err != nil {
		t.Fatal(err)
	}
	return dir, name
}

// holds checks what a file holds.
func holds(t *testing.T, name, want string) {
	t.Helper()
	if got, err := os.ReadFile(name); err != nil || string(got) != want {
		t.Errorf("%s: %v, %d bytes %.40q", name, err, len(got), got)
	}
}

// list are the names in a directory.
func list(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// TestCommit: the new content is nowhere to be seen before Commit but in a hidden file of a random name; Close discards
// it.
func TestCommit(t *testing.T) {
	dir, name := put(t, "old")
	f, err := Create(name)
	if err != nil {
		t.Fatal(err)
	}
	other, err := Create(name)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(f, "new")
	io.WriteString(other, "another")
	holds(t, name, "old")
	names := list(t, dir)
	for _, n := range names[:len(names)-1] {
		if !strings.HasPrefix(n, ".state.") || !strings.HasSuffix(n, ".tmp") || len(n) < len(".state.0123456789.tmp") {
			t.Errorf("a temporary file is named %s", n)
		}
	}
	if len(names) != 3 || names[0] == names[1] {
		t.Errorf("there are %q", names)
	}
	if err := other.Close(); !errors.Is(err, ErrDiscarded) {
		t.Errorf("Close says %v", err)
	}
	if err := other.Commit(); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("Commit after Close says %v", err)
	}
	if err := f.Commit(); err != nil || f.Commit() != nil || f.Close() != nil {
		t.Errorf("Commit says %v", err)
	}
	if _, err := f.Write([]byte("more")); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("Write after Commit says %v", err)
	}
	holds(t, name, "new")
	if names := list(t, dir); len(names) != 1 {
		t.Errorf("%q are left", names)
	}
}

// TestFile: seeking, reading from and the mode are as those of os.File, and an error of a reader keeps the old content.
func TestFile(t *testing.T) {
	_, name := put(t, "old")
	f, err := CreatePerm(name, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	f.ReadFrom(strings.NewReader("0123456"))
	f.Seek(2, io.SeekStart)
	f.WriteString("xx")
	info, err := f.Stat()
	if err != nil || info.Size() != 7 || f.Name() != name || f.Sync() != nil || f.Chmod(0o604) != nil || f.Commit() != nil {
		t.Error(err)
	}
	holds(t, name, "01xx456")
	if info, err := os.Stat(name); err != nil || runtime.GOOS != "windows" && info.Mode() != 0o604 {
		t.Errorf("%v, mode %v", err, info.Mode())
	}
	if f, err = Create(name); err != nil {
		t.Fatal(err)
	}
	f.ReadFrom(io.MultiReader(strings.NewReader("part"), failing{}))
	if err := f.Commit(); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("Commit says %v", err)
	}
	holds(t, name, "01xx456")
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// TestNames writes under each name as os.WriteFile does: with the same files after it, or the same error.
func TestNames(t *testing.T) {
	furnish := func() string {
		dir := t.TempDir()
		for link, to := range map[string]string{
			"link": "old", "dangling": "sub/made", "chain": "dangling", "loop": "loop", "dir": "sub", "abs": filepath.Join(dir, "sub", "abs"),
		} {
			if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
				t.Skip(err)
			}
		}
		if err := os.Mkdir(filepath.Join(dir, "sub"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "old"), []byte("old"), 0o604); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	tree := func(dir string) string {
		var all strings.Builder
		filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			rel, _ := filepath.Rel(dir, path)
			if path != dir && err == nil {
				data, _ := os.ReadFile(path)
				info, _ := e.Info()
				fmt.Fprintln(&all, rel, info.Mode(), string(data))
			}
			return err
		})
		return all.String()
	}
	for _, name := range []string{
		"a", "", ".", "a/", "a/b", "sub/b", "sub", "sub/../c", " a ", "é", "a\x00b", ".hidden", "old", "link", "dangling", "chain", "loop",
		"dir", "dir/x", "abs", strings.Repeat("n", 255), strings.Repeat("é", 127), strings.Repeat("n", 256),
	} {
		plain, safe := furnish(), furnish()
		want := os.WriteFile(plain+string(filepath.Separator)+name, []byte("new"), 0o644)
		got := WriteFile(safe+string(filepath.Separator)+name, []byte("new"), 0o644)
		var path *fs.PathError
		if (got == nil) != (want == nil) || want != nil && errors.As(want, &path) && !errors.Is(got, path.Err) {
			t.Errorf("%q: %v, package os says %v", name, got, want)
		}
		if a, b := tree(plain), tree(safe); a != b {
			t.Errorf("%q: package os leaves\n%s\nthis\n%s", name, a, b)
		}
	}
}

// TestReplace: the function gets a name with the same last element, its mode is that of a new file, and if it fails or
// writes nothing the old content stays.
func TestReplace(t *testing.T) {
	dir, name := put(t, "old")
	failed := errors.New("failed")
	if err := Replace(name, func(temp string) error { return failed }); err != failed {
		t.Error(err)
	}
	if err := Replace(name, func(string) error { return nil }); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	holds(t, name, "old")
	fresh := filepath.Join(dir, "fresh.json")
	err := Replace(fresh, func(temp string) error {
		if filepath.Base(temp) != "fresh.json" || temp == fresh {
			t.Errorf("it is to save to %s", temp)
		}
		return os.WriteFile(temp, []byte("new"), 0o600)
	})
	holds(t, fresh, "new")
	if info, _ := os.Stat(fresh); err != nil || runtime.GOOS != "windows" && info.Mode() != 0o600 {
		t.Errorf("%v, mode %v", err, info.Mode())
	}
}

// TestLock: locks exclude each other but for those for reading, are given up when the context says so, and a lock file
// that was removed is noticed.
func TestLock(t *testing.T) {
	dir, name := put(t, "old")
	h, err := Lock(name)
	if err != nil {
		t.Skip(err)
	}
	for _, try := range []func(string) (*Held, error){TryLock, TryRLock} {
		if _, err := try(name); !errors.Is(err, ErrLocked) {
			t.Errorf("a second lock: %v", err)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Millisecond)
	defer cancel()
	if _, err := LockContext(ctx, name); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("it waits: %v", err)
	}
	if got := list(t, dir); len(got) != 2 || got[0] != ".safeio-state.lock" {
		t.Errorf("there are %q", got)
	}
	if err := h.Unlock(); err != nil || !errors.Is(h.Unlock(), fs.ErrClosed) || h.Name() != name {
		t.Errorf("Unlock: %v", err)
	}
	r1, err1 := RLock(name)
	r2, err2 := TryRLock(name)
	if _, err := TryLock(name); err1 != nil || err2 != nil || !errors.Is(err, ErrLocked) {
		t.Fatal(err1, err2, err)
	}
	got := make(chan *Held)
	go func() {
		h, err := Lock(name)
		if err != nil {
			t.Error(err)
		}
		got <- h
	}()
	if runtime.GOOS != "windows" { // which keeps it as long as it is open
		os.Remove(filepath.Join(dir, ".safeio-state.lock"))
		h = <-got // of its successor
		r1.Unlock()
		r2.Unlock()
	} else {
		r1.Unlock()
		r2.Unlock()
		h = <-got
	}
	if _, err := TryLock(name); !errors.Is(err, ErrLocked) {
		t.Errorf("two have the lock: %v", err)
	}
	h.Unlock()
}

// TestUpdate: no change is lost, one that fails or changes nothing writes nothing.
func TestUpdate(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "n")
	var all sync.WaitGroup
	for n := 0; n < 8; n++ {
		all.Add(1)
		go func() {
			defer all.Done()
			if err := errands["count"](name); err != nil {
				t.Error(err)
			}
		}()
	}
	all.Wait()
	holds(t, name, "200")
	before, _ := os.Stat(name)
	failed := errors.New("failed")
	if err := Update(name, 0o600, func([]byte) ([]byte, error) { return []byte("x"), failed }); err != failed {
		t.Error(err)
	}
	if err := Update(name, 0o600, func(old []byte) ([]byte, error) { return old, nil }); err != nil {
		t.Error(err)
	}
	if after, _ := os.Stat(name); !os.SameFile(before, after) {
		t.Error("it is written for nothing")
	}
	if err := Update(name, 0o600, func([]byte) ([]byte, error) { return nil, nil }); err != nil {
		t.Error(err)
	}
	holds(t, name, "")
	err := Update(name, 0o600, func(old []byte) ([]byte, error) {
		if old == nil {
			t.Error("an empty file is taken for none")
		}
		return []byte("new"), nil
	})
	if err != nil || !errors.Is(Update(dir, 0o600, nil), fs.ErrInvalid) && Update(dir, 0o600, nil) == nil {
		t.Error(err)
	}
	holds(t, name, "new")
}

// TestAppend: records are lines, whole and none lost; a torn one is ended.
func TestAppend(t *testing.T) {
	name := filepath.Join(t.TempDir(), "log")
	var all sync.WaitGroup
	for n := 0; n < 8; n++ {
		all.Add(1)
		go func() {
			defer all.Done()
			for i := 0; i < 20; i++ {
				if err := Append(name, []byte(`{"text":"`+strings.Repeat("x", 300)+`"}`), 0o600); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	all.Wait()
	data, err := os.ReadFile(name)
	if lines := bytes.Split(data, []byte("\n")); err != nil || len(lines) != 161 || !json.Valid(lines[0]) || !json.Valid(lines[159]) {
		t.Errorf("%v, %d lines", err, len(lines))
	}
	for before, after := range map[string]string{
		"":                               "rec\n",
		"a\n":                            "a\nrec\n",
		"a\ntor":                         "a\ntor\x18\nrec\n",
		"a\n{\"a\":1}":                   "a\n{\"a\":1}\nrec\n",
		"a\n{\"a\":1":                    "a\n{\"a\":1\x18\nrec\n",
		"12":                             "12\x18\nrec\n",
		"\n":                             "\nrec\n",
		"x" + strings.Repeat("y", 1<<20): "x" + strings.Repeat("y", 1<<20) + "\x18\nrec\n",
	} {
		_, name := put(t, before)
		if err := Append(name, []byte("rec"), 0o600); err != nil {
			t.Error(err)
		}
		holds(t, name, after)
	}
	_, name = put(t, "a\n")
	for _, bad := range []string{"two\nlines", "torn\x18"} {
		if err := Append(name, []byte(bad), 0o600); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	holds(t, name, "a\n")
}
