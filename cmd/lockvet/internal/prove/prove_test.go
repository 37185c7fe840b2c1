package prove

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"

	"github.com/lockvet/lockvet/internal/witness"
)

// TestActs: package witness has an experiment for each act that a step of a schedule can name.
func TestActs(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "../../../../internal/finding/finding.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	acts := 0
	ast.Inspect(f, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || spec.Type == nil {
			return true
		}
		if typ, ok := spec.Type.(*ast.Ident); !ok || typ.Name != "Act" {
			return true
		}
		acts++
		act, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		if err != nil || !witness.Known(act) {
			t.Errorf("%s: there is no experiment %q", spec.Names[0].Name, act)
		}
		return true
	})
	if acts == 0 {
		t.Error("there are no acts")
	}
}
