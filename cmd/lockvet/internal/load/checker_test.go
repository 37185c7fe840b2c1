package load

import (
	"go/types"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/txtar"
)

// module writes the files of a module and returns how it is loaded.
func module(t *testing.T, archive string) Config {
	t.Helper()
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte("-- go.mod --\nmodule example.com/m\n\ngo 1.24\n" + archive)).Files {
		name := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return Config{Dir: dir}
}

const variants = `
-- p/p.go --
package p

type T struct{}

func New() T { return T{} }
-- p/export_test.go --
package p

func (T) Extra() {}
-- p/p_test.go --
package p_test

import (
	"example.com/m/p"
	"example.com/m/q"
)

func _() {
	q.New().Extra()
	var _ p.T = q.New()
}
-- q/q.go --
package q

import "example.com/m/p"

func New() p.T { return p.New() }
-- r/r.go --
package r

import (
	"example.com/m/p"
	"example.com/m/q"
)

var _ p.T = q.New()
`

// What a package is in a test it is in that test alone, whatever was checked
// before.
func TestCheckKeepsVariantsApart(t *testing.T) {
	c := module(t, variants)
	c.Tests = true
	pkgs, err := c.Packages("./...")
	if err != nil {
		t.Fatal(err)
	}
	byID := make(map[string]*packages.Package)
	for _, p := range pkgs {
		byID[p.ID] = p
	}
	const m = "example.com/m/"
	for _, order := range [][]string{
		{m + "p", m + "p [" + m + "p.test]", m + "p_test [" + m + "p.test]", m + "q", m + "r"},
		{m + "p [" + m + "p.test]", m + "p_test [" + m + "p.test]", m + "q", m + "r", m + "p", m + "r"},
	} {
		checker := c.NewChecker()
		for _, id := range order {
			got := checker.Check(byID[id])
			if len(got.Errors) > 0 {
				t.Errorf("%s: %v", id, got.Errors)
			}
			if got.Name == "r" && types.NewMethodSet(imported(t, got).Scope().Lookup("T").Type()).Len() > 0 {
				t.Error("what p has in its test is there without it")
			}
		}
	}
}

// What the type checker alone refuses is in the package, with its place.
func TestCheckComplains(t *testing.T) {
	c := module(t, "-- m.go --\npackage m\n")
	pkgs, err := c.Packages(".")
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(c.Dir, "m.go")
	for content, want := range map[string]string{
		"package m\n\nvar X int = \"\"\n":        name + ":3:13: cannot use \"\" (untyped string constant) as int value in variable declaration",
		"package m\n\nfunc f( {}\n":              name + ":3:9: expected ')', found '{'",
		"package m\n\nimport _ \"nosuch/pkg\"\n": name + ":3:10: could not import nosuch/pkg (no metadata for nosuch/pkg)",
	} {
		c.Overlay = map[string][]byte{name: []byte(content)}
		p := c.NewChecker().Check(pkgs[0])
		if len(p.Errors) == 0 || p.Errors[0].Error() != want {
			t.Errorf("%q: %v, want %s", content, p.Errors, want)
		}
	}
}

// A checker that remembers enough forgets it all.
func TestCheckForgets(t *testing.T) {
	c := module(t, variants)
	pkgs, err := c.Packages("./r")
	if err != nil {
		t.Fatal(err)
	}
	c.Enough = 1
	checker := c.NewChecker()
	var live atomic.Int32
	const times = 10
	for range times {
		p := checker.Check(pkgs[0])
		live.Add(1)
		runtime.AddCleanup(imported(t, p), func(int) { live.Add(-1) }, 0)
	}
	for deadline := time.Now().Add(20 * time.Second); live.Load() > 1; time.Sleep(time.Millisecond) {
		if runtime.GC(); time.Now().After(deadline) {
			t.Fatalf("of %d times that a package was imported %d are in memory", times, live.Load())
		}
	}
	runtime.KeepAlive(checker)

	c.Enough = 0
	checker = c.NewChecker()
	if imported(t, checker.Check(pkgs[0])) != imported(t, checker.Check(pkgs[0])) {
		t.Error("what was imported is not remembered")
	}
}

// What was checked need not be read, and is forgotten like what was.
func TestCheckRemembers(t *testing.T) {
	c := module(t, variants)
	pkgs, err := c.Packages("./p", "./q")
	if err != nil {
		t.Fatal(err)
	}
	for enough, remembered := range map[int64]bool{0: true, 1: false} {
		c.Enough = enough
		checker := c.NewChecker()
		p := checker.Check(pkgs[0])
		if got := imported(t, checker.Check(pkgs[1])) == p.Types; got != remembered {
			t.Errorf("with %d bytes as enough, a package that was checked is remembered: %v", enough, got)
		}
	}
}

// imported is the first package that p imports.
func imported(t *testing.T, p *packages.Package) *types.Package {
	t.Helper()
	if len(p.Errors) > 0 || len(p.Types.Imports()) == 0 {
		t.Fatalf("%s: %v, imports %v", p.ID, p.Errors, p.Types.Imports())
	}
	return p.Types.Imports()[0]
}
