package safeio

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
)

func TestNothingIsSeenBeforeCommit(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "state")
	f, err := Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("new"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("before Commit: %v", err)
	}
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	wantContent(t, name, "new")
	wantOnly(t, dir, "state")
}

func TestCloseWithoutCommitDiscards(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "state")
	mustWrite(t, name, "old", 0o644)
	f, err := Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(f, "new"); err != nil {
		t.Fatal(err)
	}
	// A helper that has got an io.WriteCloser and ends with "return w.Close()" says so.
	var pe *fs.PathError
	if err := f.Close(); !errors.Is(err, ErrDiscarded) || !errors.As(err, &pe) || pe.Path != name {
		t.Errorf("Close: %v", err)
	}
	if err := f.Close(); err != nil {
		t.Errorf("Close once more: %v", err)
	}
	wantContent(t, name, "old")
	wantOnly(t, dir, "state")
}

func TestFirstCommitSettles(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "state")
	f, err := Create(name)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString("first")
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	mustWrite(t, name, "someone else's", 0o644)
	if err := f.Commit(); err != nil {
		t.Errorf("second Commit: %v", err)
	}
	if err := f.Close(); err != nil {
		t.Errorf("Close after Commit: %v", err)
	}
	wantContent(t, name, "someone else's")
}

func TestFailedCommitSettles(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "state")
	mustWrite(t, name, "old", 0o644)
	failure := errors.New("no such luck")
	syncs := 0
	o := Options{hook: func(step string) error {
		if step == "sync" {
			syncs++
			return failure
		}
		return nil
	}}
	f, err := o.Create(name, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString("new")
	for range 2 {
		if err := f.Commit(); !errors.Is(err, failure) {
			t.Errorf("Commit: %v", err)
		}
	}
	if err := f.Close(); err != nil {
		t.Errorf("Close after failed Commit: %v", err)
	}
	if syncs != 1 {
		t.Errorf("synced %d times", syncs)
	}
	wantContent(t, name, "old")
	wantOnly(t, dir, "state")
}

// TestFailureIsKept has callers that ignore what File told them.
func TestFailureIsKept(t *testing.T) {
	failure := errors.New("no such luck")
	once := func(step string) Options {
		failed := false
		return Options{hook: func(s string) error {
			if s == step && !failed {
				failed = true
				return failure
			}
			return nil
		}}
	}
	for _, test := range []struct {
		name string
		opts Options
		do   func(f *File)
	}{
		{"Write", once("write"), func(f *File) { f.Write([]byte("new")); f.Write([]byte("more")) }},
		{"WriteString", once("write"), func(f *File) { f.WriteString("new") }},
		{"Sync", once("sync"), func(f *File) { f.WriteString("new"); f.Sync() }},
		{"ReadFrom", Options{}, func(f *File) { io.Copy(f, iotest.ErrReader(failure)) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			name := filepath.Join(dir, "state")
			mustWrite(t, name, "old", 0o644)
			f, err := test.opts.Create(name, 0o644)
			if err != nil {
				t.Fatal(err)
			}
			test.do(f)
			if err := f.Commit(); !errors.Is(err, failure) {
				t.Errorf("Commit: %v", err)
			}
			wantContent(t, name, "old")
			wantOnly(t, dir, "state")
		})
	}
}

func TestSettledFileRefuses(t *testing.T) {
	name := filepath.Join(t.TempDir(), "state")
	for _, settle := range []func(*File) error{(*File).Commit, (*File).Close} {
		f, err := Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := settle(f); err != nil && !errors.Is(err, ErrDiscarded) {
			t.Fatal(err)
		}
		_, write := f.Write([]byte("x"))
		_, writeString := f.WriteString("x")
		_, readFrom := f.ReadFrom(strings.NewReader("x"))
		_, seek := f.Seek(0, io.SeekStart)
		_, stat := f.Stat()
		for _, err := range []error{write, writeString, readFrom, seek, stat, f.Chmod(0o600), f.Sync()} {
			var pe *fs.PathError
			if !errors.As(err, &pe) || pe.Path != name || !errors.Is(err, fs.ErrClosed) {
				t.Errorf("got %v, want a PathError with ErrClosed", err)
			}
		}
	}
	f, err := Create(name)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	if err := f.Commit(); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("Commit after Close: %v", err)
	}
	if err := f.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
}

// TestLikeAnOSFile uses what code that had an *os.File may use.
func TestLikeAnOSFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "state")
	f, err := Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if f.Name() != name {
		t.Errorf("Name() = %q, want %q", f.Name(), name)
	}
	if n, err := io.Copy(f, io.LimitReader(strings.NewReader("0000 and the body, cut"), 17)); n != 17 || err != nil {
		t.Fatalf("Copy: %d, %v", n, err)
	}
	if at, err := f.Seek(0, io.SeekStart); at != 0 || err != nil {
		t.Fatalf("Seek: %d, %v", at, err)
	}
	if n, err := f.Write([]byte("head")); n != 4 || err != nil {
		t.Fatalf("Write: %d, %v", n, err)
	}
	if info, err := f.Stat(); err != nil || info.Size() != 17 {
		t.Errorf("Stat: %v, %v", info, err)
	}
	if err := f.Sync(); err != nil {
		t.Errorf("Sync: %v", err)
	}
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	wantContent(t, name, "head and the body")
}

// TestTemporary looks at the temporary while it lives.
func TestTemporary(t *testing.T) {
	dir := t.TempDir()
	// The longest name that file systems commonly allow.
	name := filepath.Join(dir, strings.Repeat("n", 255))
	f, err := Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	temps := others(t, dir)
	if len(temps) != 1 || !strings.HasPrefix(temps[0], ".safeio-") || !strings.HasSuffix(temps[0], ".tmp") {
		t.Fatalf("the directory holds %q, want one hidden temporary", temps)
	}
	second, err := os.OpenFile(filepath.Join(dir, temps[0]), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := tryLock(second); !errors.Is(err, errLocked) && !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("locking the temporary of a living writer: %v", err)
	}
	second.Close()
	g, err := Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	if temps := others(t, dir); len(temps) != 2 {
		t.Errorf("two writers have the temporaries %q", temps)
	}
	if err := f.Commit(); err != nil {
		t.Error(err)
	}
	wantContent(t, name, "")
	free, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer free.Close()
	if err := tryLock(free); errors.Is(err, errLocked) {
		t.Error("the target is still locked after Commit")
	}
}

// TestClaim has a Sweep get hold of a temporary before its writer has locked it.
func TestClaim(t *testing.T) {
	name := filepath.Join(t.TempDir(), tempPrefix+"1"+tempSuffix)
	f, err := createTemp(directory{}, name, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	sweep, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer sweep.Close()
	if err := tryLock(sweep); err != nil {
		t.Skipf("no locks here: %v", err)
	}
	if _, err := claim(f); !errors.Is(err, errLocked) {
		t.Errorf("while a Sweep has it: %v", err)
	}
	if _, err := createTemp(directory{}, name, 0o600); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a name that is taken: %v", err)
	}
}
