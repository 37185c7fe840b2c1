package safeio

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// Promise 5: locks.

func init() {
	errands["hold"] = func(args []string) error { return holdUntilTold(Lock, args[0]) }
	errands["rhold"] = func(args []string) error { return holdUntilTold(RLock, args[0]) }
	errands["lock-turns"] = func(args []string) error { return takeTurns(args[0], args[1]) }
	errands["lock-cancels"] = func(args []string) error { return cancelOften(args[0]) }
}

// holdUntilTold holds the lock until standard input ends.
func holdUntilTold(lock func(string) (*Held, error), name string) error {
	h, err := lock(name)
	if err != nil {
		return err
	}
	fmt.Println("held")
	io.Copy(io.Discard, os.Stdin)
	return h.Unlock()
}

// A holder is a child process that is told what to do by its standard input.
type holder struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func startHolder(t *testing.T, errand, name string, args ...string) *holder {
	t.Helper()
	h := &holder{cmd: child(t, errand, append([]string{name}, args...)...)}
	var err1, err2 error
	h.in, err1 = h.cmd.StdinPipe()
	out, err2 := h.cmd.StdoutPipe()
	if err := errors.Join(err1, err2, h.cmd.Start()); err != nil {
		t.Fatal(err)
	}
	h.out = bufio.NewReader(out)
	t.Cleanup(func() { h.cmd.Process.Kill(); h.cmd.Wait() })
	return h
}

// says reads the next line of the child.
func (h *holder) says(t *testing.T, want string) {
	t.Helper()
	line, err := h.out.ReadString('\n')
	if got := strings.TrimSpace(line); got != want {
		t.Fatalf("the other process says %q (%v), want %q", got, err, want)
	}
}

// letGo has the child unlock and end.
func (h *holder) letGo(t *testing.T) {
	t.Helper()
	h.in.Close()
	rest, _ := io.ReadAll(h.out)
	if string(rest) != "nil" {
		t.Errorf("the other process reports %q", rest)
	}
}

// otherHolds has another process hold the lock of name.
func otherHolds(t *testing.T, errand, name string) *holder {
	t.Helper()
	h := startHolder(t, errand, name)
	h.says(t, "held")
	return h
}

// lockName is the name of a file to lock, where there are locks.
func lockName(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "state")
	h, err := TryLock(name)
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
	mustUnlock(t, h, err)
	return name
}

func mustUnlock(t *testing.T, h *Held, err error) {
	t.Helper()
	if err == nil {
		err = h.Unlock()
	}
	if err != nil {
		t.Fatal(err)
	}
}

func mustLock(t *testing.T, name string) *Held {
	t.Helper()
	needLocks(t)
	h, err := Lock(name)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// waitersOf counts those that wait in the queue for the lock of name.
func waitersOf(name string) int {
	n := 0
	inQueue(name, func(q *queue) {
		for w := q.first; w != nil; w = w.next {
			n++
		}
	})
	return n
}

func inQueue(name string, look func(*queue)) {
	id, err := statLock(sidecar{path: lockPath(name)})
	queues.Lock()
	defer queues.Unlock()
	if q := queues.byID[id]; q != nil && err == nil {
		look(q)
	}
}

func wantWaiters(t *testing.T, name string, n int) {
	t.Helper()
	eventually(t, fmt.Sprint(n, " waiters"), func() bool { return waitersOf(name) == n })
}

// isStuck reports whether a request of this process waits for another one.
func isStuck(name string) (stuck bool) {
	inQueue(name, func(q *queue) { stuck = q.stuck })
	return stuck
}

// wantIdle fails if anyone is left in a queue.
func wantIdle(t *testing.T) {
	t.Helper()
	eventually(t, "empty queues", func() bool {
		queues.Lock()
		defer queues.Unlock()
		return len(queues.byID) == 0
	})
}

func TestLockKeepsOthersOut(t *testing.T) {
	needLocks(t)
	name := lockName(t)
	for _, test := range []struct {
		what    string
		hold    func(string) (*Held, error)
		errand  string
		readers bool
	}{{"Lock", Lock, "hold", false}, {"RLock", RLock, "rhold", true}} {
		held, err := test.hold(name)
		if err != nil {
			t.Fatal(err)
		}
		if held.Name() != name {
			t.Errorf("Name() = %q", held.Name())
		}
		wantTries(t, name, test.readers)
		mustUnlock(t, held, nil)

		other := otherHolds(t, test.errand, name)
		wantTries(t, name, test.readers)
		other.letGo(t)
		held, err = TryLock(name)
		mustUnlock(t, held, err)
	}
	wantIdle(t)
}

// wantTries tries a lock that another has.
func wantTries(t *testing.T, name string, readers bool) {
	t.Helper()
	h, err := TryLock(name)
	var pe *fs.PathError
	var le *LockedError
	if !errors.Is(err, ErrLocked) || !errors.As(err, &pe) || pe.Path != name || !errors.As(err, &le) {
		t.Errorf("TryLock: %v, %v", h, err)
	}
	h, err = TryRLock(name)
	if readers {
		mustUnlock(t, h, err)
	} else if !errors.Is(err, ErrLocked) {
		t.Errorf("TryRLock: %v, %v", h, err)
	}
}

func TestUnlockTwice(t *testing.T) {
	needLocks(t)
	name := lockName(t)
	first := mustLock(t, name)
	mustUnlock(t, first, nil)
	second := mustLock(t, name)
	err := first.Unlock()
	var pe *fs.PathError
	if !errors.Is(err, fs.ErrClosed) || !errors.As(err, &pe) || pe.Path != name {
		t.Errorf("second Unlock: %v", err)
	}
	wantTries(t, name, false)
	if got := tryElsewhere(t, name); got != "locked" {
		t.Errorf("another process: %s", got)
	}
	mustUnlock(t, second, nil)
}

// tryElsewhere is what another process finds that tries the lock.
func tryElsewhere(t *testing.T, name string) string {
	t.Helper()
	return reported(t, child(t, "trylock", name))
}

func init() {
	errands["trylock"] = func(args []string) error {
		h, err := TryLock(args[0])
		if err == nil {
			return h.Unlock()
		}
		fmt.Print("locked")
		os.Exit(0)
		return nil
	}
}

// TestTurnsAreInOrder has waiters line up one by one behind a holder.
func TestTurnsAreInOrder(t *testing.T) {
	needLocks(t)
	name := lockName(t)
	const writers = 20
	held := mustLock(t, name)
	order := make(chan int, writers)
	for i := range writers {
		go func() {
			h, err := Lock(name)
			order <- i
			if err == nil {
				err = h.Unlock()
			}
			if err != nil {
				t.Error(err)
			}
		}()
		wantWaiters(t, name, i+1)
	}
	mustUnlock(t, held, nil)
	for i := range writers {
		if got := <-order; got != i {
			t.Errorf("turn %d was that of waiter %d", i, got)
		}
	}
	wantIdle(t)
}

// TestNoBarging has a goroutine let go while another waits, and lock again at
// once.
func TestNoBarging(t *testing.T) {
	needLocks(t)
	name := lockName(t)
	for range 100 {
		held := mustLock(t, name)
		var had atomic.Bool
		done := make(chan error)
		go func() {
			h, err := Lock(name)
			had.Store(true)
			if err == nil {
				err = h.Unlock()
			}
			done <- err
		}()
		wantWaiters(t, name, 1)
		mustUnlock(t, held, nil)
		held = mustLock(t, name)
		if !had.Load() {
			t.Fatal("overtook the one that was waiting")
		}
		mustUnlock(t, held, nil)
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
}

// TestReadersShare holds many read locks at once; a writer then waits for all
// of them, and later readers wait for the writer.
func TestReadersShare(t *testing.T) {
	needLocks(t)
	name := lockName(t)
	var readers []*Held
	for range 5 {
		h, err := RLock(name)
		if err != nil {
			t.Fatal(err)
		}
		readers = append(readers, h)
	}
	got := make(chan string, 9)
	line := func(kind string, lock func(string) (*Held, error), release chan bool) {
		h, err := lock(name)
		if err != nil {
			t.Error(err)
			got <- "error"
			return
		}
		got <- kind
		<-release
		h.Unlock()
	}
	writerGo, readersGo := make(chan bool), make(chan bool)
	go line("writer", Lock, writerGo)
	wantWaiters(t, name, 1)
	for i := range 3 {
		go line("reader", RLock, readersGo)
		wantWaiters(t, name, 2+i)
	}
	wantTries(t, name, false) // a waiting writer is not overtaken
	for _, h := range readers {
		if len(got) != 0 {
			t.Fatal("the writer did not wait for the readers")
		}
		mustUnlock(t, h, nil)
	}
	if first := <-got; first != "writer" || len(got) != 0 {
		t.Fatalf("first came a %s, then %d more", first, len(got))
	}
	wantWaiters(t, name, 3)
	close(writerGo)
	for range 3 { // all of them before any lets go
		if next := <-got; next != "reader" {
			t.Errorf("then came a %s", next)
		}
	}
	close(readersGo)
	wantIdle(t)
}

// TestTryRLockBesideReaders tries while a reader is about to lock, who then
// gets the lock or has to wait for another process.
func TestTryRLockBesideReaders(t *testing.T) {
	needLocks(t)
	for _, free := range []bool{true, false} {
		name := lockName(t)
		letGo := func() {}
		if !free {
			other := otherHolds(t, "hold", name)
			letGo = func() { other.letGo(t) }
		}
		about, proceed := make(chan bool), make(chan bool)
		o := Options{hook: func(step string) error {
			if step == "lock.flock" {
				about <- true
				<-proceed
			}
			return nil
		}}
		reader, tried := make(chan error), make(chan error)
		try := func(lock func() (*Held, error), end chan error) {
			h, err := lock()
			if err == nil {
				err = h.Unlock()
			}
			end <- err
		}
		go try(func() (*Held, error) { return o.lock(context.Background(), name, shared) }, reader)
		<-about
		go try(func() (*Held, error) { return TryRLock(name) }, tried)
		wantWaiters(t, name, 1)
		if _, err := TryLock(name); !errors.Is(err, ErrLocked) {
			t.Errorf("TryLock: %v", err)
		}
		proceed <- true
		if err := <-tried; errors.Is(err, ErrLocked) == free {
			t.Errorf("TryRLock, free %v: %v", free, err)
		}
		if !free {
			wantTries(t, name, false) // beside one that waits
		}
		letGo()
		if err := <-reader; err != nil {
			t.Errorf("RLock: %v", err)
		}
		wantIdle(t)
	}
}

// TestOneFileManyNames: it is the lock file that matters, not the way to it.
func TestOneFileManyNames(t *testing.T) {
	needLocks(t)
	name := lockName(t)
	dir := filepath.Dir(name)
	chdir(t, dir)
	held := mustLock(t, name)
	defer held.Unlock()
	other := filepath.Join(dir, "other")
	names := []string{"state", "." + string(filepath.Separator) + "state", filepath.Join(dir, "state")}
	if makeLink("state", "link") == nil && makeLink("link", "second") == nil {
		names = append(names, "link", filepath.Join(dir, "second"))
	}
	if os.Link(lockPath(name), lockPath(other)) == nil {
		names = append(names, other)
	}
	for _, n := range names {
		_, err := TryLock(n)
		var le *LockedError
		if !errors.As(err, &le) || le.Holder() != "this process" {
			t.Errorf("%s: %v", n, err)
		}
	}
}

func TestLockOfADirectory(t *testing.T) {
	needLocks(t)
	name := lockName(t)
	dir := filepath.Join(filepath.Dir(name), "dir")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	chdir(t, dir)
	held := mustLock(t, dir)
	defer held.Unlock()
	names := []string{dir + string(filepath.Separator), ".", filepath.Join("..", "dir")}
	link := filepath.Join(t.TempDir(), "link")
	if makeLink(dir, link) == nil {
		names = append(names, link)
	}
	for _, n := range names {
		if h, err := TryLock(n); !errors.Is(err, ErrLocked) {
			t.Errorf("%q: %v", n, err)
			mustUnlock(t, h, err)
		}
	}
	wantOnly(t, filepath.Dir(name), ".safeio-state.lock", "dir", ".safeio-dir.lock")
}

func TestLockErrors(t *testing.T) {
	needLocks(t)
	name := lockName(t)
	dir := filepath.Dir(name)
	if err := os.Mkdir(filepath.Join(dir, ".safeio-taken.lock"), 0o755); err != nil {
		t.Fatal(err)
	}
	for n, want := range map[string]error{
		"":                              fs.ErrNotExist,
		filepath.Join(dir, "none", "x"): fs.ErrNotExist,
		filepath.Join(dir, "taken"):     nil, // its lock file cannot be one
		filepath.Join(dir, "a\x00b"):    syscall.EINVAL,
	} {
		h, err := Lock(n)
		var pe *fs.PathError
		if h != nil || !errors.As(err, &pe) || pe.Path != n || pe.Op != "lock" || want != nil && !errors.Is(err, want) {
			t.Errorf("%q: %v, %v", n, h, err)
		}
		if n != "" && want == nil && !strings.Contains(err.Error(), "lock file "+lockPath(n)+": ") {
			t.Errorf("%v does not name the lock file", err)
		}
	}
	wantIdle(t)
}

// TestLockIsLeftBehind: locking does not create or change the target, and
// does not remove the lock file.
func TestLockIsLeftBehind(t *testing.T) {
	needLocks(t)
	name := lockName(t)
	mustUnlock(t, mustLock(t, name), nil)
	wantOnly(t, filepath.Dir(name), ".safeio-state.lock")
	wantContent(t, lockPath(name), "")
}

// TestLockFileOption: the lock is that of whoever else uses the file.
func TestLockFileOption(t *testing.T) {
	needLocks(t)
	name := lockName(t)
	o := Options{LockFile: filepath.Join(filepath.Dir(name), "theirs")}
	held, err := o.Lock(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := o.TryLock(name + "2"); !errors.Is(err, ErrLocked) {
		t.Errorf("another name with the same lock: %v", err)
	}
	hidden, err := TryLock(name)
	if err != nil {
		t.Fatalf("the hidden lock file: %v", err)
	}
	mustUnlock(t, hidden, nil)
	mustWrite(t, name, "old\n", 0o600)
	add := func(old []byte) ([]byte, error) { return append(old, "new\n"...), nil }
	for what, do := range map[string]func(context.Context) error{
		"Update": func(ctx context.Context) error { return o.UpdateContext(ctx, name, 0o600, add) },
		"Append": func(ctx context.Context) error { return o.AppendContext(ctx, name, []byte("new"), 0o600) },
		"Remove": func(ctx context.Context) error { return o.RemoveContext(ctx, name) },
	} {
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		err := do(ctx)
		cancel()
		var pe *fs.PathError
		if !errors.Is(err, context.DeadlineExceeded) || !errors.As(err, &pe) || pe.Path != name {
			t.Errorf("%s under the lock: %v", what, err)
		}
	}
	wantContent(t, name, "old\n")
	mustUnlock(t, held, nil)
	if err := o.Update(name, 0o600, add); err != nil {
		t.Error(err)
	}
	wantContent(t, name, "old\nnew\n")
	wantIdle(t)
}

// TestLockLeavesGitAlone: who locks by making NAME.lock is not kept from it.
func TestLockLeavesGitAlone(t *testing.T) {
	needLocks(t)
	name := lockName(t)
	mustUnlock(t, mustLock(t, name), nil)
	dotlock, err := os.OpenFile(name+".lock", os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		t.Fatalf("git config would not work any more: %v", err)
	}
	dotlock.Close()
}

// TestReplacedLockFile removes the lock file while one waits in the queue and
// while one waits for another process.
func TestReplacedLockFile(t *testing.T) {
	needLocks(t)
	for _, where := range []string{"queue", "system"} {
		name := lockName(t)
		letGo := func() {}
		if where == "queue" {
			held := mustLock(t, name)
			letGo = func() { mustUnlock(t, held, nil) }
		} else {
			other := otherHolds(t, "hold", name)
			letGo = func() { other.letGo(t) }
		}
		got := make(chan *Held)
		go func() {
			h, err := Lock(name)
			if err != nil {
				t.Error(err)
			}
			got <- h
		}()
		eventually(t, "a waiter", func() bool { return waitersOf(name) == 1 || isStuck(name) })
		if err := os.Remove(lockPath(name)); err != nil {
			t.Fatal(err)
		}
		mustWrite(t, lockPath(name), "", 0o644)
		letGo()
		h := <-got
		if found := tryElsewhere(t, name); found != "locked" {
			t.Errorf("%s: the new lock file is %s", where, found)
		}
		mustUnlock(t, h, nil)
		wantIdle(t)
	}
}

// TestLockFileComesBack replaces the lock file while a waiter opens it again,
// and brings the first one back before the waiter looks.
func TestLockFileComesBack(t *testing.T) {
	needLocks(t)
	name := lockName(t)
	held := mustLock(t, name)
	turn, swaps := false, 0
	o := Options{hook: func(step string) error {
		if !turn {
			return nil
		}
		switch {
		case swaps == 0 && step == "lock.open":
			swaps++
			return errors.Join(os.Rename(lockPath(name), name), os.WriteFile(lockPath(name), nil, 0o644))
		case swaps == 1 && step != "lock.fstat" && step != "lock.flock":
			swaps++
			return os.Rename(name, lockPath(name))
		}
		return nil
	}}
	got := make(chan *Held)
	go func() {
		h, err := o.lock(context.Background(), name, exclusive)
		if err != nil {
			t.Error(err)
		}
		got <- h
	}()
	wantWaiters(t, name, 1)
	turn = true
	mustUnlock(t, held, nil)
	h := <-got
	if found := tryElsewhere(t, name); found != "locked" || swaps != 2 {
		t.Errorf("after %d swaps the lock file is %s", swaps, found)
	}
	mustUnlock(t, h, nil)
	wantIdle(t)
}

// TestUnstableLockFile: where no file stays what it is, locking fails.
func TestUnstableLockFile(t *testing.T) {
	needLocks(t)
	name := lockName(t)
	o := Options{hook: func(step string) error {
		if step == "lock.stat" {
			return os.Rename(lockPath(name), name)
		}
		return nil
	}}
	if h, err := o.lock(context.Background(), name, exclusive); !errors.Is(err, errMoved) {
		t.Errorf("%v, %v", h, err)
	}
	wantIdle(t)
}

// TestKilledHolder: the lock of a process that dies is free at once.
func TestKilledHolder(t *testing.T) {
	needLocks(t)
	name := lockName(t)
	other := otherHolds(t, "hold", name)
	got := make(chan error)
	go func() {
		h, err := Lock(name)
		if err == nil {
			err = h.Unlock()
		}
		got <- err
	}()
	eventually(t, "a waiter", func() bool { return isStuck(name) })
	other.cmd.Process.Kill()
	if err := <-got; err != nil {
		t.Error(err)
	}
}

// errWhy is a reason for a cancellation.
var errWhy = errors.New("no more patience")

func wantCancelled(t *testing.T, h *Held, err error, name string) {
	t.Helper()
	var pe *fs.PathError
	if h != nil || !errors.Is(err, context.Canceled) || !errors.Is(err, errWhy) || !errors.As(err, &pe) || pe.Path != name {
		t.Errorf("cancelled: %v, %v", h, err)
	}
}

func TestDoneContextTouchesNothing(t *testing.T) {
	dir := filepath.Dir(lockName(t))
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errWhy)
	name := filepath.Join(dir, "new")
	h, err := LockContext(ctx, name)
	wantCancelled(t, h, err, name)
	h, err = RLockContext(ctx, name)
	wantCancelled(t, h, err, name)
	wantOnly(t, dir, ".safeio-state.lock")
}

// TestCancelInTheQueue: one who leaves is out of the others' way.
func TestCancelInTheQueue(t *testing.T) {
	needLocks(t)
	name := lockName(t)
	reader, err := RLock(name)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	left := make(chan error)
	go func() {
		h, err := LockContext(ctx, name)
		wantCancelled(t, h, err, name)
		left <- err
	}()
	wantWaiters(t, name, 1)
	got := make(chan *Held)
	go func() {
		h, err := RLock(name)
		if err != nil {
			t.Error(err)
		}
		got <- h
	}()
	wantWaiters(t, name, 2)
	cancel(errWhy)
	<-left
	mustUnlock(t, <-got, nil) // while the first reader still holds it
	mustUnlock(t, reader, nil)
	wantIdle(t)
}

// TestCancelledWaitsLeaveLittle gives up many waits for another process.
func TestCancelledWaitsLeaveLittle(t *testing.T) {
	needLocks(t)
	name := lockName(t)
	other := otherHolds(t, "hold", name)
	goroutines, files := runtime.NumGoroutine(), openFiles(t)
	cancelled := func(lock func(context.Context, string) (*Held, error)) {
		ctx, cancel := context.WithCancelCause(context.Background())
		done := make(chan bool)
		go func() {
			h, err := lock(ctx, name)
			wantCancelled(t, h, err, name)
			done <- true
		}()
		eventually(t, "a wait", func() bool { return isStuck(name) })
		cancel(errWhy)
		<-done
	}
	for range 1000 {
		cancelled(LockContext)
	}
	eventually(t, "at most one goroutine left", func() bool { return runtime.NumGoroutine() <= goroutines+1 })
	if n := openFiles(t); n > files+1 {
		t.Errorf("%d more descriptors", n-files)
	}
	for range 10 {
		cancelled(RLockContext)
	}
	eventually(t, "at most two goroutines left", func() bool { return runtime.NumGoroutine() <= goroutines+2 })
	other.letGo(t)
	eventually(t, "no goroutine left", func() bool { return runtime.NumGoroutine() <= goroutines })
	eventually(t, "no descriptor left", func() bool { return openFiles(t) <= files })
	wantIdle(t)
	if found := tryElsewhere(t, name); found == "locked" {
		t.Error("a wait that was given up has the lock")
	}
}

// TestAdoptedWait: the next to wait takes over what a cancelled wait left.
func TestAdoptedWait(t *testing.T) {
	needLocks(t)
	for _, patient := range []bool{true, false} {
		name := lockName(t)
		other := otherHolds(t, "hold", name)
		ctx, cancel := context.WithCancelCause(context.Background())
		done := make(chan bool)
		go func() {
			h, err := LockContext(ctx, name)
			wantCancelled(t, h, err, name)
			done <- true
		}()
		var first *agent
		eventually(t, "an agent in the system call", func() (is bool) {
			inQueue(name, func(q *queue) {
				first = q.agents[exclusive]
				is = first != nil && first.inside
			})
			return is
		})
		cancel(errWhy)
		<-done

		ctx = context.Background()
		if !patient {
			c, cancel := context.WithCancel(ctx)
			defer cancel()
			ctx = c
		}
		got := make(chan *Held)
		go func() {
			h, err := LockContext(ctx, name)
			if err != nil {
				t.Error(err)
			}
			got <- h
		}()
		eventually(t, "a client", func() (is bool) {
			inQueue(name, func(q *queue) { is = q.agents[exclusive] == first && first.client != nil })
			return is
		})
		other.letGo(t)
		h := <-got
		if found := tryElsewhere(t, name); found != "locked" {
			t.Errorf("adopted, but %s", found)
		}
		mustUnlock(t, h, nil)
		wantIdle(t)
	}
}

// TestManyLocks has processes and goroutines count, each by reading and
// writing the same file. Every overlap loses a count.
func TestManyLocks(t *testing.T) {
	needLocks(t)
	name := lockName(t)
	processes, goroutines := 8, 8
	if runtime.GOOS == "windows" {
		processes = 3
	}
	mustWrite(t, name, "0", 0o644)
	var all []*holder
	for range processes {
		all = append(all, startHolder(t, "lock-turns", name, strconv.Itoa(goroutines)))
	}
	for _, h := range all {
		h.says(t, "ready")
	}
	for _, h := range all {
		h.in.Close()
	}
	sum, least, most := 0, 1<<30, 0
	for _, h := range all {
		var turns string
		line, err := h.out.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		turns = line
		for _, f := range strings.Fields(turns) {
			n, _ := strconv.Atoi(f)
			sum, least, most = sum+n, min(least, n), max(most, n)
		}
		if rest, _ := io.ReadAll(h.out); string(rest) != "nil" {
			t.Errorf("a process reports %s", rest)
		}
	}
	if counted := mustRead(t, name); counted != strconv.Itoa(sum) {
		t.Errorf("%d turns, but counted %s", sum, counted)
	}
	mean := float64(sum) / float64(processes*goroutines)
	t.Logf("%d turns; of the mean, the slowest goroutine had %.2f, the fastest %.2f", sum, float64(least)/mean, float64(most)/mean)
	if runtime.GOOS == "linux" && float64(least) < mean/2 {
		t.Errorf("a goroutine had %d turns, in the mean they had %.0f", least, mean)
	}
}

// takeTurns is a process of TestManyLocks.
func takeTurns(name, goroutines string) error {
	fmt.Println("ready")
	io.Copy(io.Discard, os.Stdin)
	n, err := strconv.Atoi(goroutines)
	if err != nil {
		return err
	}
	var inside atomic.Int32
	var group waitGroup
	turns, errs := make([]int, n), make([]error, n)
	end := time.Now().Add(2 * time.Second)
	for i := range n {
		group.Go(func() {
			for errs[i] == nil && time.Now().Before(end) {
				errs[i] = takeTurn(name, &inside)
				turns[i]++
			}
		})
	}
	group.Wait()
	fmt.Println(strings.Trim(fmt.Sprint(turns), "[]"))
	return errors.Join(errs...)
}

// takeTurn counts once in the file, unprotected but for the lock.
func takeTurn(name string, inside *atomic.Int32) error {
	h, err := Lock(name)
	if err != nil {
		return err
	}
	if inside.Add(1) != 1 {
		return errors.New("two at once in one process")
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	count, err := strconv.Atoi(string(data))
	if err != nil {
		return err
	}
	if err := os.WriteFile(name, []byte(strconv.Itoa(count+1)), 0o644); err != nil {
		return err
	}
	inside.Add(-1)
	return h.Unlock()
}

// TestForgottenQueue: a queue that is gone does not take its successor along.
func TestForgottenQueue(t *testing.T) {
	needLocks(t)
	name := lockName(t)
	var gone *queue
	held := mustLock(t, name)
	inQueue(name, func(q *queue) { gone = q })
	mustUnlock(t, held, nil)
	held = mustLock(t, name)
	queues.Lock()
	gone.next()
	queues.Unlock()
	found := false
	inQueue(name, func(q *queue) { found = q.writer })
	if !found {
		t.Error("the holder's queue is forgotten")
	}
	mustUnlock(t, held, nil)
}

// TestCancelledCrowd has waits given up at every moment in several processes.
func TestCancelledCrowd(t *testing.T) {
	needLocks(t)
	name := lockName(t)
	mustWrite(t, name, "0", 0o644)
	var all []*holder
	for range 3 {
		all = append(all, startHolder(t, "lock-cancels", name))
	}
	sum := 0
	for _, h := range all {
		var n int
		if _, err := fmt.Fscanln(h.out, &n); err != nil {
			t.Fatal(err)
		}
		sum += n
		if rest, _ := io.ReadAll(h.out); string(rest) != "nil" {
			t.Errorf("a process reports %s", rest)
		}
	}
	t.Logf("%d turns", sum)
	if counted := mustRead(t, name); counted != strconv.Itoa(sum) {
		t.Errorf("%d turns, but counted %s", sum, counted)
	}
}

// cancelOften is a process of TestCancelledCrowd.
func cancelOften(name string) error {
	go func() { // do not outlive the test
		io.Copy(io.Discard, os.Stdin)
		os.Exit(1)
	}()
	var turns, inside atomic.Int32
	var group waitGroup
	var errs [6]error
	for i := range errs {
		group.Go(func() {
			for n := range 150 {
				ctx, cancel := context.WithCancel(context.Background())
				stop := time.AfterFunc(time.Duration((n*7919+i*104729)%2000)*time.Microsecond, cancel)
				err := countOnce(ctx, name, n%4 == 3, &inside, &turns)
				stop.Stop()
				cancel()
				if err != nil && !errors.Is(err, context.Canceled) {
					errs[i] = err
					return
				}
			}
		})
	}
	group.Wait()
	h, err := Lock(name) // nobody else of this process is in the way
	if err != nil {
		return err
	}
	fmt.Println(turns.Load())
	return errors.Join(append(errs[:], h.Unlock())...)
}

func countOnce(ctx context.Context, name string, read bool, inside, turns *atomic.Int32) error {
	if read {
		h, err := RLockContext(ctx, name)
		if err != nil {
			return err
		}
		if inside.Load() != 0 {
			return errors.New("reading while one writes")
		}
		return h.Unlock()
	}
	h, err := LockContext(ctx, name)
	if err != nil {
		return err
	}
	if inside.Add(1) != 1 {
		return errors.New("two at once in one process")
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	count, err := strconv.Atoi(string(data))
	if err != nil {
		return fmt.Errorf("while another writes: %w", err)
	}
	if err := os.WriteFile(name, []byte(strconv.Itoa(count+1)), 0o644); err != nil {
		return err
	}
	turns.Add(1)
	inside.Add(-1)
	return h.Unlock()
}
