package analyzer_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// notNames are words that a name does not have: the field has others for what they mean.
var notNames = map[string]bool{
	"road": true, "leads": true, "settle": true, "settles": true, "settled": true, "anew": true, "renew": true,
	"swallow": true, "attends": true, "twice": true, "gives": true, "given": true, "lend": true, "lends": true, "lent": true,
	"kept": true, "marks": true, "dance": true, "scene": true, "heed": true, "mend": true, "mends": true, "mended": true, "spared": true,
}

// TestNames: what packages declare is named in the words of the field.
func TestNames(t *testing.T) {
	words := regexp.MustCompile(`[A-Z]?[a-z]+|[A-Z]+`)
	fset := token.NewFileSet()
	check := func(ids ...*ast.Ident) {
		for _, id := range ids {
			for _, w := range words.FindAllString(id.Name, -1) {
				if notNames[strings.ToLower(w)] {
					t.Errorf("%s: %s: another word than %q", fset.Position(id.Pos()), id.Name, w)
				}
			}
		}
	}
	err := filepath.WalkDir("..", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "testdata":
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		f, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				check(n.Name)
				return false // what is declared in it has a scope that is seen at once
			case *ast.TypeSpec:
				check(n.Name)
			case *ast.ValueSpec:
				check(n.Names...)
			case *ast.Field:
				check(n.Names...)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
