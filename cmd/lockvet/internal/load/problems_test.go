package load

import (
	"testing"

	"golang.org/x/tools/go/packages"
)

// TestEchoes: of an import that cannot be had it is said once what is wrong.
func TestEchoes(t *testing.T) {
	denied := packages.Error{Pos: "a.go:15:2", Msg: "example.com/m@v1.2.0: reading https://proxy/m.zip: 403 Forbidden", Kind: packages.ListError}
	for _, c := range []struct {
		name   string
		errors []packages.Error
		denied bool
		want   []string
	}{
		{
			"a module that cannot be had", []packages.Error{
				denied,
				{Pos: "b.go:7:2", Msg: denied.Msg, Kind: packages.ListError},
				{Pos: "a.go:16:2", Msg: "m redeclared in this block", Kind: packages.TypeError},
				{Pos: "a.go:4:2", Msg: "could not import bytes (no metadata for bytes)", Kind: packages.TypeError},
				{Pos: "a.go:15:2", Msg: "could not import example.com/m/x (no metadata for example.com/m/x)", Kind: packages.TypeError},
			},
			true, []string{"a.go:15:2: " + denied.Msg},
		},
		{
			"a package of a module that is there", []packages.Error{
				{Pos: "a.go:15:2", Msg: "no required module provides package example.com/m/x", Kind: packages.ListError},
				{Pos: "a.go:15:2", Msg: `could not import example.com/m/x (invalid package name: "")`, Kind: packages.TypeError},
				{Pos: "a.go:16:2", Msg: `could not import example.com/more (invalid package name: "")`, Kind: packages.TypeError},
			},
			false, []string{"a.go:15:2: no required module provides package example.com/m/x", `a.go:16:2: could not import example.com/more (invalid package name: "")`},
		},
		{
			"what nothing else tells of", []packages.Error{
				{Pos: "a.go:4:2", Msg: "could not import example.com/x (no metadata for example.com/x)", Kind: packages.TypeError},
			},
			false, []string{"a.go:4:2: could not import example.com/x: a download (go mod download) or a build tag (-tags) may be missing"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			other := &packages.Package{ID: "q", PkgPath: "q", Errors: []packages.Error{{Pos: "q.go:1:1", Msg: "undefined: x", Kind: packages.TypeError}}}
			broken := &packages.Package{ID: "p", PkgPath: "p", Errors: c.errors}
			above := &packages.Package{ID: "r", PkgPath: "r", Imports: map[string]*packages.Package{"p": broken}}
			if c.denied {
				above.Errors = []packages.Error{{Pos: "r.go:1:1", Msg: "undefined: y", Kind: packages.TypeError}}
			}
			got := Problems([]*packages.Package{above, other})
			c.want = append(c.want, "q.go:1:1: undefined: x") // which has nothing to do with it
			if len(got) != len(c.want) {
				t.Fatalf("%d problems, want %d: %v", len(got), len(c.want), got)
			}
			for i, p := range got {
				if p.String() != c.want[i] {
					t.Errorf("%q, want %q", p, c.want[i])
				}
			}
		})
	}
}
