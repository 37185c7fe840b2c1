package slice

import (
	"go/types"
	"slices"
	"testing"

	"github.com/lockvet/lockvet/internal/srctest"
)

// TestSlice checks which functions of a package are built.
func TestSlice(t *testing.T) {
	for _, c := range []struct {
		name, src string
		want      []string
	}{
		{"what acts, what calls it, what it calls", `
			func save(p string) { os.WriteFile(name(p), nil, 0o600) }
			func name(p string) string { return p + ext() }
			func ext() string { return ".json" }
			func Run() { save("a"); unrelated2() }
			func unrelated() int { return unrelated3() }
			func unrelated2() {}
			func unrelated3() int { return 1 }
			func Deep() { Run() }`,
			[]string{"save", "name", "ext", "Run", "unrelated2", "Deep"}},
		{"a function-valued variable", `
			var write = os.WriteFile
			var dir = home()
			func home() string { return "h" }
			func save() { write(dir, nil, 0o600) }
			func other() {}`,
			[]string{"home", "save"}},
		{"through the package's own interface", `
			type store interface{ put(p string) }
			type disk struct{}
			func (disk) put(p string) { os.Remove(p) }
			func (disk) get() {}
			func use(s store) { s.put("x") }`,
			[]string{"put", "use"}},
		{"what gives a field its only value", `
			type s struct{ path, twice string; n int }
			func newS(d string) *s { x := &s{n: 1}; x.path = d + "/a"; return x }
			func first(x *s) { x.twice = "a" }
			func second() *s { return &s{twice: "b"} }
			func (x *s) save() { os.WriteFile(x.path + x.twice, nil, 0o600) }`,
			[]string{"newS", "save"}},
		{"what gives a variable its only value", `
			var path, twice string
			func setup() { path = "a" }
			func one() { twice = "a" }
			func two() { twice = "b" }
			func save() { os.WriteFile(path + twice, nil, 0o600) }`,
			[]string{"setup", "save"}},
		{"a function in a table is nobody's callee", `
			var passes = []func(){opt, dump}
			func opt() {}
			func dump() { os.Remove("x") }
			func Run() { for _, p := range passes { p() } }`,
			[]string{"dump"}},
		{"a literal in a table", `
			var commands = map[string]func(){"save": func() { save("x") }}
			func save(p string) { os.WriteFile(p, []byte(text()), 0o600) }
			func text() string { return "" }
			func Run() { commands["save"]() }`,
			[]string{"save", "text", "Run"}},
		{"functions in the tables of what is kept", `
			type step struct{ do func() }
			type kit int
			func (kit) wait() {}
			func save(p string, k kit) { run([]func(){idle, k.wait}, step{do: rest}); os.Remove(p) }
			func run([]func(), step) {}
			func idle() { deeper() }
			func deeper() {}
			func rest() {}`,
			[]string{"save", "run"}},
		{"a function without a body", `
			func save(p string) { os.WriteFile(name(p), nil, 0o600) }
			func name(p string) string
			func other(p string) string`,
			[]string{"save"}},
		{"what tells of files and touches none", `
			func save(p string) { os.WriteFile(p, nil, 0o600) }
			func Path() string { return "x" }
			func loadAll(b []byte) (v int) { json.Unmarshal(b, &v); return }
			func parts(b []byte) (v int) { json.Unmarshal(b, &v); return }
			func there() bool { _, err := os.Stat("x"); return err == nil }
			func check() error { _, err := os.Stat("x"); return err }
			//lockvet:state
			func where() int { return 0 }`,
			[]string{"save", "Path", "loadAll", "there", "where"}},
		{"generic functions and methods", `
			type box[T any] struct{ path string }
			func (b *box[T]) save(v T) { write(b.path, v) }
			func write[T any](p string, v T) { os.WriteFile(p, nil, 0o600) }
			func use() { (&box[int]{}).save(1) }
			func rest[T any](v T) {}`,
			[]string{"save", "write", "use"}},
		{"what touches an object that stands for a file, and who calls that", `
			type store struct { mu, other sync.Mutex; path string; n, m int }
			func (s *store) save() { s.mu.Lock(); os.Remove(s.path) }
			func (s *store) count() int { return s.n }
			func (s *store) bump() { s.m++; s.note() }
			func (s *store) note() {}
			func above(s *store) { s.bump() }
			func Above(s *store) { above(s) }
			func Further(s *store) { Above(s) }
			func (s *store) Exported() { s.m++ }
			func beyond(s *store) { s.Exported() }
			func elsewhere() {}`,
			[]string{"save", "count", "bump", "note", "above", "Above", "Exported"}},
		{"who calls what is kept for another reason too", `
			type store struct { mu sync.Mutex; n int }
			func (s *store) save() { s.n++; os.Remove(s.name()) }
			func (s *store) name() string { return string(rune(s.n)) }
			func asks(s *store) { s.name() }
			func Asks(s *store) { asks(s) }`,
			[]string{"save", "name", "asks", "Asks"}},
		{"an object that stands for no file", `
			type cache struct { mu sync.Mutex; n int }
			func (c *cache) bump() { c.mu.Lock(); c.n++ }
			func save() { os.Remove("x") }`,
			[]string{"save"}},
		{"an object that has no lock", `
			type plain struct { path string; n int }
			func (p *plain) save() { os.Remove(p.path) }
			func (p *plain) bump() { p.n++ }`,
			[]string{"save"}},
		{"callers that call each other", `
			type store struct { mu sync.Mutex; n int }
			func (s *store) save() { s.n++; os.Remove("x") }
			func (s *store) bump(k int) { s.n++; even(s, k) }
			func even(s *store, k int) { odd(s, k-1) }
			func odd(s *store, k int) { even(s, k-1); s.bump(k) }`,
			[]string{"save", "bump", "even", "odd"}},
		{"a generic object, an embedded lock, one of another kind", `
			type box[T any] struct { sync.RWMutex; v T; n int }
			func (b *box[T]) save() { b.Lock(); os.Remove("x") }
			func (b *box[T]) bump() { b.n++ }
			func (b *box[T]) rest() {}
			type sem struct { turn chan struct{}; n int }
			func (s *sem) save() { s.turn <- struct{}{}; os.Remove("x") }
			func (s *sem) bump() { s.n++ }
			func (s *sem) rest() {}`,
			[]string{"save", "bump", "save", "bump"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := New(srctest.NewWorld(t).Pass("example.com/agentd/p", srctest.Complete(c.src)), Config{Files: true, Acts: nothing})
			var got []string
			for _, u := range s.units {
				if u.included && u.fn != nil && u.fn.Name.Name != "gate" {
					got = append(got, u.fn.Name.Name)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("kept %q, want %q", got, c.want)
			}
			SSA(s, s.Files()) // it builds
		})
	}
}

// TestSliceOfLocks checks which functions are kept for the sake of a lock alone.
func TestSliceOfLocks(t *testing.T) {
	for _, c := range []struct {
		name, src string
		want      []string
	}{
		{"what touches a type whose mutex two functions name, and the callers", `
			type cache struct { mu sync.Mutex; n int }
			func (c *cache) bump() { c.mu.Lock(); c.n++ }
			func (c *cache) reset() { c.mu.Lock(); c.n = 0 }
			func (c *cache) look() int { return c.n }
			func above(c *cache) int { return c.look() }
			func Above(c *cache) int { return above(c) }
			func Further(c *cache) int { return Above(c) }
			func elsewhere() {}`,
			[]string{"bump", "reset", "look", "above", "Above"}},
		{"one function alone names the mutex", `
			type cache struct { mu sync.Mutex; n int }
			func (c *cache) bump() { c.mu.Lock(); c.n++ }
			func (c *cache) look() int { return c.n }`,
			[]string{"bump"}},
		{"a mutex that is embedded", `
			type cache struct { sync.Mutex; n int }
			func (c *cache) bump() { c.Lock(); c.n++ }
			func (c *cache) reset() { c.Lock(); defer c.Unlock() }
			func (c *cache) look() int { return c.n }`,
			[]string{"bump", "reset", "look"}},
		{"a mutex that is a variable", `
			var mu sync.Mutex
			var n int
			func bump() { mu.Lock(); n++ }
			func reset() { mu.Lock(); n = 0 }
			func look() int { return n }
			func elsewhere() {}`,
			[]string{"bump", "reset", "look"}},
		{"no lock", `
			type plain struct { n int }
			func (p *plain) bump() { p.n++ }
			func (p *plain) reset() { p.n = 0 }`,
			nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			pass := srctest.NewWorld(t).Pass("example.com/agentd/p", srctest.Complete(c.src))
			s := New(pass, Config{Acts: nothing})
			var got []string
			for _, u := range s.units {
				if u.alone {
					got = append(got, u.fn.Name.Name)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("kept %q, want %q", got, c.want)
			}
			if s.Empty() != (c.want == nil) || HasLock(pass.Pkg) != (c.want != nil) {
				t.Errorf("empty: %v, has a lock: %v", s.Empty(), HasLock(pass.Pkg))
			}
			SSA(s, s.Files()) // it builds
		})
	}
}

// nothing is what acts on files by what other packages tell, where there are none.
func nothing(*types.Func) bool { return false }
