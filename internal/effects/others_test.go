package effects

import (
	"go/ast"
	"testing"

	"github.com/lockvet/lockvet/internal/memory"
)

// TestOthers: who else goes by a file that a function makes is found by the whole
// path or by its last part, in helpers and callers, but not through the function.
func TestOthers(t *testing.T) {
	const made = `func lock(dir string) error {
		f, err := os.OpenFile(filepath.Join(dir, "made.lock"), os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return stale(filepath.Join(dir, "made.lock"))
		}
		defer os.Remove(filepath.Join(dir, "made.lock"))
		return f.Close()
	}
	func stale(path string) error {
		_, err := os.ReadFile(path)
		return err
	}
	func caller(dir string) error { return lock(dir) }
	`
	for _, c := range []struct {
		name, src, other string
	}{
		{"nobody", `func g(dir string) error { return os.Remove(filepath.Join(dir, "other.lock")) }`, ""},
		{"by the whole path", `func g(dir string) error { return os.Remove(filepath.Join(dir, "made.lock")) }`, "g"},
		{"in another directory as the function spells it", `type s struct{ dir string }
		func (x *s) g() ([]byte, error) { return os.ReadFile(x.dir + "/made.lock") }`, "(*s).g"},
		{"through a helper of the function", `func g(dir string) error { return stale(filepath.Join(dir, "made.lock")) }`, "stale"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newWorld(t).build("example.com/agentd/p", "package p\nimport (\"os\"; \"path/filepath\")\n"+made+c.src)
			var at *Effect
			var body ast.Node
			for _, f := range p.Funcs {
				for _, e := range f.Effects {
					if e.Kind == CreateExclusive && len(e.Via) == 0 {
						at, body = e, BodyOf(f.SSA)
					}
				}
			}
			other, ok := p.Others(at, body)
			got := ""
			if other != nil {
				got = memory.FuncName(other.In)
			}
			if !ok || got != c.other {
				t.Errorf("%q, %v; want %q", got, ok, c.other)
			}
		})
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
			p := lockWorld(t).build("example.com/agentd/p", lockSource(c.src))
			f := p.Funcs[0]
			for _, e := range f.Effects {
				if e.Kind == Lock && p.Endless(f, e) != c.endless {
					t.Errorf("endless: %v", !c.endless)
				}
			}
		})
	}
}
