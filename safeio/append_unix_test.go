//go:build unix

package safeio

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func init() {
	stepFailures = append(stepFailures,
		syscall.EIO, syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS, syscall.EMFILE, syscall.EACCES)
	errands["limited-append"] = func(args []string) error {
		signal.Ignore(syscall.SIGXFSZ)
		limit := syscall.Rlimit{Cur: 50_000, Max: 50_000}
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
			return err
		}
		return Append(args[0], readContent(args[1]), 0o644)
	}
}

// TestAppendModes compares with what os.OpenFile leaves under the same umask.
func TestAppendModes(t *testing.T) {
	for _, umask := range []int{0, 0o022, 0o077} {
		for _, perm := range []fs.FileMode{0o600, 0o644, 0o666, 0o777} {
			for _, existing := range []fs.FileMode{0, 0o600, 0o664} {
				dir := t.TempDir()
				ours, theirs := filepath.Join(dir, "ours"), filepath.Join(dir, "theirs")
				if existing != 0 {
					mustWrite(t, ours, "old\n", existing)
					mustWrite(t, theirs, "old\n", existing)
				}
				before := syscall.Umask(umask)
				f, err1 := os.OpenFile(theirs, os.O_WRONLY|os.O_APPEND|os.O_CREATE, perm)
				err2 := Append(ours, []byte("new"), perm)
				syscall.Umask(before)
				if err1 != nil || err2 != nil {
					t.Fatal(err1, err2)
				}
				f.Close()
				if got, want := modeOf(t, ours), modeOf(t, theirs); got != want {
					t.Errorf("umask %#o, perm %v, existing %v: got %v, os.OpenFile %v", umask, perm, existing, got, want)
				}
			}
		}
	}
}

// TestPartialWrite meets the limit of a file's size in the middle of a record:
// the kernel writes up to it, and then says EFBIG.
func TestPartialWrite(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "log")
	mustAppend(t, name, "old")
	for range 2 {
		if got := reported(t, child(t, "limited-append", name, "x*60000")); !strings.Contains(got, "file too large") {
			t.Errorf("reported %q", got)
		}
		wantContent(t, name, "old\n")
	}
	if got := reported(t, child(t, "limited-append", name, "x*40000")); got != "nil" {
		t.Errorf("reported %q", got)
	}
	wantRecords(t, name, "old", string(readContent("x*40000")))
}

func TestAppendToFIFO(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "pipe")
	if err := exec.Command("mkfifo", name).Run(); err != nil {
		t.Skipf("cannot make a FIFO: %v", err)
	}
	read := make(chan []string)
	go func() { read <- recordsOf(t, name) }()
	w, err := os.OpenFile(name, os.O_WRONLY, 0) // keeps it open between the appends
	if err != nil {
		t.Fatal(err)
	}
	mustAppend(t, name, "one")
	mustAppend(t, name, "two")
	io.WriteString(w, "cut sh")
	w.Close()
	if got := strings.Join(<-read, ","); got != "one,two,torn 3 8 cut sh" {
		t.Errorf("the reader got %s", got)
	}
	wantOnly(t, dir, "pipe")
}

// TestAppendToStdout has standard output redirected to a file.
func TestAppendToStdout(t *testing.T) {
	const stdout = "/proc/self/fd/1"
	if _, err := os.Lstat(stdout); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	out, err := os.OpenFile(filepath.Join(dir, "out"), os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	cmd := child(t, "append", stdout, "x*10")
	cmd.Stdout = out
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	wantContent(t, out.Name(), "xxxxxxxxxx\nnil")
	wantOnly(t, dir, "out")
}

// TestAppendInUnwritableDirectory locks the log itself.
func TestAppendInUnwritableDirectory(t *testing.T) {
	dir := openDir(t)
	name := filepath.Join(dir, "log")
	mustWrite(t, name, "old\nto", 0o666)
	os.Chmod(dir, 0o755)
	if got := reported(t, asNobody(t, "append", name, "new")); got != "nil" {
		t.Errorf("reported %s", got)
	}
	wantOnly(t, dir, "log")
	wantRecords(t, name, "old", "torn 2 4 to", "new")
}

// unlockable are options under which no lock file can be made.
func unlockable(waiting chan<- bool) Options {
	first := true
	return Options{hook: func(step string) error {
		if step == "lock" && first {
			first = false
			return syscall.EACCES
		}
		if step == "lock" && waiting != nil {
			waiting <- true
		}
		return nil
	}}
}

// TestLogLockedItself holds the lock on the log that takes the place of one
// on its lock file.
func TestLogLockedItself(t *testing.T) {
	name := filepath.Join(t.TempDir(), "log")
	mustWrite(t, name, "old\n", 0o644)
	holder, err := os.OpenFile(name, os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer holder.Close()
	if err := tryLock(holder); err != nil {
		t.Skip(err)
	}
	io.WriteString(holder, "wri")
	waiting, done := make(chan bool), make(chan error)
	go func() { done <- unlockable(waiting).Append(name, []byte("new"), 0o644) }()
	select {
	case <-waiting:
	case err := <-done:
		t.Fatalf("did not lock the log: %v", err)
	}
	io.WriteString(holder, "tten\n")
	holder.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
	wantContent(t, name, "old\nwritten\nnew\n")

	// With a lock file there, others use that.
	mustWrite(t, lockPath(name), "", 0o644)
	if err := unlockable(nil).Append(name, []byte("x"), 0o644); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("got %v", err)
	}
	wantContent(t, name, "old\nwritten\nnew\n")
}

// TestNoNewFileInUnwritableDirectory has nothing to lock.
func TestNoNewFileInUnwritableDirectory(t *testing.T) {
	dir := openDir(t)
	os.Chmod(dir, 0o755)
	if got := reported(t, asNobody(t, "append", filepath.Join(dir, "log"), "new")); !strings.HasPrefix(got, "[permission]") {
		t.Errorf("reported %s", got)
	}
}

// TestAppendInUnreadableDirectory cannot be synced.
func TestAppendInUnreadableDirectory(t *testing.T) {
	dir := openDir(t)
	os.Chmod(dir, 0o733)
	name := filepath.Join(dir, "log")
	if got := reported(t, asNobody(t, "append", name, "new")); !strings.HasPrefix(got, "[published permission]") {
		t.Errorf("reported %s", got)
	}
	wantRecords(t, name, "new")
}

// TestTornTailForOtherReaders pins down what the documentation says of them.
func TestTornTailForOtherReaders(t *testing.T) {
	jq, err := exec.LookPath("jq")
	if err != nil {
		t.Skip("jq is not installed")
	}
	name := filepath.Join(t.TempDir(), "log")
	mustWrite(t, name, "{\"a\":1}\n{\"a\":2", 0o644)
	mustAppend(t, name, `{"a":3}`)
	out, err := exec.Command(jq, "-Rc", "fromjson? // empty", name).Output()
	if got := string(out); err != nil || got != "{\"a\":1}\n{\"a\":3}\n" {
		t.Errorf("jq made of it %q, %v", got, err)
	}
	if out, err := exec.Command(jq, "-c", ".", name).Output(); err == nil || !strings.HasPrefix(string(out), "{\"a\":1}\n") {
		t.Errorf("jq without -R says %q, %v", out, err)
	}
}
