package stalesnapshot

import (
	"testing"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/effects/effectstest"
	"github.com/lockvet/lockvet/internal/srctest"
)

func TestPlace(t *testing.T) {
	const header = `
type inner struct { items map[string]int }
type store struct { path string; in inner }
`
	for _, tt := range []struct{ name, src, want string }{
		{"field", `func (s *store) f() { b, _ := json.Marshal(s.in.items); os.WriteFile(s.path, b, 0o600) }`, "s in.items"},
		{"package variable", `var all store
func f() { b, _ := json.Marshal(all.in); os.WriteFile("a.json", b, 0o600) }`, "all in"},
		{"around a literal", `func f(s *store) func() { return func() { b, _ := json.Marshal(s.in); os.WriteFile(s.path, b, 0o600) } }`, "s in"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := effectstest.New(t).Build("example.com/agentd/p", srctest.Complete(header+tt.src))
			var got string
			for _, f := range p.Funcs {
				for _, e := range f.Effects {
					if e.Kind == effects.Write && len(e.From) > 0 {
						of, path := placeOf(f, e.From[0].Term)
						got = of.Name() + " " + path
					}
				}
			}
			if got != tt.want {
				t.Errorf("lies in %q, want %q", got, tt.want)
			}
		})
	}
}

func TestLends(t *testing.T) {
	const header = `
type store struct { items map[string]int; all []int; one *store; n int }
func use(s *store) { os.Remove(""); s.f() }
func clone(m map[string]int) map[string]int { c := map[string]int{}; for k, v := range m { c[k] = v }; return c }
`
	for _, tt := range []struct {
		name, src string
		want      bool
	}{
		{"field", `func (s *store) f() map[string]int { return s.items }`, true},
		{"pointer", `func (s *store) f() (*store, error) { if s.one == nil { s.one = &store{} }; return s.one, nil }`, true},
		{"behind a defer", `func (s *store) f() *store { defer s.done(); return s.one }
func (s *store) done() {}`, true},
		{"one of two", `func (s *store) f() *store { o := &store{}; if s.n > 0 { o = s.one }; return o }`, true},
		{"part", `func (s *store) f() []int { return s.all[1:] }`, true},
		{"grown", `func (s *store) f() []int { return append(s.all, 1) }`, true},
		{"by a helper", `func (s *store) f() *store { return s.same() }
func (s *store) same() *store { return s.one }`, true},
		{"copy", `func (s *store) f() []int { return append([]int(nil), s.all...) }`, false},
		{"map", `func (s *store) f() map[string]int { return clone(s.items) }`, false},
		{"new object", `func (s *store) f() *store { defer s.done(); c := &store{items: clone(s.items)}; return c }
func (s *store) done() {}`, false},
		{"value", `func (s *store) f() store { return *s }`, false},
		{"literal", `func (s *store) f() []int { return []int{s.n} }`, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := effectstest.New(t).Build("example.com/agentd/p", srctest.Complete(header+tt.src))
			if got := returnsAlias(p, effectstest.Find(t, p, "f").SSA); got != tt.want {
				t.Errorf("lends: %v", got)
			}
		})
	}
}
