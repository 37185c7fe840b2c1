package memory_test

import (
	"slices"
	"testing"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/effects/effectstest"
)

// TestTerms lists paths that a program spells in different ways.
func TestTerms(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"join", `func f(d string) { os.Remove(filepath.Join(d, "a", "b")) }`, "d/a/b"},
		{"concatenation", `func f(d string) { os.Remove(d + "/" + "a.json") }`, "d/a.json"},
		{"a local variable", `func f(d string) { p := d; p += "/x"; os.Remove(p) }`, "d/x"},
		{"a struct literal", `type t struct{ p string }
		func f(d string) { v := t{p: d}; os.Remove(v.p) }`, "d"},
		{"a pointer to one", `type t struct{ p string }
		func f(d string) { v := &t{d + "/a"}; os.Remove(v.p) }`, "d/a"},
		{"a literal that is changed", `type t struct{ p string }
		func f(d string) { v := &t{d}; v.p = "b"; os.Remove(v.p) }`, "p"},
		{"a copy of a copy is unknown", `type t struct{ p string }
		func g() t
		func f(d string) { v := g(); os.Remove(v.p) }`, "v.p"},
		{"an accessor", `type t struct{ d string }
		func (v *t) path() string { return filepath.Join(v.d, "a") }
		func f(v *t) { os.Remove(v.path()) }`, "v.d/a"},
		{"an accessor with an error", `func path(d string) (string, error) {
			if d == "" {
				return "", errors.New("no")
			}
			return d + "/a", nil
		}
		func f(d string) { p, _ := path(d); os.Remove(p) }`, "d/a"},
		{"a captured variable", `func f(d string) { func() { os.Remove(d) }() }`, "d"},
		{"captured twice", `func f(d string) { func() { func() { os.Remove(d + "/x") }() }() }`, "d/x"},
		{"captured beside a parameter", `func f(d string) { func(n string) { os.Remove(d + n) }("y") }`, "{d}y"},
		{"a variable set in a literal", `func f(d string) { var p string; func() { p = d }(); os.Remove(p) }`, "d"},
		{"a package variable", `var home = "/srv"
		func f() { os.Remove(home) }`, "p.home"},
		{"a constant", `const home = "/srv"
		func f() { os.Remove(home + "/a") }`, "/srv/a"},
		{"the name of a handle", `func f(p string) { h, _ := os.Create(p); os.Remove(h.Name()) }`, "p"},
		{"one of two", `func f(c bool) {
			p := "a"
			if c {
				p = "b"
			}
			os.Remove(p)
		}`, "a or b"},
		{"a default", `func f(p string) {
			var q string
			if p != "" {
				q = p
			}
			os.Remove(q)
		}`, "p"},
		{"an argument", `func f() { os.Remove(os.Args[1]) }`, "argument[1]"},
		{"any argument", `func f(i int) { os.Remove(os.Args[i]) }`, "argument[…]"},
		{"appended bytes", `func f(b []byte) { os.Remove(string(append(b, 'x'))) }`, "b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := effectstest.Body(t, c.text)
			i := slices.IndexFunc(f.Effects, func(e *effects.Effect) bool { return e.Kind == effects.Remove })
			if i < 0 {
				t.Fatal("nothing is removed")
			}
			if got := f.Effects[i].Path.String(); got != c.want {
				t.Errorf("the path is %s, want %s", got, c.want)
			}
		})
	}
}
