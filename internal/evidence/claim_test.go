package evidence

import (
	"go/ast"
	"testing"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/effects/effectstest"
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
			p := effectstest.New(t).Build("example.com/agentd/p", "package p\nimport (\"os\"; \"path/filepath\")\n"+made+c.src)
			var at *effects.Effect
			var body ast.Node
			for _, f := range p.Funcs {
				for _, e := range f.Effects {
					if e.Kind == effects.CreateExclusive && len(e.Via) == 0 {
						at, body = e, effects.BodyOf(f.SSA)
					}
				}
			}
			other, ok := Others(p, at, body)
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

// TestEncodedAs lists what evidence says of an encoder, by its package.
func TestEncodedAs(t *testing.T) {
	for codec, want := range map[string]string{
		"json": "its content is encoded as json", "protojson": "its content is encoded as json",
		"parser": "its content comes from an encoder", "encoder": "its content comes from an encoder",
	} {
		if got := EncodedAs(codec); got != want {
			t.Errorf("%s: %q, want %q", codec, got, want)
		}
	}
}
