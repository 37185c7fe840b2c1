package prove

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"testing"
)

// TestRemedies: every end state that a check can ask for has its proof.
func TestRemedies(t *testing.T) {
	known := map[string]bool{}
	for of := range remedies() {
		known[of.Name()] = true
	}
	names, err := filepath.Glob("../../internal/finding/*.go")
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	for _, name := range names {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			fd, ok := d.(*ast.FuncDecl)
			if !ok || fd.Recv == nil || fd.Name.Name != "Place" {
				continue
			}
			asked++
			if of := fd.Recv.List[0].Type.(*ast.Ident).Name; !known[of] {
				t.Errorf("nothing proves that %s can be reached", of)
			}
		}
	}
	if asked != len(remedies()) {
		t.Errorf("%d remedies, %d proofs", asked, len(remedies()))
	}
}
