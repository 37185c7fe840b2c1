package fixes

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"testing"
)

// TestInParts formats each declaration of files with something in it, and all of them,
// and compares with what formatting the file makes of it.
func TestInParts(t *testing.T) {
	t.Parallel()
	var files []string
	for _, pattern := range []string{"*.go", "../analyzer/*/*.go", "../safeio/*.go"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, names...)
	}
	alone := 0
	for i, name := range files {
		if i%9 != 0 {
			continue // some will do
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		alone += inParts(t, name, text)
	}
	alone += inParts(t, "rows.go", []byte(rows))
	if alone < len(files) {
		t.Errorf("%d edits of %d files were formatted in parts", alone, len(files))
	}
}

// rows has declarations whose comments and bodies stand in columns.
const rows = `package p

import "sort"

type byName []string

func (b byName) Len() int           { return len(b) } // the number
func (b byName) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }
func (b byName) Less(i, j int) bool { return b[i] < b[j] }

func last(b byName) string { return b[len(b)-1] } // of them
// first is the other end.
func first(b byName) string { return b[0] }

// sorted sorts.
func sorted(b byName) byName {
	sort.Sort(b)
	return b
}

// The end.
`

func inParts(t *testing.T, name string, text []byte) (alone int) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, text, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	if formatted, err := format.Source(text); err != nil || !bytes.Equal(formatted, text) {
		return 0
	}
	tok := fset.File(file.FileStart)
	s := &source{file: file, tok: tok, text: text, tidy: func() bool { return true }}
	var all []edit
	check := func(edits ...edit) {
		whole, err := format.Source(s.apply(edits))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		formatted, ok := s.inParts(outermost(edits))
		if !ok {
			return
		}
		alone++
		if got := s.apply(formatted); !bytes.Equal(got, whole) {
			t.Errorf("%s: edits %v give\n%s\nwant\n%s", name, edits, s.apply(formatted), whole)
		}
	}
	replace := func(from, to token.Pos, text string) edit {
		return edit{s.offset(from), s.offset(to), text, s.tok}
	}
	for _, d := range file.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok {
			imports, ok := d.(*ast.GenDecl)
			if ok && imports.Tok == token.IMPORT && imports.Lparen.IsValid() {
				check(replace(imports.Rparen, imports.Rparen, "\"bufio\"\n"))
			}
			continue
		}
		if fn.Body == nil {
			continue
		}
		e := replace(fn.Body.Lbrace+1, fn.Body.Lbrace+1, "\nx:=map[string]int{\n\"a\":1, // one\n\"long\":2, // two\n}\n_=x\n")
		all = append(all, e)
		check(e)
		check(replace(fn.Pos(), fn.End(), ""))
		check(replace(fn.End(), fn.End(), "\n\n\nfunc extra( ) {}"))
		check(replace(fn.Pos(), fn.Pos(), "func extra( ) {}\n\n"))
	}
	check(all...)
	return alone
}
