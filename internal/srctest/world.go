package srctest

import (
	"fmt"
	"go/types"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
)

// A World is a set of packages that import each other, with the facts that passes over
// them have exported.
type World struct {
	t        testing.TB
	packages *Packages
	// Objects are the facts of objects, Folders those of packages.
	Objects map[types.Object][]analysis.Fact
	Folders map[*types.Package][]analysis.Fact
}

// NewWorld is a world without packages.
func NewWorld(t testing.TB) *World {
	return &World{t: t, packages: New(), Objects: map[types.Object][]analysis.Fact{}, Folders: map[*types.Package][]analysis.Fact{}}
}

// Pass adds a package of one file and gives a pass over it, which imports and exports
// facts. A package that does not compile ends the test.
func (w *World) Pass(path, src string) *analysis.Pass {
	w.t.Helper()
	pass, err := w.Check(path, src)
	if err != nil {
		w.t.Fatal(err)
	}
	return pass
}

// Check is Pass for a package that may not compile.
func (w *World) Check(path, src string) (*analysis.Pass, error) {
	pass, err := w.packages.Check(path, src)
	if err != nil {
		return nil, err
	}
	pass.ImportObjectFact = func(o types.Object, f analysis.Fact) bool { return put(w.Objects[o], f) }
	pass.ImportPackageFact = func(p *types.Package, f analysis.Fact) bool { return put(w.Folders[p], f) }
	pass.ExportObjectFact = func(o types.Object, f analysis.Fact) { w.Objects[o] = append(w.Objects[o], f) }
	pass.ExportPackageFact = func(f analysis.Fact) { w.Folders[pass.Pkg] = append(w.Folders[pass.Pkg], f) }
	return pass, nil
}

// put sets a fact to the one of its type in a list, and reports whether there is one.
func put(facts []analysis.Fact, to analysis.Fact) bool {
	i := slices.IndexFunc(facts, func(f analysis.Fact) bool { return reflect.TypeOf(f) == reflect.TypeOf(to) })
	if i >= 0 {
		reflect.ValueOf(to).Elem().Set(reflect.ValueOf(facts[i]).Elem())
	}
	return i >= 0
}

// Complete completes a file: its package clause, an import for every package that
// it names, and a function that gets it past the gate.
func Complete(text string) string {
	var b strings.Builder
	b.WriteString("package p\n")
	for name, path := range map[string]string{
		"os": "os", "json": "encoding/json", "syscall": "syscall", "bufio": "bufio", "filepath": "path/filepath", "io": "io",
		"errors": "errors", "bytes": "bytes", "sync": "sync", "strings": "strings", "strconv": "strconv",
		"fmt": "fmt", "gzip": "compress/gzip", "time": "time",
	} {
		if name == "os" || regexp.MustCompile(`\b`+name+`\.`).MatchString(text) {
			fmt.Fprintf(&b, "import %q\n", path)
		}
	}
	return b.String() + text + "\nfunc gate() { os.Remove(\"\") }\n"
}
