package rewrite

import (
	"bytes"
	"errors"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/aymanbagabas/go-udiff"

	"github.com/lockvet/lockvet/internal/plain"
)

func TestMain(m *testing.M) { plain.Main(m) }

// TestIdentity: a declaration of which nothing is changed has no edits, and what it is
// parsed from comes back.
func TestIdentity(t *testing.T) {
	t.Parallel()
	if plain.Run(t) {
		return
	}
	patterns := []string{"../*.go", "../../analyzer/*/*.go", "../../safeio/*.go", "../../internal/effects/*.go"}
	for _, dir := range []string{"os", "go/printer", "net/http", "encoding/json", "cmd/go/internal/load"} {
		patterns = append(patterns, filepath.Join(runtime.GOROOT(), "src", dir, "*.go"))
	}
	var files []string
	for _, pattern := range patterns {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, names...)
	}
	same, other := 0, 0
	for i, name := range files {
		if testing.Short() && i%7 != 0 {
			continue
		}
		for _, src := range declarations(t, name) {
			tree, err := Parse(src, nil)
			if err != nil {
				other++
				t.Logf("%s: %v\n%s", name, err, src)
				continue
			}
			edits, err := tree.Apply()
			if err != nil || len(edits) > 0 {
				t.Errorf("%s: %d edits, %v\n%s", name, len(edits), err, src)
			}
			same++
		}
	}
	t.Logf("%d declarations come back, %d do not", same, other)
	if other > same/1000 {
		t.Errorf("%d declarations of %d do not come back", other, same+other)
	}
}

// declarations are the functions of a file that is formatted.
func declarations(t *testing.T, name string) (list []string) {
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if formatted, err := format.Source(text); err != nil || !bytes.Equal(formatted, text) {
		return nil
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, text, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range file.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			list = append(list, string(text[fset.PositionFor(fn.Pos(), false).Offset:fset.PositionFor(fn.End(), false).Offset]))
		}
	}
	return list
}

// TestUntidy: what was not formatted before stays so, where it has the same lines.
func TestUntidy(t *testing.T) {
	const src = "func f() {\n  a( 1 )\n\tb()\n\tc( 2 )\n}"
	tree, err := Parse(src, nil)
	if err != nil {
		t.Fatal(err)
	}
	tree.Drop(nil, tree.find(t, "b()"))
	edits, err := tree.Apply()
	if err != nil {
		t.Fatal(err)
	}
	const want = "func f() {\n  a( 1 )\n\tc( 2 )\n}"
	if got, err := udiff.Apply(src, edits); err != nil || got != want {
		t.Errorf("got %q, %v", got, err)
	}
	if _, err := Parse("func f() {\n\ta(); b()\n}", nil); !errors.Is(err, ErrLayout) {
		t.Errorf("two statements of a line: %v", err)
	}
	if _, err := Parse("func f() {\n//line x.go:1\n\ta()\n}", nil); !errors.Is(err, ErrLines) {
		t.Errorf("a line directive: %v", err)
	}
	if _, err := Parse("func f( {", nil); err == nil || strings.Contains(err.Error(), "taken apart") {
		t.Errorf("no Go: %v", err)
	}
}
