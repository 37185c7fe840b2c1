package droppedlock

import (
	"testing"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/effects/effectstest"
	"github.com/lockvet/lockvet/internal/failure"
	"github.com/lockvet/lockvet/internal/srctest"
	"github.com/lockvet/lockvet/internal/state"
)

// TestLostLocks: a lock object that nothing refers to is collected with its open
// file.
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
		check := &checker{p: failure.Of(p), x: state.NewIndex(p, state.Options{})}
		got := false
		for _, f := range p.Funcs {
			for _, e := range f.Effects {
				look := check.x.Log().Candidate(Name, e.Pos, f.Name())
				got = got || e.Kind == effects.Lock && check.lost(f, e, look)
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
			got = got || e.Kind == effects.Lock && unasked(e)
		}
		if got != c.unasked {
			t.Errorf("%s: unasked %v, want %v", c.name, got, c.unasked)
		}
	}
}
