package droppedlock

import (
	"testing"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/effects/effectstest"
	"github.com/lockvet/lockvet/internal/evidence"
	"github.com/lockvet/lockvet/internal/failure"
	"github.com/lockvet/lockvet/internal/srctest"
)

// TestLostLocks: a lock object that nothing refers to is collected with its open
// file, and so is what a function was handed and has thrown away.
func TestLostLocks(t *testing.T) {
	for _, c := range []struct {
		name, src string
		lost      bool
	}{
		{"tried, and gone while the work is done", `func f(path string, do func()) error {
			l := flock.New(path)
			ok, err := l.TryLock()
			switch {
			case err != nil:
				return err
			case ok:
				do()
			}
			return nil
		}`, true},
		{"let go where it is held", `func f(path string, do func()) error {
			l := flock.New(path)
			if ok, err := l.TryLock(); err != nil || !ok {
				return err
			}
			do()
			return l.Unlock()
		}`, false},
		{"kept in a field", `type t struct{ l *flock.Flock }
		func f(x *t, path string) error {
			x.l = flock.New(path)
			return x.l.Lock()
		}`, false},
		{"returned", `func f(path string) (*flock.Flock, error) {
			l := flock.New(path)
			return l, l.Lock()
		}`, false},
		{"captured", `func f(path string) func() {
			l := flock.New(path)
			l.Lock()
			return func() { l.Unlock() }
		}`, false},
		{"what unlocks is thrown away", `func f(path string) error {
			_, err := lockutil.Acquire(path)
			return err
		}`, true},
		{"what unlocks is deferred", `func f(path string) error {
			unlock, err := lockutil.Acquire(path)
			if err != nil {
				return err
			}
			defer unlock()
			return nil
		}`, false},
		{"a mutex's too", `func f(path string) error {
			_, err := lockedfile.MutexAt(path).Lock()
			return err
		}`, true},
		{"locked by a helper elsewhere", `func f(path string) error {
			g, err := os.Create(path)
			if err != nil {
				return err
			}
			return lockutil.Exclusive(g)
		}`, true},
		{"a question", `func isLocked(path string) bool {
			ok, err := flock.New(path).TryLock()
			return err == nil && !ok
		}
		func f(path string) {}`, false},
	} {
		p := effectstest.NewLocks(t).Build("example.com/agentd/p", srctest.LockSource(c.src))
		check := &checker{p: failure.Of(p), x: evidence.NewIndex(p, evidence.Options{})}
		got := false
		for _, f := range p.Funcs {
			for _, e := range f.Effects {
				got = got || check.lost(f, e)
			}
		}
		if got != c.lost {
			t.Errorf("%s: lost %v, want %v", c.name, got, c.lost)
		}
	}
}

// TestUnaskedLocks: nobody looks at the answer of a lock that is tried.
func TestUnaskedLocks(t *testing.T) {
	for _, c := range []struct {
		name, src string
		unasked   bool
	}{
		{"the answer is dropped", `func f(l *flock.Flock) error { _, err := l.TryLock(); return err }`, true},
		{"the answer is asked", `func f(l *flock.Flock) bool { ok, _ := l.TryLock(); return ok }`, false},
		{"all is dropped", `func f(l *flock.Flock) { l.TryLock() }`, true},
		{"the error is dropped", `func f(l *flock.Flock) { l.Lock() }`, true},
		{"the error is returned", `func f(l *flock.Flock) error { return l.Lock() }`, false},
		{"an unlock", `func f(l *flock.Flock) { l.Unlock() }`, false},
	} {
		p := effectstest.NewLocks(t).Build("example.com/agentd/p", srctest.LockSource(c.src))
		got := false
		for _, e := range effectstest.Find(t, p, "f").Effects {
			got = got || unasked(failure.Of(p), e)
		}
		if got != c.unasked {
			t.Errorf("%s: unasked %v, want %v", c.name, got, c.unasked)
		}
	}
}

// TestEndless: a function with a lock that comes to no end.
func TestEndless(t *testing.T) {
	for _, c := range []struct {
		name, src string
		endless   bool
	}{
		{"for ever", `func f(path string, do func()) error {
			l := flock.New(path)
			if err := l.Lock(); err != nil {
				return err
			}
			for {
				do()
			}
		}`, true},
		{"until something fails", `func f(path string, do func() error) error {
			l := flock.New(path)
			if err := l.Lock(); err != nil {
				return err
			}
			for {
				if err := do(); err != nil {
					return err
				}
			}
		}`, false},
		{"to the end of the work", `func f(path string, do func()) error {
			l := flock.New(path)
			if err := l.Lock(); err != nil {
				return err
			}
			do()
			return nil
		}`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := effectstest.NewLocks(t).Build("example.com/agentd/p", srctest.LockSource(c.src))
			f := p.Funcs[0]
			for _, e := range f.Effects {
				if e.Kind == effects.Lock && endless(failure.Of(p), f, e) != c.endless {
					t.Errorf("endless: %v", !c.endless)
				}
			}
		})
	}
}
