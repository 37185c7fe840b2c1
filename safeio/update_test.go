package safeio

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// Promise 6: read, change and write as one; each caller has its own answer.

func init() {
	errands["die-update"] = func(args []string) error {
		o := dying(args[2])
		return o.UpdateContext(context.Background(), args[0], 0o644, func([]byte) ([]byte, error) {
			o.hook("change")
			return readContent(args[1]), nil
		})
	}
	errands["update-append"] = func(args []string) error { return Update(args[0], 0o644, appending(args[1])) }
}

// appending is a change that adds s to the end.
func appending(s string) func([]byte) ([]byte, error) {
	return func(old []byte) ([]byte, error) { return append(old, s...), nil }
}

func result(s string) func([]byte) ([]byte, error) {
	return func([]byte) ([]byte, error) { return []byte(s), nil }
}

// A journal counts the steps of updates, and lets one of them fail.
type journal struct {
	sync.Mutex
	steps []string
	fail  int // which of the steps, from 1
	err   error
	done  string // the step that failed
}

func (j *journal) options() Options {
	return Options{hook: func(step string) error {
		j.Lock()
		defer j.Unlock()
		j.steps = append(j.steps, step)
		if len(j.steps) == j.fail {
			j.done = step
			return j.err
		}
		return nil
	}}
}

func (j *journal) count(step string) (n int) {
	j.Lock()
	defer j.Unlock()
	for _, s := range j.steps {
		if s == step {
			n++
		}
	}
	return n
}

// failing lets every step of that name fail.
func failing(step string, err error) Options {
	return Options{hook: func(s string) error {
		if s == step {
			return err
		}
		return nil
	}}
}

// queued is the number of calls that wait for their turn at name.
func queued(name string) int {
	t, err := locate(name)
	if err != nil {
		return 0
	}
	updates.Lock()
	defer updates.Unlock()
	if q := updates.queues[t.key()]; q != nil {
		return len(q.waiting)
	}
	return 0
}

// wantNoQueues fails if a queue is left behind.
func wantNoQueues(t *testing.T) {
	t.Helper()
	updates.Lock()
	defer updates.Unlock()
	if n := len(updates.queues); n != 0 {
		t.Errorf("%d queues are left behind", n)
	}
}

// A visit is one call of Update, and how it ended.
type visit struct {
	change func([]byte) ([]byte, error)
	ctx    context.Context // nil: Background
	cancel context.CancelFunc

	err      error
	panicked any
	exited   bool // by runtime.Goexit
	done     chan struct{}
}

func (v *visit) run(o Options, name string) {
	defer close(v.done)
	v.exited = true
	defer func() {
		v.panicked = recover()
		v.exited = v.exited && v.panicked == nil
	}()
	v.err = o.UpdateContext(v.ctx, name, 0o644, v.change)
	v.exited = false
}

// together has the visits wait in this order before the first is served; then
// calls meanwhile, and returns when all have ended.
func together(t *testing.T, o Options, name string, meanwhile func(), visits ...*visit) {
	t.Helper()
	needLocks(t)
	var arrived sync.Once
	arriving, open := make(chan struct{}), make(chan struct{})
	gated := o
	gated.hook = func(step string) error {
		if step == "lock" {
			arrived.Do(func() { close(arriving); <-open })
		}
		if step == "late" {
			return context.DeadlineExceeded // one batch, however long it takes
		}
		return o.at(step)
	}
	for i, v := range visits {
		if v.done == nil {
			v.done = make(chan struct{})
		}
		if v.ctx == nil {
			v.ctx, v.cancel = context.WithCancel(context.Background())
			defer v.cancel()
		}
		go v.run(gated, name)
		if i == 0 {
			<-arriving
		}
		eventually(t, "a call to queue up", func() bool { return queued(name) == i })
	}
	if meanwhile != nil {
		meanwhile()
	}
	close(open)
	for _, v := range visits {
		<-v.done
	}
}

func visitsOf(changes ...func([]byte) ([]byte, error)) []*visit {
	visits := make([]*visit, len(changes))
	for i, c := range changes {
		visits[i] = &visit{change: c, done: make(chan struct{})}
	}
	return visits
}

func TestUpdate(t *testing.T) {
	needLocks(t)
	failure := errors.New("no such luck")
	const missing = "(missing)"
	give := func(b []byte, err error) func([]byte) ([]byte, error) {
		return func([]byte) ([]byte, error) { return b, err }
	}
	same := func(old []byte) ([]byte, error) { return old, nil }
	for _, test := range []struct {
		what, before string
		change       func([]byte) ([]byte, error)
		after        string
		writes       int
		err          error
	}{
		{"creates", missing, give([]byte("new"), nil), "new", 1, nil},
		{"creates empty", missing, give([]byte{}, nil), "", 1, nil},
		{"nil, missing", missing, give(nil, nil), missing, 0, nil},
		{"same, missing", missing, same, missing, 0, nil},
		{"error, missing", missing, give([]byte("new"), failure), missing, 0, failure},
		{"replaces", "old", give([]byte("new"), nil), "new", 1, nil},
		{"appends", "old", appending("er"), "older", 1, nil},
		{"same", "old", same, "old", 0, nil},
		{"equal", "old", give([]byte("old"), nil), "old", 0, nil},
		{"empties", "old", give([]byte{}, nil), "", 1, nil},
		{"nil empties", "old", give(nil, nil), "", 1, nil},
		{"error", "old", give([]byte("new"), failure), "old", 0, failure},
		{"fills", "", give([]byte("new"), nil), "new", 1, nil},
		{"nil, empty", "", give(nil, nil), "", 0, nil},
		{"same, empty", "", same, "", 0, nil},
		{"changes in place", "old", func(old []byte) ([]byte, error) { old[0] = 'O'; return old, nil }, "Old", 1, nil},
		{"changes in place and fails", "old", func(old []byte) ([]byte, error) { old[0] = 'O'; return old, failure }, "old", 0, failure},
	} {
		t.Run(test.what, func(t *testing.T) {
			dir := t.TempDir()
			name := filepath.Join(dir, "state")
			if test.before != missing {
				mustWrite(t, name, test.before, 0o644)
			}
			var j journal
			calls := 0
			err := j.options().UpdateContext(context.Background(), name, 0o600, func(old []byte) ([]byte, error) {
				calls++
				if (old == nil) != (test.before == missing) || old != nil && string(old) != test.before {
					t.Errorf("change got %q, nil: %v", old, old == nil)
				}
				return test.change(old)
			})
			if err != test.err || calls != 1 {
				t.Errorf("error %v, want %v; %d calls", err, test.err, calls)
			}
			if n := j.count("rename"); n != test.writes {
				t.Errorf("%d writes, want %d", n, test.writes)
			}
			if test.after != missing {
				wantContent(t, name, test.after)
			} else if _, err := os.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the file exists: %v", err)
			}
			wantOnly(t, dir, "state", ".safeio-state.lock")
			wantNoQueues(t)
		})
	}
}

// TestUpdateSeesTheNewest has each change of an alternating pair of processes
// see the other's.
func TestUpdateSeesTheNewest(t *testing.T) {
	needLocks(t)
	name := filepath.Join(t.TempDir(), "state")
	for range 3 {
		if err := Update(name, 0o644, appending("a")); err != nil {
			t.Fatal(err)
		}
		if got := reported(t, child(t, "update-append", name, "b")); got != "nil" {
			t.Fatal(got)
		}
	}
	wantContent(t, name, "ababab")
}

// TestUpdateExcludesLock holds the lock of the file that is to be updated.
func TestUpdateExcludesLock(t *testing.T) {
	needLocks(t)
	name := filepath.Join(t.TempDir(), "state")
	held, err := LockContext(context.Background(), name)
	if err != nil {
		t.Fatal(err)
	}
	about, done := make(chan struct{}), make(chan error)
	var unlocked atomic.Bool
	o := Options{hook: func(step string) error {
		if step == "lock" {
			close(about)
		}
		return nil
	}}
	go func() {
		done <- o.UpdateContext(context.Background(), name, 0o644, func([]byte) ([]byte, error) {
			if !unlocked.Load() {
				t.Error("changed while another has the lock")
			}
			return []byte("new"), nil
		})
	}()
	<-about
	time.Sleep(50 * time.Millisecond) // time enough for a mistake; none is needed to pass
	unlocked.Store(true)
	if err := held.Unlock(); err != nil {
		t.Error(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	held, err = LockContext(context.Background(), name)
	if err != nil {
		t.Fatal(err)
	}
	held.Unlock()
}

func TestUpdatesAreGrouped(t *testing.T) {
	name := filepath.Join(t.TempDir(), "state")
	var changes []func([]byte) ([]byte, error)
	want := ""
	for i := range 40 {
		s := fmt.Sprintf("%d,", i)
		want += s
		changes = append(changes, appending(s))
	}
	var j journal
	visits := visitsOf(changes...)
	together(t, j.options(), name, nil, visits...)
	for _, v := range visits {
		if v.err != nil {
			t.Error(v.err)
		}
	}
	wantContent(t, name, want) // in the order of arrival
	for _, step := range []string{"lock", "read", "sync", "syncdir"} {
		if n := j.count(step); n != 1 {
			t.Errorf("%d times %s", n, step)
		}
	}
	wantNoQueues(t)
}

func TestBatchIsBounded(t *testing.T) {
	name := filepath.Join(t.TempDir(), "state")
	var inBatch, most atomic.Int32
	o := Options{hook: func(step string) error {
		if step == "lock" {
			inBatch.Store(0)
		}
		return nil
	}}
	var visits []*visit
	want := ""
	for i := range 2*maxBatch + 10 {
		s := fmt.Sprintf("%d,", i)
		want += s
		visits = append(visits, &visit{change: func(old []byte) ([]byte, error) {
			if n := inBatch.Add(1); n > most.Load() {
				most.Store(n)
			}
			return append(old, s...), nil
		}})
	}
	together(t, o, name, nil, visits...)
	if most.Load() > maxBatch {
		t.Errorf("%d changes under one lock", most.Load())
	}
	wantContent(t, name, want)

	for _, test := range []struct {
		batch batch
		full  bool
	}{
		{batch{served: maxBatch - 1, since: time.Now().Add(time.Hour)}, false},
		{batch{served: maxBatch, since: time.Now().Add(time.Hour)}, true},
		{batch{served: 1, since: time.Now().Add(-2 * batchTime)}, true},
	} {
		if test.batch.full() != test.full {
			t.Errorf("%d changes, %v: full is %v", test.batch.served, time.Since(test.batch.since), !test.full)
		}
	}
}

// TestOwnAnswers puts calls of every kind into one batch, whose write
// succeeds or fails.
func TestOwnAnswers(t *testing.T) {
	needLocks(t)
	mine := errors.New("mine")
	disk := &fs.PathError{Op: "write", Path: "somewhere", Err: syscall.EIO}
	same := func(old []byte) ([]byte, error) { return old, nil }
	kinds := func() []*visit {
		return visitsOf(
			same, // before anything has changed
			func(old []byte) ([]byte, error) { old[0] = 'X'; panic(mine) },
			appending("a"),
			func(old []byte) ([]byte, error) { old[0] = 'X'; return old, mine },
			func(old []byte) ([]byte, error) { old[0] = 'X'; runtime.Goexit(); return nil, nil },
			appending("b"),
			same, // has seen what is not written yet
			func(old []byte) ([]byte, error) { old[0] = 'X'; panic(mine) },
		)
	}
	for _, test := range []struct {
		what    string
		opts    Options
		content string
		err     error // of the common write
	}{
		{"written", Options{}, "oldab", nil},
		{"not written", failing("sync", disk), "old", syscall.EIO},
		{"published", failing("syncdir", disk), "oldab", ErrPublished},
	} {
		t.Run(test.what, func(t *testing.T) {
			dir := t.TempDir()
			name := filepath.Join(dir, "state")
			mustWrite(t, name, "old", 0o644)
			visits := kinds()
			together(t, test.opts, name, nil, visits...)
			wantContent(t, name, test.content)
			wantOnly(t, dir, "state", ".safeio-state.lock")
			for i, want := range []error{nil, nil, test.err, mine, nil, test.err, test.err, nil} {
				if v := visits[i]; !errors.Is(v.err, want) || want == nil && v.err != nil {
					t.Errorf("call %d: error %v, want %v", i, v.err, want)
				}
			}
			for i, v := range visits {
				if (i == 1 || i == 7) != (v.panicked == any(mine)) || (i == 4) != v.exited {
					t.Errorf("call %d: panicked %v, exited %v", i, v.panicked, v.exited)
				}
			}
			wantNoQueues(t)
			if err := Update(name, 0o644, appending("+")); err != nil {
				t.Error(err)
			}
			wantContent(t, name, test.content+"+")
		})
	}
}

// TestOnlyPanics has no change to be written.
func TestOnlyPanics(t *testing.T) {
	name := filepath.Join(t.TempDir(), "state")
	var none func([]byte) ([]byte, error)
	visits := visitsOf(none, none)
	together(t, Options{}, name, nil, visits...)
	for _, v := range visits {
		if v.panicked == nil {
			t.Errorf("no panic, but %v", v.err)
		}
	}
	wantNoQueues(t)
}

// TestErrorsCarryTheName has one write fail for callers with different names.
func TestErrorsCarryTheName(t *testing.T) {
	needLocks(t)
	for _, step := range []string{"lock", "read", "create", "write", "sync", "rename", "syncdir"} {
		t.Run(step, func(t *testing.T) {
			dir := t.TempDir()
			name, link := filepath.Join(dir, "state"), filepath.Join(dir, "link")
			symlink(t, name, link)
			o := failing(step, syscall.EIO)
			var errs [2]error
			var wg sync.WaitGroup
			begun := make(chan struct{})
			for i, n := range []string{link, name} {
				wg.Add(1)
				go func() {
					defer wg.Done()
					errs[i] = o.UpdateContext(context.Background(), n, 0o644, func(old []byte) ([]byte, error) {
						if i == 0 {
							close(begun)
							eventually(t, "the other call", func() bool { return queued(name) == 1 })
						}
						return append(old, 'x'), nil
					})
				}()
				if i == 0 && step != "lock" && step != "read" {
					<-begun
				}
			}
			wg.Wait()
			for i, n := range []string{link, name} {
				if err := errs[i]; !errors.Is(err, syscall.EIO) || carried(err) != n {
					t.Errorf("%v does not name %s", err, n)
				}
			}
		})
	}
}

// carried is the name that the caller finds in err.
func carried(err error) string {
	switch e := err.(type) {
	case *fs.PathError:
		return e.Path
	case *os.LinkError:
		return e.New
	}
	return ""
}

// TestSlicesAreOwned has callers write to the slice that they got and, later,
// to the one that they returned.
func TestSlicesAreOwned(t *testing.T) {
	name := filepath.Join(t.TempDir(), "state")
	mustWrite(t, name, "old", 0o644)
	var got, gave []byte
	spoil := func(b []byte) {
		for i := range b {
			b[i] = '!'
		}
	}
	visits := visitsOf(
		func(old []byte) ([]byte, error) { // keeps both
			got, gave = old, []byte("one")
			return gave, nil
		},
		func(old []byte) ([]byte, error) {
			spoil(got)
			spoil(gave)
			if string(old) != "one" {
				t.Errorf("got %q", old)
			}
			spoil(old)
			return nil, errors.New("no")
		},
		func(old []byte) ([]byte, error) {
			if string(old) != "one" {
				t.Errorf("got %q", old)
			}
			return append(old, " two"...), nil
		},
		func(old []byte) ([]byte, error) { // returns what it got, to be the next one's
			got = old
			return old, nil
		},
		func(old []byte) ([]byte, error) {
			spoil(got)
			return append(old, " three"...), nil
		},
	)
	together(t, Options{}, name, nil, visits...)
	wantContent(t, name, "one two three")
}

func TestCancelledWait(t *testing.T) {
	needLocks(t)
	why := errors.New("user interrupt")
	expired, cancelDeadline := context.WithDeadline(context.Background(), time.Now().Add(-time.Hour))
	defer cancelDeadline()
	causing, cancelCause := context.WithCancelCause(context.Background())
	cancelling, cancel := context.WithCancel(context.Background())

	name := filepath.Join(t.TempDir(), "state")
	never := func(s string) func([]byte) ([]byte, error) {
		return func([]byte) ([]byte, error) { t.Errorf("%s: changed", s); return []byte(s), nil }
	}
	visits := visitsOf(appending("a"), never("cancelled"), appending("b"), never("caused"), appending("c"))
	visits[1].ctx, visits[3].ctx = cancelling, causing
	together(t, Options{}, name, func() {
		cancel()
		<-visits[1].done // at once, not when it would have been its turn
		cancelCause(why)
		<-visits[3].done
	}, visits...)
	wantContent(t, name, "abc")

	late := UpdateContext(expired, name, 0o644, never("expired"))
	for _, test := range []struct {
		err  error
		want []error
	}{
		{visits[1].err, []error{context.Canceled}},
		{visits[3].err, []error{context.Canceled, why}},
		{late, []error{context.DeadlineExceeded}},
	} {
		for _, want := range test.want {
			if !errors.Is(test.err, want) || carried(test.err) != name {
				t.Errorf("error %v, want %v", test.err, want)
			}
		}
	}
	wantNoQueues(t)
}

// TestCancelledAtItsTurn cancels a call in the moment in which it gets its
// turn: first before it has the lock, then when another has.
func TestCancelledAtItsTurn(t *testing.T) {
	name := filepath.Join(t.TempDir(), "state")
	var second *visit
	never := func([]byte) ([]byte, error) { t.Error("changed"); return []byte("x"), nil }
	visits := visitsOf(never, appending("a"), never, appending("b"))
	visits[1].change = func(old []byte) ([]byte, error) {
		second.cancel()
		return append(old, 'a'), nil
	}
	second = visits[2]
	together(t, Options{}, name, func() { visits[0].cancel() }, visits...)
	for i, cancelled := range []bool{true, false, true, false} {
		if errors.Is(visits[i].err, context.Canceled) != cancelled {
			t.Errorf("call %d: %v", i, visits[i].err)
		}
	}
	wantContent(t, name, "ab")
	wantNoQueues(t)
}

// TestCancelledTooLate cancels calls whose change has begun: one that writes
// and one that waits for that.
func TestCancelledTooLate(t *testing.T) {
	name := filepath.Join(t.TempDir(), "state")
	visits := visitsOf(nil, nil)
	for i, v := range visits {
		v.change = func(old []byte) ([]byte, error) {
			visits[0].cancel()
			v.cancel()
			return append(old, byte('a'+i)), nil
		}
	}
	together(t, Options{}, name, nil, visits...)
	for _, v := range visits {
		if v.err != nil {
			t.Error(v.err)
		}
	}
	wantContent(t, name, "ab")
}

// TestCancelledLockWait cancels the call that waits for another holder of the
// lock, on which the other calls depend.
func TestCancelledLockWait(t *testing.T) {
	needLocks(t)
	name := filepath.Join(t.TempDir(), "state")
	held, err := LockContext(context.Background(), name)
	if err != nil {
		t.Fatal(err)
	}
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	probe := make(chan error, 1)
	go func() {
		other, err := LockContext(gone, name)
		if err == nil {
			other.Unlock()
		}
		probe <- err
	}()
	select {
	case err := <-probe:
		if err == nil {
			t.Fatal("two have the lock")
		}
	case <-time.After(time.Second):
		held.Unlock()
		t.Skip("this lock cannot be cancelled")
	}

	visits := visitsOf(appending("x"), appending("a"), appending("b"))
	o := Options{hook: func(step string) error {
		if step == "lock" {
			go visits[0].cancel() // before the wait or in it
		}
		return nil
	}}
	go func() {
		<-visits[0].done // although the lock is not free
		held.Unlock()
	}()
	together(t, o, name, nil, visits...)
	if err := visits[0].err; !errors.Is(err, context.Canceled) || carried(err) != name {
		t.Errorf("the cancelled one: %v", err)
	}
	wantContent(t, name, "ab")
	wantNoQueues(t)
}

// TestUpdateOfADirectoryName: what cannot be a file because of its name is refused as
// by WriteFile, and not taken for one that is yet to be created.
func TestUpdateOfADirectoryName(t *testing.T) {
	needLocks(t)
	dir := t.TempDir()
	mustWrite(t, filepath.Join(dir, "file"), "", 0o644)
	for _, base := range []string{"none", "file", filepath.Join("none", "deeper")} {
		name := filepath.Join(dir, base) + string(filepath.Separator)
		want := cause(os.WriteFile(name, nil, 0o644))
		err := Update(name, 0o644, result("new"))
		strict := Options{Strict: true}.WriteFile(name, nil, 0o644)
		if !errors.Is(err, want) || !errors.Is(strict, want) || !errors.Is(strict, ErrNotAtomic) {
			t.Errorf("%s: Update says %v, a strict WriteFile %v, os.WriteFile %v", base, err, strict, want)
		}
	}
	wantOnly(t, dir, "file")
}

// TestUpdateOfASharedSlice: what a change has returned is safe from the next, which
// fails after it has written over the slice.
func TestUpdateOfASharedSlice(t *testing.T) {
	name := filepath.Join(t.TempDir(), "state")
	shared, failed := []byte("first"), errors.New("failed")
	visits := visitsOf(
		func([]byte) ([]byte, error) { return shared, nil },
		func(old []byte) ([]byte, error) { copy(shared, "XXXXX"); copy(old, "YYYYY"); return nil, failed },
	)
	together(t, Options{}, name, nil, visits...)
	if visits[0].err != nil || visits[1].err != failed {
		t.Errorf("errors %v, %v", visits[0].err, visits[1].err)
	}
	wantContent(t, name, "first")
}

func TestUpdateRefusesSpecial(t *testing.T) {
	needLocks(t)
	dir := t.TempDir()
	sub := filepath.Join(dir, "sub")
	mustWrite(t, filepath.Join(dir, "file"), "old", 0o644)
	if err := os.Mkdir(sub, 0o755); err != nil {
		t.Fatal(err)
	}
	names := map[string]error{
		"":                                 fs.ErrNotExist,
		sub:                                syscall.EISDIR,
		sub + string(filepath.Separator):   syscall.EISDIR,
		filepath.Join(dir, "no", "file"):   fs.ErrNotExist,
		filepath.Join(dir, "none") + "/":   nil, // see TestUpdateOfADirectoryName
		filepath.Join(dir, "file", "file"): nil, // whatever the system says
	}
	for _, device := range []string{"/dev/zero", "/dev/null", "/proc/self/fd/2"} {
		if info, err := os.Stat(device); err == nil && !info.IsDir() {
			names[device] = ErrNotAtomic
		}
	}
	if makeLink(sub, filepath.Join(dir, "link")) == nil {
		names[filepath.Join(dir, "link")] = syscall.EISDIR
	}
	for name, want := range names {
		wantRefused(t, name, want)
	}
	wantOnly(t, dir, "file", "sub", "link")
	wantOnly(t, sub)
	wantNoQueues(t)
}

// wantRefused fails if anything that reads name does not fail with want.
func wantRefused(t *testing.T, name string, want error) {
	t.Helper()
	needLocks(t)
	update := Update(name, 0o644, func(old []byte) ([]byte, error) {
		t.Errorf("%s: changed", name)
		return old, nil
	})
	json := UpdateJSON(name, 0o644, func(*int) error { t.Errorf("%s: changed", name); return nil })
	_, read := ReadJSON[int](name)
	for what, err := range map[string]error{"Update": update, "UpdateJSON": json, "ReadJSON": read} {
		if err == nil || want != nil && !errors.Is(err, want) {
			t.Errorf("%s %q: error %v, want %v", what, name, err, want)
		}
	}
	if carried(read) != name {
		t.Errorf("%v does not name %q", read, name)
	}
}

func TestKeys(t *testing.T) {
	needLocks(t)
	dir := t.TempDir()
	chdir(t, dir)
	for _, sub := range []string{"real", "elsewhere", "links"} {
		if err := os.MkdirAll(filepath.Join(dir, sub, "below"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	symlink(t, filepath.Join(dir, "elsewhere", "below"), filepath.Join(dir, "links", "up"))
	symlink(t, filepath.Join("..", "real", "state"), filepath.Join(dir, "links", "state"))
	key := func(name string) string {
		target, err := locate(name)
		if err != nil {
			t.Fatal(err)
		}
		return target.key()
	}
	for _, same := range []string{"./real/state", "real//state", filepath.Join(dir, "real", "state")} {
		if key(same) != key("real/state") {
			t.Errorf("%s has the key %s, real/state %s", same, key(same), key("real/state"))
		}
	}
	// Cleaned, these would be one.
	if key("links/up/../other") == key("links/other") {
		t.Error("two files have one key")
	}

	// Whatever their keys, all spellings of a file exclude each other.
	var wg sync.WaitGroup
	names := []string{"real/state", "./real/state", "links/state", "links/../real/state", filepath.Join(dir, "real", "state")}
	for _, name := range names {
		for range 5 {
			wg.Add(1)
			go func() {
				defer wg.Done()
				if err := Update(name, 0o644, appending("x")); err != nil {
					t.Error(err)
				}
			}()
		}
	}
	// And files whose names look alike do not mix.
	for range 5 {
		for name, s := range map[string]string{"links/up/../other": "a", "links/other": "b"} {
			wg.Add(1)
			go func() {
				defer wg.Done()
				if err := Update(name, 0o644, appending(s)); err != nil {
					t.Error(err)
				}
			}()
		}
	}
	wg.Wait()
	wantContent(t, "real/state", strings.Repeat("x", 5*len(names)))
	wantContent(t, "elsewhere/other", "aaaaa")
	wantContent(t, "links/other", "bbbbb")
	wantNoQueues(t)
}

// TestRedirectedLink has a link lead elsewhere while a call is under way.
func TestRedirectedLink(t *testing.T) {
	needLocks(t)
	for _, step := range []string{"lock", "read", "create"} {
		t.Run(step, func(t *testing.T) {
			dir := t.TempDir()
			first, second, link := filepath.Join(dir, "first"), filepath.Join(dir, "second"), filepath.Join(dir, "link")
			mustWrite(t, first, "1", 0o644)
			mustWrite(t, second, "2", 0o644)
			symlink(t, first, link)
			o := Options{hook: func(s string) error {
				if s == step {
					os.Remove(link)
					os.Symlink(second, link)
				}
				return nil
			}}
			if err := o.UpdateContext(context.Background(), link, 0o644, appending("+")); err != nil {
				t.Fatal(err)
			}
			wantContent(t, first, "1+")
			wantContent(t, second, "2")
			wantOnly(t, dir, "first", ".safeio-first.lock", "second", "link")
		})
	}
}

// TestUndoneInTheBatch has one change undo another before it is written.
func TestUndoneInTheBatch(t *testing.T) {
	name := filepath.Join(t.TempDir(), "state")
	mustWrite(t, name, "old", 0o644)
	j := journal{fail: 3, err: syscall.EIO} // if it were written: to create the temporary
	visits := visitsOf(appending("er"), result("old"))
	together(t, j.options(), name, nil, visits...)
	for _, v := range visits {
		if v.err != nil {
			t.Error(v.err)
		}
	}
	if n := j.count("create"); n != 0 {
		t.Error("written")
	}
	wantContent(t, name, "old")
}

// TestDoubtIsSettled repeats a change that was published but is perhaps not
// durable, as its error asks for.
func TestDoubtIsSettled(t *testing.T) {
	needLocks(t)
	name := filepath.Join(t.TempDir(), "state")
	set := result("new")
	ctx := context.Background()
	for range 2 {
		if err := failing("syncdir", syscall.EIO).UpdateContext(ctx, name, 0o644, set); !errors.Is(err, ErrPublished) {
			t.Errorf("error %v", err)
		}
	}
	if err := failing("sync", syscall.EIO).UpdateContext(ctx, name, 0o644, set); !errors.Is(err, syscall.EIO) {
		t.Errorf("error %v", err)
	}
	for _, writes := range []int{1, 0} {
		var j journal
		if err := j.options().UpdateContext(ctx, name, 0o644, set); err != nil {
			t.Error(err)
		}
		if n := j.count("syncdir"); n != writes {
			t.Errorf("synced %d times, want %d", n, writes)
		}
	}
}

// TestUpdateKilledAtEveryStep kills an update before its first step, its
// second, and so on until it gets through.
func TestUpdateKilledAtEveryStep(t *testing.T) {
	needLocks(t)
	dir := t.TempDir()
	name := filepath.Join(dir, "state")
	for n := 1; ; n++ {
		mustWrite(t, name, string(readContent(oldContent)), 0o644)
		got := reported(t, child(t, "die-update", name, newContent, strconv.Itoa(n)))
		wantWhole(t, name)
		wantDeadTemps(t, dir, "state", ".safeio-state.lock")
		if got != "" && got != "nil" {
			t.Fatalf("killed at step %d, yet reported %q", n, got)
		}
		before := mustRead(t, name)
		if err := Update(name, 0o644, appending("+")); err != nil { // the lock is free
			t.Fatal(err)
		}
		wantContent(t, name, before+"+")
		if got == "nil" {
			wantContent(t, name, string(readContent(newContent))+"+")
			if n < 12 {
				t.Errorf("only %d steps were interrupted", n-1)
			}
			return
		}
	}
}

// TestUpdateFailedAtEveryStep lets every step of a batch fail in turn, with
// what disks and systems fail with.
func TestUpdateFailedAtEveryStep(t *testing.T) {
	needLocks(t)
	for _, failure := range faults {
		for _, before := range []string{"", "old"} {
			for fail := 1; failUpdate(t, fail, failure, before); fail++ {
			}
		}
	}
	wantNoQueues(t)
	eventually(t, "goroutines to end", func() bool { return !strings.Contains(stacks(), "safeio.(*visit)") })
}

// failUpdate lets step number fail of a batch of three fail, and reports whether
// there is such a step. before is the old content, "" for no file.
func failUpdate(t *testing.T, fail int, failure error, before string) bool {
	t.Helper()
	dir := t.TempDir()
	name := filepath.Join(dir, "state")
	if before != "" {
		mustWrite(t, name, before, 0o644)
	}
	descriptors := openFiles(t)
	j := &journal{fail: fail, err: failure}
	visits := visitsOf(appending("a"), appending("b"), appending("c"))
	together(t, j.options(), name, nil, visits...)
	if j.done == "" {
		return false
	}
	where := fmt.Sprintf("%v in %s, content %q", failure, j.done, before)
	want := before
	for i, v := range visits {
		switch {
		case v.err == nil || errors.Is(v.err, ErrPublished):
			want += string(rune('a' + i))
		case !errors.Is(v.err, failure) || carried(v.err) != name:
			t.Errorf("%s: call %d has error %v", where, i, v.err)
		}
	}
	inPlace := before != "" && blocked(failure) && j.count("overwrite") > 0
	if failed := countErrors(visits); failed != wantErrors(j.done) && !inPlace {
		t.Errorf("%s: %d calls failed", where, failed)
	}
	if n := openFiles(t); n > descriptors && j.done != "close" { // then the hook is why it stays open
		t.Errorf("%s: %d descriptors before, %d after", where, descriptors, n)
	}
	content, _ := os.ReadFile(name)
	if string(content) != want {
		t.Errorf("%s: then %q, want %q", where, content, want)
	}
	wantOnly(t, dir, "state", ".safeio-state.lock")
	if err := Update(name, 0o644, appending("+")); err != nil {
		t.Errorf("%s: the next update: %v", where, err)
	}
	wantContent(t, name, want+"+")
	return true
}

func countErrors(visits []*visit) (n int) {
	for _, v := range visits {
		if v.err != nil {
			n++
		}
	}
	return n
}

// wantErrors is how many of three calls fail with a step.
func wantErrors(step string) int {
	switch step {
	case "lock", "read":
		return 1 // the others try for themselves
	case "unlock":
		return 0
	}
	return 3
}

func stacks() string {
	b := make([]byte, 1<<20)
	return string(b[:runtime.Stack(b, true)])
}

// BenchmarkUpdate changes a small file, from one goroutine or many at once.
// The time is that of one change.
func BenchmarkUpdate(b *testing.B) {
	for _, goroutines := range []int{1, 8, 64} {
		b.Run(strconv.Itoa(goroutines), func(b *testing.B) {
			name := filepath.Join(b.TempDir(), "state")
			var begun atomic.Int64
			var wg sync.WaitGroup
			b.ResetTimer()
			for range goroutines {
				wg.Add(1)
				go func() {
					defer wg.Done()
					for n := begun.Add(1); n <= int64(b.N); n = begun.Add(1) {
						err := Update(name, 0o644, result(strconv.FormatInt(n, 10)))
						if err != nil {
							b.Error(err)
						}
					}
				}()
			}
			wg.Wait()
		})
	}
}
