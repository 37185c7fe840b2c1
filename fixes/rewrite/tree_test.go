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
)

func parse(src string) (*Tree, error) { return Parse([]byte(src), 0, len(src), nil) }

// TestIdentity: a declaration of which nothing is changed has no edits, and what it is
// parsed from comes back.
func TestIdentity(t *testing.T) {
	t.Parallel()
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
			tree, err := parse(src)
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
	if other > same/50 {
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

// TestRefused: what would not come back as it is.
func TestRefused(t *testing.T) {
	if _, err := parse("func f() {\n\ta(1, /* one */ 2)\n}"); !errors.Is(err, ErrLayout) {
		t.Errorf("a comment in front of an argument: %v", err)
	}
	if _, err := parse("func f() {\n  a( 1 )\n}"); !errors.Is(err, ErrLayout) {
		t.Errorf("what gofmt would change: %v", err)
	}
	if _, err := parse("func f() {\n//line x.go:1\n\ta()\n}"); !errors.Is(err, ErrLines) {
		t.Errorf("a line directive: %v", err)
	}
	if _, err := parse("func f( {"); err == nil || strings.Contains(err.Error(), "taken apart") {
		t.Errorf("no Go: %v", err)
	}
}
