package memory_test

import (
	"strings"
	"testing"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/effects/effectstest"
)

// from writes what the last write of f derives from.
func fromOf(f *effects.Func) string {
	var parts []string
	for _, e := range f.Effects {
		if e.Kind != effects.Write && e.Kind != effects.Replace {
			continue
		}
		parts = nil
		for _, s := range e.From {
			if s.File() != nil {
				parts = append(parts, "file "+s.File().String())
			} else {
				parts = append(parts, s.Term.String())
			}
		}
	}
	return strings.Join(parts, ", ")
}

func TestSources(t *testing.T) {
	const header = `
type entry struct{ ID string; N int }
type state struct{ Entries []entry; Last string }
func load(path string) (*state, error) {
	data, err := os.ReadFile(path)
	if err != nil { return nil, err }
	var s state
	if err := json.Unmarshal(data, &s); err != nil { return nil, err }
	return &s, nil
}
func save(path string, s *state) error {
	data, err := json.MarshalIndent(s, "", " ")
	if err != nil { return err }
	return os.WriteFile(path, data, 0o600)
}
`
	for _, tt := range []struct{ name, src, want string }{
		{"constant", `func f(path string) { os.WriteFile(path, []byte("x"), 0o600) }`, ""},
		{"parameter", `func f(path string, b []byte) { os.WriteFile(path, b, 0o600) }`, "b"},
		{"copy", `func f(from, to string) { b, _ := os.ReadFile(from); os.WriteFile(to, b, 0o600) }`, "file from"},
		{"decoded", `func f(path string) { b, _ := os.ReadFile(path); var s state; json.Unmarshal(b, &s); s.Last = "x"; out, _ := json.Marshal(s); os.WriteFile(path, out, 0o600) }`, "file path"},
		{"pointer", `func f(path string) { b, _ := os.ReadFile(path); s := &state{}; json.Unmarshal(b, s); out, _ := json.Marshal(s); os.WriteFile(path, out, 0o600) }`, "file path"},
		{"map", `func f(path string) { b, _ := os.ReadFile(path); m := map[string]int{}; json.Unmarshal(b, &m); m["a"]++; out, _ := json.Marshal(m); os.WriteFile(path, out, 0o600) }`, "file path"},
		{"helpers", `func f(path string) { s, _ := load(path); s.Last = "x"; save(path, s) }`, "file path"},
		{"new content", `func f(path string) { s, _ := load(path); if s.Last == "x" { save(path, &state{Last: "y"}) } }`, ""},
		{"filtered", `func f(path string) { s, _ := load(path); var keep []entry; for _, e := range s.Entries { if e.ID != "x" { keep = append(keep, e) } }; save(path, &state{Entries: keep}) }`, "file path"},
		{"into a parameter", `func into(path string, v any) error { b, _ := os.ReadFile(path); return json.Unmarshal(b, v) }
func f(path string) { var s state; into(path, &s); s.Last = "x"; save(path, &s) }`, "file path"},
		{"decoder", `func f(path string) { r, _ := os.Open(path); var s state; json.NewDecoder(r).Decode(&s); save(path, &s) }`, "file path"},
		{"one handle", `func f(path string) { r, _ := os.OpenFile(path, os.O_RDWR, 0); b, _ := io.ReadAll(r); r.Truncate(0); r.Write(append(b, 'x')) }`, "file path"},
		{"encoder on a buffer", `func f(path string) { s, _ := load(path); var buf bytes.Buffer; json.NewEncoder(&buf).Encode(s); os.WriteFile(path, buf.Bytes(), 0o600) }`, "file path"},
		{"closure", `func with(fn func() error) error { return fn() }
func f(path string) { s, _ := load(path); with(func() error { s.Last = "x"; return save(path, s) }) }`, "file path"},
		{"both in a closure", `func with(fn func() error) error { return fn() }
func f(path string) { with(func() error { s, _ := load(path); s.Last = "x"; return save(path, s) }) }`, "file path"},
		{"loaded in a closure", `func with(fn func() error) error { return fn() }
func f(path string) { var s *state; with(func() error { s, _ = load(path); return nil }); save(path, s) }`, "file path"},
		{"callback", `func edit(path string, fn func(*state) error) { s, _ := load(path); fn(s); save(path, s) }
func f(path string) { edit(path, func(s *state) error { s.Last = "x"; return nil }) }`, "file path"},
		{"text", `func f(path string) { b, _ := os.ReadFile(path); lines := strings.Split(string(b), "\n"); lines = append(lines, "x"); os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600) }`, "file path"},
		{"counter", `func f(path string) { b, _ := os.ReadFile(path); n, _ := strconv.Atoi(string(b)); n++; os.WriteFile(path, []byte(strconv.Itoa(n)), 0o600) }`, "file path"},
		{"length", `func f(path string) { b, _ := os.ReadFile(path); os.WriteFile(path, []byte(strconv.Itoa(len(b))), 0o600) }`, ""},
		{"lines", `func f(path string) { r, _ := os.Open(path); var out []string; sc := bufio.NewScanner(r); for sc.Scan() { out = append(out, sc.Text()) }; os.WriteFile(path, []byte(strings.Join(out, "\n")), 0o600) }`, "file path"},
		{"a literal called at once", `func f(path string) { s := func() *state { s, _ := load(path); return s }(); s.Last = "x"; save(path, s) }`, "file path"},
		{"copied into a slice", `func f(path string) { s, _ := load(path); all := make([]entry, len(s.Entries)); copy(all, s.Entries); save(path, &state{Entries: all}) }`, "file path"},
		{"a generic loader", `func loadAs[T any](path string) (T, error) { var v T; b, _ := os.ReadFile(path); err := json.Unmarshal(b, &v); return v, err }
func f(path string) { s, _ := loadAs[state](path); s.Last = "x"; save(path, &s) }`, "file path"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := fromOf(effectstest.Body(t, header+tt.src)); got != tt.want {
				t.Errorf("derives from %q, want %q", got, tt.want)
			}
		})
	}
}

func TestSourcesInMemory(t *testing.T) {
	const header = `
type store struct { path string; items map[string]string; n int }
func (s *store) load() error { b, err := os.ReadFile(s.path); if err != nil { return err }; return json.Unmarshal(b, &s.items) }
func (s *store) save() error { b, err := json.Marshal(s.items); if err != nil { return err }; return os.WriteFile(s.path, b, 0o600) }
`
	for _, tt := range []struct{ name, src, want string }{
		{"between methods", `func (s *store) f() { s.load(); s.items["a"] = "b"; s.save() }`, "s.items, file s.path"},
		{"not loaded", `func (s *store) f() { s.items["a"] = "b"; s.save() }`, "s.items"},
		{"loaded too late", `func (s *store) f() { s.save(); s.load() }`, "s.items"},
		{"another field", `func (s *store) loadN() { b, _ := os.ReadFile(s.path); json.Unmarshal(b, &s.n) }
func (s *store) f() { s.loadN(); s.save() }`, "s.items"},
		{"assigned", `func read(path string) map[string]string { b, _ := os.ReadFile(path); m := map[string]string{}; json.Unmarshal(b, &m); return m }
func (s *store) f() { s.items = read(s.path); s.save() }`, "s.items, file s.path"},
		{"of a local object", `func f() { s := &store{path: "a.json"}; s.load(); s.items["a"] = "b"; s.save() }`, "file path"},
		{"whole object", `func (s *store) saveAll() { b, _ := json.Marshal(s); os.WriteFile(s.path, b, 0o600) }
func (s *store) f() { s.load(); s.saveAll() }`, "s, file s.path"},
		{"object loaded whole, a field saved", `func (s *store) loadAll() { b, _ := os.ReadFile(s.path); json.Unmarshal(b, s) }
func (s *store) f() { s.loadAll(); s.save() }`, "s.items, file s.path"},
		{"package variable", `var all map[string]string
func load2() { b, _ := os.ReadFile("a.json"); json.Unmarshal(b, &all) }
func save2() { b, _ := json.Marshal(all); os.WriteFile("a.json", b, 0o600) }
func f() { load2(); save2() }`, "p.all, file a.json"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := fromOf(effectstest.Body(t, header+tt.src)); got != tt.want {
				t.Errorf("derives from %q, want %q", got, tt.want)
			}
		})
	}
}

// What a package's functions read and write reaches its importers.
func TestSourcesAcrossPackages(t *testing.T) {
	w := effectstest.New(t)
	w.Build("example.com/agentd/store", `package store
import ("encoding/json"; "os")
type State struct { Last string }
func Load(path string) (*State, error) { b, err := os.ReadFile(path); if err != nil { return nil, err }; var s State; return &s, json.Unmarshal(b, &s) }
func Save(path string, s *State) error { b, err := json.Marshal(s); if err != nil { return err }; return os.WriteFile(path, b, 0o600) }
func Into(path string, v any) error { b, err := os.ReadFile(path); if err != nil { return err }; return json.Unmarshal(b, v) }
type Registry struct { Path string; items []string }
func (r *Registry) Load() error { b, err := os.ReadFile(r.Path); if err != nil { return err }; return json.Unmarshal(b, &r.items) }
func (r *Registry) Save() error { b, err := json.Marshal(r.items); if err != nil { return err }; return os.WriteFile(r.Path, b, 0o600) }
`)
	p := w.Build("example.com/agentd/cmd", `package cmd
import ("os"; "example.com/agentd/store")
func helper(path string) { s, _ := store.Load(path); s.Last = "x"; store.Save(path, s) }
func into(path string) { var s store.State; store.Into(path, &s); store.Save(path, &s) }
func gate() { os.Remove("") }
`)
	for _, name := range []string{"helper", "into"} {
		if got := fromOf(effectstest.Find(t, p, name)); got != "file path" {
			t.Errorf("%s derives from %q", name, got)
		}
	}
}

// readsOf writes what reads the memory that the last write of f derives from.
func readsOf(f *effects.Func) string {
	var parts []string
	for _, e := range f.Effects {
		if e.Kind != effects.Write && e.Kind != effects.Replace {
			continue
		}
		parts = nil
		for _, s := range e.From {
			for _, i := range s.Reads {
				at := "before"
				if i == e.At {
					at = "there"
				}
				parts = append(parts, s.Term.String()+" "+at)
			}
		}
	}
	return strings.Join(parts, ", ")
}

func TestReads(t *testing.T) {
	const header = `
type store struct { path string; items map[string]int; all []int; limit int }
func (s *store) list() []int { return append([]int(nil), s.all...) }
func (s *store) write(v any) error { b, err := json.Marshal(v); if err != nil { return err }; return os.WriteFile(s.path, b, 0o600) }
func (s *store) save() error { b, err := json.Marshal(s.items); if err != nil { return err }; return os.WriteFile(s.path, b, 0o600) }
`
	for _, tt := range []struct{ name, src, want string }{
		{"encoded", `func (s *store) f() { b, _ := json.Marshal(s.items); os.WriteFile(s.path, b, 0o600) }`, "s.items before"},
		{"the whole object", `func (s *store) f() { b, _ := json.Marshal(s); os.WriteFile(s.path, b, 0o600) }`, "s before"},
		{"a copy", `func (s *store) f() { c := append([]int(nil), s.all...); s.write(c) }`, "s.all before"},
		{"copied", `func (s *store) f() { c := make([]int, len(s.all)); copy(c, s.all); s.write(c) }`, "s.all before"},
		{"a copy of a helper", `func (s *store) f() { s.write(s.list()) }`, "s.all before"},
		{"in the call", `func (s *store) f() { s.save() }`, "s.items there"},
		{"in the call, changed before", `func (s *store) f() { s.items["a"] = s.limit; s.save() }`, "s.items there"},
		{"in a goroutine", `func (s *store) f() { go func() { s.save() }() }`, "s.items there"},
		{"in front of a goroutine", `func (s *store) f() { c := s.list(); go func() { s.write(c) }() }`, "s.all before"},
		{"in a literal", `func (s *store) f() { c := func() []int { return s.list() }(); s.write(c) }`, "s.all before"},
		{"given", `func (s *store) f(items map[string]int) { s.write(items) }`, "items there"},
		{"of the package", `var all []int
func f() { b, _ := json.Marshal(all); os.WriteFile("a.json", b, 0o600) }`, "p.all before"},
		{"in two places", `func (s *store) f(b bool) { c := s.list(); if b { c = append(c, s.all...) }; s.write(c) }`, "s.all before, s.all before"},
		{"put there before", `func (s *store) limits() map[string]int { return map[string]int{"a": s.limit} }
func (s *store) f() { s.items = s.limits(); s.save() }`, "s.items there"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := readsOf(effectstest.Body(t, header+tt.src)); got != tt.want {
				t.Errorf("is read by %q, want %q", got, tt.want)
			}
		})
	}
}
