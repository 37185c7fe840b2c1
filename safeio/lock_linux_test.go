package safeio

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

func init() {
	errands["lock-append"] = func(args []string) error {
		h, err := Lock(args[0])
		if err != nil {
			return err
		}
		before, err := os.ReadFile(args[0])
		if err != nil {
			return err
		}
		if err := os.WriteFile(args[0], append(before, "child "...), 0o644); err != nil {
			return err
		}
		return h.Unlock()
	}
}

// lockedLines are the lines of /proc/locks for the lock file of name, with the
// spaces between words made one.
func lockedLines(t *testing.T, name string) []string {
	t.Helper()
	suffix := fmt.Sprintf(":%d ", inode(t, lockPath(name)).Ino)
	var found []string
	for _, line := range strings.SplitAfter(mustRead(t, "/proc/locks"), "\n") {
		if line = strings.Join(strings.Fields(line), " "); strings.Contains(line, suffix) {
			found = append(found, line)
		}
	}
	return found
}

// wantKernelWaits waits until n processes wait for locks of that kind on the
// lock file of name: FLOCK, or OFDLCK for those before the turnstile.
func wantKernelWaits(t *testing.T, name, kind string, n int) {
	t.Helper()
	eventually(t, fmt.Sprint(n, " wait for ", kind), func() bool {
		return strings.Count(strings.Join(lockedLines(t, name), "\n"), "-> "+kind) == n
	})
}

// TestNoBargingBetweenProcesses lets go while other processes wait, one for
// the lock and one at the turnstile, and locks again at once.
func TestNoBargingBetweenProcesses(t *testing.T) {
	name := lockName(t)
	for i := range 20 {
		mustWrite(t, name, "", 0o644)
		h := mustLock(t, name)
		first := startHolder(t, "lock-append", name)
		wantKernelWaits(t, name, "FLOCK", 1)
		second := startHolder(t, "lock-append", name)
		wantKernelWaits(t, name, "OFDLCK", 1)
		mustUnlock(t, h, nil)
		h = mustLock(t, name)
		if got := mustRead(t, name); got != "child child " {
			t.Fatalf("round %d: overtook a process that was waiting; before came %q", i, got)
		}
		mustUnlock(t, h, nil)
		first.letGo(t)
		second.letGo(t)
	}
}

// TestCancelledAtTheTurnstile: a wait that was given up there ends there.
func TestCancelledAtTheTurnstile(t *testing.T) {
	name := lockName(t)
	goroutines, files := runtime.NumGoroutine(), openFiles(t)
	first := otherHolds(t, "hold", name)
	second := startHolder(t, "hold", name)
	wantKernelWaits(t, name, "FLOCK", 1)
	open := openFiles(t) - files
	ctx, cancel := context.WithCancelCause(context.Background())
	done := make(chan bool)
	go func() {
		h, err := LockContext(ctx, name)
		wantCancelled(t, h, err, name)
		done <- true
	}()
	wantKernelWaits(t, name, "OFDLCK", 1)
	cancel(errWhy)
	<-done
	first.letGo(t)
	second.says(t, "held")
	eventually(t, "nothing left while another has the lock", func() bool {
		return runtime.NumGoroutine() <= goroutines && openFiles(t) <= files+open
	})
	second.letGo(t)
	wantIdle(t)
}

// TestWaitingWriterIsNotOvertaken by readers of other processes that come
// later.
func TestWaitingWriterIsNotOvertaken(t *testing.T) {
	name := lockName(t)
	mustWrite(t, name, "", 0o644)
	first, err := RLock(name)
	if err != nil {
		t.Fatal(err)
	}
	writer := startHolder(t, "lock-append", name)
	wantKernelWaits(t, name, "FLOCK", 1)
	seen := make(chan string)
	go func() {
		h, err := RLock(name)
		if err != nil {
			t.Error(err)
		}
		seen <- mustRead(t, name)
		h.Unlock()
	}()
	eventually(t, "a reader that waits", func() bool { return isStuck(name) })
	mustUnlock(t, first, nil)
	if got := <-seen; got != "child " {
		t.Error("a later reader overtook the writer")
	}
	writer.letGo(t)
}

// TestCancelledWriterIsInNobodysWay: what is left of a wait that was given up
// does not keep readers out.
func TestCancelledWriterIsInNobodysWay(t *testing.T) {
	name := lockName(t)
	first := otherHolds(t, "rhold", name)
	ctx, cancel := context.WithCancelCause(context.Background())
	done := make(chan bool)
	go func() {
		h, err := LockContext(ctx, name)
		wantCancelled(t, h, err, name)
		done <- true
	}()
	wantKernelWaits(t, name, "FLOCK", 1)
	eventually(t, "the turnstile is passed", func() (is bool) {
		inQueue(name, func(q *queue) { is = q.agents[exclusive] != nil && q.agents[exclusive].inside })
		return is
	})
	cancel(errWhy)
	<-done
	second := otherHolds(t, "rhold", name)
	ours, err := RLock(name)
	mustUnlock(t, ours, err)
	second.letGo(t)
	first.letGo(t)
	wantIdle(t)
}

// TestTurnstileIsLeft: who has got the lock is no longer in line, and readers
// can join.
func TestTurnstileIsLeft(t *testing.T) {
	cancellable, cancel := context.WithCancel(context.Background())
	defer cancel()
	for _, ctx := range []context.Context{context.Background(), cancellable} {
		name := lockName(t)
		writer := otherHolds(t, "hold", name)
		got := make(chan *Held)
		go func() {
			h, err := RLockContext(ctx, name)
			if err != nil {
				t.Error(err)
			}
			got <- h
		}()
		wantKernelWaits(t, name, "FLOCK", 1)
		writer.letGo(t)
		h := <-got
		if lines := strings.Join(lockedLines(t, name), "\n"); strings.Contains(lines, "OFDLCK") {
			t.Errorf("still in the turnstile:\n%s", lines)
		}
		mustUnlock(t, h, nil)
	}
}

// TestTurnstileReadOnly: who may only read the lock file waits in line too.
func TestTurnstileReadOnly(t *testing.T) {
	needRoot(t, "becoming another user")
	name := filepath.Join(openDir(t), "state")
	mustWrite(t, name, "", 0o666)
	mustWrite(t, lockPath(name), "", 0o644)
	h := mustLock(t, name)
	cmd := asNobody(t, "lock-append", name)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	wantKernelWaits(t, name, "FLOCK", 1)
	if lines := strings.Join(lockedLines(t, name), "\n"); !strings.Contains(lines, "OFDLCK ADVISORY READ") {
		t.Errorf("not in the turnstile:\n%s", lines)
	}
	mustUnlock(t, h, nil)
	h = mustLock(t, name)
	if got := mustRead(t, name); got != "child " {
		t.Error("overtook the process that was waiting")
	}
	mustUnlock(t, h, nil)
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// TestHolder asks who has the lock.
func TestHolder(t *testing.T) {
	name := lockName(t)
	other := otherHolds(t, "hold", name)
	_, err := TryLock(name)
	var le *LockedError
	if !errors.As(err, &le) {
		t.Fatal(err)
	}
	comm := strings.TrimSpace(mustRead(t, fmt.Sprintf("/proc/%d/comm", other.cmd.Process.Pid)))
	want := fmt.Sprintf("process %d (%s)", other.cmd.Process.Pid, comm)
	if le.Holder() != want {
		t.Errorf("held by %q, want %q", le.Holder(), want)
	}
	if want := "lock " + name + ": lock file " + lockPath(name) + ": locked by " + want; err.Error() != want {
		t.Errorf("error %q, want %q", err, want)
	}
	_, err = TryLock(name)
	other.letGo(t)
	if errors.As(err, &le); le.Holder() != "another process" {
		t.Errorf("held by %q, which is gone", le.Holder())
	}
	fd, err := bareLock(t, lockPath(name), syscall.LOCK_EX)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(fd)
	if _, err = TryLock(name); !errors.As(err, &le) || le.Holder() != "this process" {
		t.Errorf("error %v", err)
	}
}

func TestFlockOwner(t *testing.T) {
	id := lockID{dev: 0x12<<20 | 0xa3<<8 | 0x45, ino: 678}
	for line, want := range map[string]int{
		"1: FLOCK  ADVISORY  WRITE 42 a3:1245:678 0 EOF":   42,
		"2: FLOCK  ADVISORY  READ 43 a3:1245:678 0 EOF":    43,
		"2: -> FLOCK  ADVISORY  READ 43 a3:1245:678 0 EOF": 0,
		"3: OFDLCK ADVISORY  WRITE -1 a3:1245:678 0 EOF":   0,
		"4: FLOCK  ADVISORY  WRITE 42 a3:1245:679 0 EOF":   0,
		"5: FLOCK  ADVISORY  WRITE 42 a3:1246:678 0 EOF":   0,
		"": 0, "6: FLOCK": 0, "7: FLOCK ADVISORY WRITE x y z": 0,
	} {
		if got := flockOwner(line, id); got != want {
			t.Errorf("%q: %d, want %d", line, got, want)
		}
	}
}

// TestNFS: there is none to be had, so the answer of the survey is given.
func TestNFS(t *testing.T) {
	for magic, want := range map[uint32]string{
		0x6969: "false true", 0xff534d42: "false false", 0xef53: "true false",
	} {
		fair, err := judge(magic)
		if got := fmt.Sprint(fair, errors.Is(err, errors.ErrUnsupported)); got != want {
			t.Errorf("%#x: %s, want %s", magic, got, want)
		}
	}
	dir := t.TempDir()
	name := filepath.Join(dir, "state")
	o := Options{hook: func(step string) error {
		if step == "lock.statfs" {
			return errNFS
		}
		return nil
	}}
	if h, err := o.tryLock(name, exclusive); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("%v, %v", h, err)
	}
	wantOnly(t, dir)
	wantIdle(t)
}

// TestSurveyIsRemembered: statfs is asked once for a device.
func TestSurveyIsRemembered(t *testing.T) {
	name := lockName(t)
	o := Options{hook: func(step string) error {
		if step == "lock.statfs" {
			t.Error("asked again")
		}
		return nil
	}}
	h, err := o.tryLock(name, exclusive)
	mustUnlock(t, h, err)
}

// TestReadOnlyFileSystem has a lock file that can only be read.
func TestReadOnlyFileSystem(t *testing.T) {
	dir := smallDisk(t)
	name := filepath.Join(dir, "state")
	mustWrite(t, lockPath(name), "", 0o644)
	if err := syscall.Mount("none", dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Skipf("cannot remount: %v", err)
	}
	h := mustLock(t, name)
	wantTries(t, name, false)
	if found := tryElsewhere(t, name); found != "locked" {
		t.Error(found)
	}
	mustUnlock(t, h, nil)
	if _, err := Lock(filepath.Join(dir, "other")); !errors.Is(err, syscall.EROFS) {
		t.Errorf("no lock file: %v", err)
	}
}

// TestLockFileACL: who may write by an ACL may lock by one.
func TestLockFileACL(t *testing.T) {
	name := filepath.Join(t.TempDir(), "state")
	mustWrite(t, name, "", 0o600)
	want := accessACL(nobody)
	if err := syscall.Setxattr(name, aclName, want, 0); err != nil {
		t.Skipf("no ACLs here: %v", err)
	}
	mustUnlock(t, mustLock(t, name), nil)
	got := make([]byte, 1<<10)
	n, err := syscall.Getxattr(lockPath(name), aclName, got)
	if err != nil || string(got[:n]) != string(want) {
		t.Errorf("the lock file has the ACL %x, %v, want %x", got[:max(n, 0)], err, want)
	}
}
