package safeio

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"
)

func init() {
	errands["add-entry"] = func(args []string) error { return addEntry(args[0], args[1]) }
}

// addEntry is what another program does to a map.
func addEntry(name, key string) error {
	return UpdateJSON(name, 0o644, func(v *map[string]int) error {
		if *v == nil {
			*v = map[string]int{}
		}
		(*v)[key]++
		return nil
	})
}

var background = context.Background()

func wantState[T any](t *testing.T, s *State[T], want T) {
	t.Helper()
	if got, err := s.Get(); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
}

func TestState(t *testing.T) {
	needLocks(t)
	dir := t.TempDir()
	name := filepath.Join(dir, "state")
	s := NewState[map[string]int](name, 0o600)
	wantState(t, s, nil)
	wantOnly(t, dir) // reading makes no file

	set := func(key string, n int) error {
		return s.Update(background, func(v *map[string]int) error {
			if *v == nil {
				*v = map[string]int{}
			}
			(*v)[key] = n
			return nil
		})
	}
	if err := set("a", 1); err != nil {
		t.Fatal(err)
	}
	wantState(t, s, map[string]int{"a": 1})
	if got := reported(t, child(t, "add-entry", name, "b")); got != "nil" {
		t.Fatal(got)
	}
	wantState(t, s, map[string]int{"a": 1, "b": 1})
	if err := set("c", 3); err != nil {
		t.Fatal(err)
	}
	wantState(t, NewState[map[string]int](name, 0), map[string]int{"a": 1, "b": 1, "c": 3})

	os.Remove(name)
	wantState(t, s, nil)
	mustWrite(t, name, `{"a":`, 0o600)
	if got, err := s.Get(); err == nil || got != nil || carried(err) != name {
		t.Errorf("broken file: %v, %v", got, err)
	}
	if err := set("a", 1); err == nil {
		t.Error("updated a broken file")
	}
	wantContent(t, name, `{"a":`)
}

// TestStateSharesNothing has callers write to all that they are given.
func TestStateSharesNothing(t *testing.T) {
	needLocks(t)
	type value struct {
		Map   map[string][]int
		Slice []*int
	}
	one := 1
	fresh := func() value { return value{Map: map[string][]int{"a": {1}}, Slice: []*int{&one}} }
	name := filepath.Join(t.TempDir(), "state")
	s := NewState[value](name, 0o644)
	spoil := func(v value) {
		v.Map["a"][0], v.Map["b"] = 9, nil
		*v.Slice[0] = 9
	}
	var kept value
	err := s.Update(background, func(v *value) error {
		*v = fresh()
		two := 1
		v.Slice[0] = &two
		kept = *v
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	age(t, name)
	spoil(kept)
	for range 3 {
		got, err := s.Get()
		if err != nil || !reflect.DeepEqual(got, fresh()) {
			t.Fatalf("got %+v, %v", got, err)
		}
		spoil(got)
	}
	s.Update(background, func(v *value) error { spoil(*v); return errors.New("no") })
	wantState(t, s, fresh())
}

// age makes the file look as if it was written long ago.
func age(t *testing.T, name string) {
	t.Helper()
	long := time.Now().Add(-time.Hour).Truncate(time.Second)
	if err := os.Chtimes(name, long, long); err != nil {
		t.Fatal(err)
	}
}

// TestStateNotices changes the file in all ways that should be noticed.
func TestStateNotices(t *testing.T) {
	needLocks(t)
	for what, change := range map[string]func(t *testing.T, name string){
		"replaced, same size and time": func(t *testing.T, name string) {
			if err := WriteFile(name, []byte("2"), 0o644); err != nil {
				t.Fatal(err)
			}
			age(t, name)
		},
		"another size": func(t *testing.T, name string) { mustWrite(t, name, "2 ", 0o644); age(t, name) },
		"another time": func(t *testing.T, name string) { mustWrite(t, name, "2", 0o644) },
		"link": func(t *testing.T, name string) {
			mustWrite(t, name+"2", "2", 0o644)
			age(t, name+"2")
			os.Remove(name)
			symlink(t, name+"2", name)
		},
	} {
		t.Run(what, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "state")
			mustWrite(t, name, "1", 0o644)
			age(t, name)
			s := NewState[int](name, 0o644)
			wantState(t, s, 1)
			change(t, name)
			wantState(t, s, 2)
		})
	}
}

// TestStateReadsOnlyWhatChanged looks at what Get keeps.
func TestStateReadsOnlyWhatChanged(t *testing.T) {
	needLocks(t)
	name := filepath.Join(t.TempDir(), "state")
	mustWrite(t, name, "1", 0o644)
	age(t, name)
	s := NewState[int](name, 0o644)
	wantState(t, s, 1)
	kept := s.last.Load()
	wantState(t, s, 1)
	if kept == nil || s.last.Load() != kept {
		t.Error("an unchanged file was read again")
	}
}

// TestStateNoticesWithinOneTick changes a young file so that nothing about it
// is different but what it holds: the clock of its file system has not moved on.
func TestStateNoticesWithinOneTick(t *testing.T) {
	needLocks(t)
	name := filepath.Join(t.TempDir(), "state")
	now := time.Now().Truncate(time.Second)
	s := NewState[int](name, 0o644)
	for i := range 10 {
		mustWrite(t, name, strconv.Itoa(i), 0o644) // in place: the same file
		if err := os.Chtimes(name, now, now); err != nil {
			t.Fatal(err)
		}
		wantState(t, s, i)
	}
}

// TestStateIsNewest has Get follow another writer that commits as fast as it can.
func TestStateIsNewest(t *testing.T) {
	needLocks(t)
	name := filepath.Join(t.TempDir(), "state")
	s, other := NewState[int](name, 0o644), NewState[int](name, 0o644)
	for i := 1; i < 100; i++ {
		if err := other.Update(background, func(v *int) error { *v++; return nil }); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Get(); got != i || err != nil {
			t.Fatalf("after commit %d: %d, %v", i, got, err)
		}
	}
}

// TestStateIsNotChanged by calls that do not succeed.
func TestStateIsNotChanged(t *testing.T) {
	needLocks(t)
	failure := errors.New("no such luck")
	cancelled, cancel := context.WithCancel(background)
	cancel()
	add := func(v *[]string) error { *v = append(*v, "phantom"); return nil }
	for what, call := range map[string]func(s *State[[]string]) error{
		"error": func(s *State[[]string]) error {
			return s.Update(background, func(v *[]string) error { add(v); (*v)[0] = "x"; return failure })
		},
		"cancelled": func(s *State[[]string]) error { return s.Update(cancelled, add) },
		"not written": func(s *State[[]string]) error {
			s.opts = failing("sync", syscall.EIO)
			return s.Update(background, add)
		},
		"not locked": func(s *State[[]string]) error {
			s.opts = failing("lock", syscall.EIO)
			return s.Update(background, add)
		},
		"panic": func(s *State[[]string]) (err error) {
			defer func() { err = recover().(error) }()
			s.Update(background, func(v *[]string) error { add(v); (*v)[0] = "x"; panic(failure) })
			return nil
		},
		"exit": func(s *State[[]string]) (err error) {
			var wg sync.WaitGroup
			wg.Add(1)
			go func() {
				defer wg.Done()
				s.Update(background, func(v *[]string) error { add(v); (*v)[0] = "x"; runtime.Goexit(); return nil })
			}()
			wg.Wait()
			return failure
		},
	} {
		t.Run(what, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "state")
			s := NewState[[]string](name, 0o644)
			if err := s.Update(background, func(v *[]string) error { *v = []string{"one"}; return nil }); err != nil {
				t.Fatal(err)
			}
			before := mustRead(t, name)
			if call(s) == nil {
				t.Error("no error")
			}
			wantState(t, s, []string{"one"})
			wantContent(t, name, before)
			s.opts = Options{}
			if err := s.Update(background, add); err != nil {
				t.Error(err)
			}
			wantState(t, s, []string{"one", "phantom"})
		})
	}
}

func TestStatePublished(t *testing.T) {
	needLocks(t)
	name := filepath.Join(t.TempDir(), "state")
	s := NewState[int](name, 0o644)
	s.opts = failing("syncdir", syscall.EIO)
	if err := s.Update(background, func(v *int) error { *v = 1; return nil }); !errors.Is(err, ErrPublished) {
		t.Errorf("error %v", err)
	}
	wantState(t, s, 1)
}

func TestStateManyGoroutines(t *testing.T) {
	needLocks(t)
	const writers, each = 8, 10
	name := filepath.Join(t.TempDir(), "state")
	s := NewState[map[string]int](name, 0o644)
	var wg sync.WaitGroup
	done := make(chan struct{})
	for range 3 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for seen := 0; ; {
				v, err := s.Get()
				if err != nil || v["sum"] < seen {
					t.Errorf("%d after %d, %v", v["sum"], seen, err)
				}
				seen = v["sum"]
				if v != nil {
					v["sum"] = -1
				}
				select {
				case <-done:
					return
				default:
				}
			}
		}()
	}
	var adding sync.WaitGroup
	for i := range writers {
		adding.Add(1)
		go func() {
			defer adding.Done()
			for range each {
				err := s.Update(background, func(v *map[string]int) error {
					if *v == nil {
						*v = map[string]int{}
					}
					(*v)["sum"]++
					(*v)[fmt.Sprint(i)]++
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			}
		}()
	}
	adding.Wait()
	close(done)
	wg.Wait()
	got, err := ReadJSON[map[string]int](name)
	if err != nil || got["sum"] != writers*each || len(got) != writers+1 {
		t.Errorf("%v, %v", got, err)
	}
}

// The field report (MoonshotAI/kimi-cli#1520): a session's history is changed
// in memory, then its file is to be written under a lock. A turn that the
// user interrupts while it waits for the lock leaves a message that only this
// process sees; one that goes on waiting while the session is cleared leaves
// a message that only the file has.

// A transcript is what the session of the report holds.
type transcript struct {
	History    []string
	Tokens     int
	Checkpoint int
}

func (v *transcript) add(message string) {
	v.History = append(v.History, message)
	v.Tokens++
	v.Checkpoint++
}

func (v *transcript) leave() {}

func (v *transcript) clear() { *v = transcript{} }

type session interface {
	appendMessage(ctx context.Context, message string) error

	// during starts a change and stays in the middle of it until finish is called.
	during(change func(*transcript)) (finish func())

	// waiting reports whether a call waits for that change.
	waiting() bool

	// live is what this process shows.
	live() transcript
}

// An early session is the report's: memory first, then the lock.
type early struct {
	name  string
	lock  chan struct{} // full while held
	mu    sync.Mutex    // only keeps the race detector quiet, as asyncio would
	now   transcript
	waits bool
}

func (s *early) appendMessage(ctx context.Context, message string) error {
	s.mu.Lock()
	s.now.add(message)
	s.waits = len(s.lock) > 0
	s.mu.Unlock()
	select {
	case s.lock <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-s.lock }()
	return UpdateJSON(s.name, 0o644, func(v *transcript) error { v.add(message); return nil })
}

func (s *early) during(change func(*transcript)) (finish func()) {
	s.lock <- struct{}{}
	return func() {
		s.mu.Lock()
		change(&s.now)
		s.mu.Unlock()
		UpdateJSON(s.name, 0o644, func(v *transcript) error { change(v); return nil })
		<-s.lock
	}
}

func (s *early) waiting() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.waits
}

func (s *early) live() transcript {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

// A kept session is the same with a State.
type kept struct{ *State[transcript] }

func (s kept) appendMessage(ctx context.Context, message string) error {
	return s.Update(ctx, func(v *transcript) error { v.add(message); return nil })
}

func (s kept) during(change func(*transcript)) (finish func()) {
	begun, end, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		s.Update(background, func(v *transcript) error {
			close(begun)
			<-end
			change(v)
			return nil
		})
	}()
	<-begun
	return func() { close(end); <-done }
}

func (s kept) waiting() bool { return queued(s.name) > 0 }

func (s kept) live() transcript {
	v, _ := s.Get()
	return v
}

// TestFieldReport004 plays the two schedules of the report, and sees the
// defect in the program that had it.
func TestFieldReport004(t *testing.T) {
	needLocks(t)
	for _, program := range []struct {
		what    string
		start   func(name string) session
		differs bool
	}{
		{"early", func(name string) session { return &early{name: name, lock: make(chan struct{}, 1)} }, true},
		{"State", func(name string) session { return kept{NewState[transcript](name, 0o644)} }, false},
	} {
		for schedule, play := range map[string]func(*testing.T, session){"interrupted": interrupted, "overtaken": overtaken} {
			t.Run(program.what+", "+schedule, func(t *testing.T) {
				name := filepath.Join(t.TempDir(), "context.json")
				s := program.start(name)
				if err := s.appendMessage(background, "first"); err != nil {
					t.Fatal(err)
				}
				play(t, s)
				resumed, err := ReadJSON[transcript](name)
				if err != nil {
					t.Fatal(err)
				}
				if live := s.live(); reflect.DeepEqual(live, resumed) == program.differs {
					t.Errorf("live: %+v, after a restart: %+v", live, resumed)
				}
			})
		}
	}
}

// interrupted: the user cancels a turn that waits for the lock.
func interrupted(t *testing.T, s session) {
	finish := s.during((*transcript).leave)
	ctx, cancel := context.WithCancel(background)
	done := make(chan error)
	go func() { done <- s.appendMessage(ctx, "phantom") }()
	eventually(t, "the turn to wait", s.waiting)
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	finish()
}

// overtaken: a turn that its interruption has not reached (asyncio.shield)
// waits while the session is cleared.
func overtaken(t *testing.T, s session) {
	finish := s.during((*transcript).clear)
	done := make(chan error)
	go func() { done <- s.appendMessage(background, "late") }()
	eventually(t, "the turn to wait", s.waiting)
	finish()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
