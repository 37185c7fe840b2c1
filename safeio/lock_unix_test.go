//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package safeio

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
)

func init() {
	errands["lock"] = func(args []string) error {
		h, err := Lock(args[0])
		if err != nil {
			return err
		}
		return h.Unlock()
	}
	errands["lock-crowd"] = func(args []string) error { return crowd(args[0]) }
}

// bareLock is what a program does that knows flock, but not this package.
func bareLock(t *testing.T, name string, how int) (fd int, err error) {
	t.Helper()
	fd, err = syscall.Open(name, syscall.O_RDWR|syscall.O_CREAT|syscall.O_CLOEXEC, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	if err = syscall.Flock(fd, how|syscall.LOCK_NB); err != nil {
		syscall.Close(fd)
	}
	return fd, err
}

func TestOtherProgramsTakePart(t *testing.T) {
	name := filepath.Join(t.TempDir(), "state")
	fd, err := bareLock(t, lockPath(name), syscall.LOCK_EX)
	if err != nil {
		t.Fatal(err)
	}
	if h, err := TryLock(name); !errors.Is(err, ErrLocked) {
		t.Errorf("they have it: %v, %v", h, err)
	}
	syscall.Close(fd)
	h := mustLock(t, name)
	if _, err := bareLock(t, lockPath(name), syscall.LOCK_SH); err != syscall.EWOULDBLOCK {
		t.Errorf("we have it: %v", err)
	}
	mustUnlock(t, h, nil)
	h, err = RLock(name)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Unlock()
	if fd, err = bareLock(t, lockPath(name), syscall.LOCK_SH); err != nil {
		t.Errorf("we read: %v", err)
	}
	syscall.Close(fd)
}

// TestUnlockWithAForkedChild: a child between fork and exec has the
// descriptor too, and closing ours would not let go.
func TestUnlockWithAForkedChild(t *testing.T) {
	name := lockName(t)
	h := mustLock(t, name)
	if flags, _, _ := syscall.Syscall(syscall.SYS_FCNTL, uintptr(h.file.fd), syscall.F_GETFD, 0); flags&syscall.FD_CLOEXEC == 0 {
		t.Error("a program that is executed would get the descriptor")
	}
	theirs, err := syscall.Dup(h.file.fd)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(theirs)
	mustUnlock(t, h, nil)
	h, err = TryLock(name)
	mustUnlock(t, h, err)
}

// TestCrowdOfWaiters: those that wait have nothing open.
func TestCrowdOfWaiters(t *testing.T) {
	name := lockName(t)
	other := otherHolds(t, "hold", name)
	crowd := startHolder(t, "lock-crowd", name)
	crowd.says(t, "waiting")
	other.letGo(t)
	crowd.letGo(t)
}

// crowd waits with many goroutines and few descriptors.
func crowd(name string) error {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return err
	}
	limit.Cur = 64
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return err
	}
	const many = 10000
	var group waitGroup
	errs := make([]error, many)
	for i := range many {
		lock := Lock
		if i%5 == 0 {
			lock = RLock // few: readers have the file open together
		}
		group.Go(func() {
			h, err := lock(name)
			if err == nil {
				err = h.Unlock()
			}
			errs[i] = err
		})
	}
	for waitersOf(name) < many-1 {
		runtime.Gosched()
		if err := errors.Join(errs...); err != nil {
			return err
		}
	}
	fmt.Println("waiting")
	group.Wait()
	return errors.Join(errs...)
}

func TestNoLocksHere(t *testing.T) {
	for _, refusal := range []error{syscall.ENOLCK, syscall.ENOTSUP, syscall.EINVAL, syscall.ENOSYS} {
		name := lockName(t)
		o := Options{hook: func(step string) error {
			if step == "lock.flock" {
				return refusal
			}
			return nil
		}}
		for _, err := range []error{second(o.lock(context.Background(), name, exclusive)), second(o.tryLock(name, shared))} {
			var pe *fs.PathError
			if !errors.Is(err, errors.ErrUnsupported) || !errors.Is(err, refusal) || !errors.As(err, &pe) || pe.Path != name {
				t.Errorf("%v: %v", refusal, err)
			}
		}
	}
	wantIdle(t)
}

func second(_ *Held, err error) error { return err }

// TestFailedLocks lets each step of many kinds of locking fail in turn. A
// failure is reported, and what failed leaves nothing behind and nobody
// waiting; an interrupted step is done again.
func TestFailedLocks(t *testing.T) {
	free := func(t *testing.T, name string) func() { return func() {} }
	held := func(t *testing.T, name string) func() {
		h := mustLock(t, name)
		return func() { h.Unlock() }
	}
	elsewhere := func(t *testing.T, name string) func() {
		fd, err := bareLock(t, lockPath(name), syscall.LOCK_EX)
		if err != nil {
			t.Fatal(err)
		}
		return func() { syscall.Close(fd) }
	}
	background := context.Background()
	cancellable, cancel := context.WithCancel(background)
	defer cancel()
	for _, test := range []struct {
		what  string
		hold  func(t *testing.T, name string) (letGo func())
		ctx   context.Context
		mode  lockMode
		fresh bool // no lock file yet
		steps int  // at least
	}{
		{"free", free, background, exclusive, false, 7},
		{"new", free, background, exclusive, true, 8},
		{"shared", free, cancellable, shared, false, 7},
		{"in the queue", held, background, exclusive, false, 9},
		{"in the queue, cancellable", held, cancellable, shared, false, 9},
		{"another process", elsewhere, background, exclusive, false, 9},
		{"another process, cancellable", elsewhere, cancellable, exclusive, false, 9},
	} {
		for _, fault := range []error{syscall.EIO, syscall.EMFILE, syscall.ENOLCK, syscall.EINTR} {
			n := 1
			for failAt(t, test.what, test.hold, test.ctx, test.mode, test.fresh, fault, n) {
				n++
			}
			if n <= test.steps {
				t.Errorf("%s: only %d steps", test.what, n-1)
			}
		}
	}
}

// failAt has the n-th step fail, if there is one.
func failAt(
	t *testing.T,
	what string,
	hold func(*testing.T, string) func(),
	ctx context.Context,
	mode lockMode,
	fresh bool,
	fault error,
	n int,
) bool {
	t.Helper()
	name := lockName(t)
	if fresh {
		os.Remove(lockPath(name))
	}
	goroutines, files := runtime.NumGoroutine(), openFiles(t)
	letGo := hold(t, name)
	var mutex sync.Mutex
	count, failed := 0, ""
	o := Options{hook: func(step string) error {
		mutex.Lock()
		defer mutex.Unlock()
		if count++; count == n {
			failed = step
			return fault
		}
		return nil
	}}
	done := make(chan error)
	go func() {
		h, err := o.lock(ctx, name, mode)
		if err == nil {
			err = h.Unlock()
		}
		done <- err
	}()
	var err error
	ended := false
	eventually(t, what+": waiting or failed", func() bool {
		select {
		case err = <-done:
			ended = true
		default:
		}
		return ended || waitersOf(name) == 1 || isStuck(name)
	})
	letGo()
	if !ended {
		err = <-done
	}
	mutex.Lock()
	defer mutex.Unlock()
	var pe *fs.PathError
	switch {
	case failed == "" || fault == syscall.EINTR && failed != "lock.close":
		if err != nil {
			t.Errorf("%s, %s: %v", what, failed, err)
		}
	case !errors.Is(err, fault) || !errors.As(err, &pe) || pe.Path != name:
		t.Errorf("%s: %s failed with %v, but %v", what, failed, fault, err)
	}
	where := fmt.Sprintf("%s, %s failed with %v: ", what, failed, fault)
	eventually(t, where+"nothing is left", func() bool {
		return runtime.NumGoroutine() <= goroutines && openFiles(t) <= files
	})
	h, err := TryLock(name)
	if err != nil {
		t.Errorf("%s%v", where, err)
		return failed != ""
	}
	mustUnlock(t, h, nil)
	wantIdle(t)
	return failed != ""
}

// TestLockFileMode: all who may write the file may lock it, and nobody else.
func TestLockFileMode(t *testing.T) {
	for _, test := range []struct{ file, umask, want fs.FileMode }{
		{0o600, 0o022, 0o600},
		{0o640, 0o077, 0o600},
		{0o664, 0o077, 0o660},
		{0o666, 0o022, 0o666},
		{0o622, 0, 0o666},
		{0o755, 0o022, 0o600},
		{0o444, 0o022, 0o600},
		{0, 0o022, 0o600}, // none
		{0, 0o002, 0o660},
		{0, 0, 0o666},
	} {
		name := filepath.Join(t.TempDir(), "state")
		if test.file != 0 {
			mustWrite(t, name, "", test.file)
		}
		before := syscall.Umask(int(test.umask))
		mustUnlock(t, mustLock(t, name), nil)
		syscall.Umask(before)
		if got := modeOf(t, lockPath(name)); got != test.want {
			t.Errorf("file %v, umask %v: lock file %v, want %v", test.file, test.umask, got, test.want)
		}
	}
}

// TestLockFileName: the lock file is hidden, is none that others use, and is that of the
// file to which a link leads.
func TestLockFileName(t *testing.T) {
	dir := t.TempDir()
	mustWrite(t, filepath.Join(dir, "Gemfile"), "", 0o644)
	mustWrite(t, filepath.Join(dir, "Gemfile.lock"), "pinned", 0o644)
	symlink(t, "Gemfile", filepath.Join(dir, "link"))
	for _, name := range []string{"Gemfile", "link"} {
		mustUnlock(t, mustLock(t, filepath.Join(dir, name)), nil)
		wantOnly(t, dir, "Gemfile", "Gemfile.lock", "link", ".safeio-Gemfile.lock")
	}
	wantContent(t, filepath.Join(dir, ".safeio-Gemfile.lock"), "")
	wantContent(t, filepath.Join(dir, "Gemfile.lock"), "pinned")
}

func TestRootLocksForOthers(t *testing.T) {
	needRoot(t, "chown")
	name := filepath.Join(openDir(t), "state")
	mustWrite(t, name, "", 0o600)
	if err := os.Chown(name, nobody, club); err != nil {
		t.Fatal(err)
	}
	mustUnlock(t, mustLock(t, name), nil)
	if st := inode(t, lockPath(name)); st.Uid != nobody || st.Gid != club {
		t.Errorf("the lock file belongs to %d:%d", st.Uid, st.Gid)
	}
	if got := reported(t, asNobody(t, "lock", name)); got != "nil" {
		t.Errorf("its owner: %s", got)
	}
}

// TestLockAsNobody locks without privilege.
func TestLockAsNobody(t *testing.T) {
	for _, test := range []struct {
		what     string
		lockFile fs.FileMode // 0: none
		dirMode  fs.FileMode
		errand   string
		want     string
	}{
		{"another's lock file, to be read", 0o644, 0o777, "lock", "nil"},
		{"another's lock file, private", 0o600, 0o777, "lock", "[permission]"},
		{"directory not writable", 0o644, 0o755, "lock", "nil"},
		{"no lock file, directory not writable", 0, 0o755, "lock", "[permission]"},
		{"no lock file, another's file", 0, 0o777, "lock", "nil"},
	} {
		dir := openDir(t)
		name := filepath.Join(dir, "state")
		mustWrite(t, name, "", 0o600)
		if test.lockFile != 0 {
			mustWrite(t, lockPath(name), "", test.lockFile)
		}
		os.Chmod(dir, test.dirMode)
		if got := reported(t, asNobody(t, test.errand, name)); !strings.HasPrefix(got, test.want) {
			t.Errorf("%s: %s, want %s", test.what, got, test.want)
		}
		if test.lockFile == 0 && test.want == "nil" {
			if got := modeOf(t, lockPath(name)); got != 0o666 {
				t.Errorf("%s: its owner might be shut out by mode %v", test.what, got)
			}
		}
	}
}

// TestPipeForALockFile: opening it for reading would wait for a writer.
func TestPipeForALockFile(t *testing.T) {
	name := filepath.Join(openDir(t), "state")
	if err := exec.Command("mkfifo", "-m", "644", lockPath(name)).Run(); err != nil {
		t.Skipf("cannot make a FIFO: %v", err)
	}
	if got := reported(t, asNobody(t, "lock", name)); got != "nil" {
		t.Error(got)
	}
}
