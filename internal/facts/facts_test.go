package facts

import (
	"bytes"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"testing"

	"golang.org/x/tools/go/analysis"
)

type note struct{ Text string }

func (*note) AFact() {}

type mark struct{}

func (*mark) AFact() {}

// pass is a pass over a package of one file. Each has types of its own, as in a
// process of its own.
func pass(t *testing.T, path, src string) *analysis.Pass {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "f.go", src, 0)
	if err != nil {
		t.Fatal(err)
	}
	conf := types.Config{Importer: importer.Default()}
	pkg, err := conf.Check(path, fset, []*ast.File{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return &analysis.Pass{Pkg: pkg}
}

const src = `package p

type T struct{}

func (T) M() {}

func F() { var hidden int; _ = hidden }
`

// A fact is found again by who has other types of the same package.
func TestConnect(t *testing.T) {
	first := pass(t, "example.com/p", src)
	own := Connect(first, func(string) Set { return Set{} })
	method, _, _ := types.LookupFieldOrMethod(first.Pkg.Scope().Lookup("T").Type(), true, first.Pkg, "M")
	first.ExportObjectFact(first.Pkg.Scope().Lookup("F"), &note{"of F"})
	first.ExportObjectFact(method, &note{"of M"})
	first.ExportObjectFact(types.NewVar(token.NoPos, first.Pkg, "hidden", types.Typ[types.Int]), &note{"of nothing that has a name"})
	first.ExportPackageFact(&mark{})
	var of note
	if !first.ImportObjectFact(method, &of) || of.Text != "of M" {
		t.Errorf("the pass does not know its own fact: %q", of.Text)
	}

	encoded, err := own.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := own.Encode(); !bytes.Equal(encoded, again) {
		t.Error("a set is encoded in two ways")
	}
	decoded := Decode(encoded)
	if n := len(decoded.all()); n != 3 {
		t.Errorf("%d facts are handed on, want 3", n)
	}

	second, other := pass(t, "example.com/q", "package q"), pass(t, "example.com/p", src).Pkg
	Connect(second, func(path string) Set {
		if path == "example.com/p" {
			return decoded
		}
		return Set{}
	})
	method, _, _ = types.LookupFieldOrMethod(other.Scope().Lookup("T").Type(), true, other, "M")
	if !second.ImportObjectFact(method, &of) || of.Text != "of M" {
		t.Errorf("the fact of the method reads %q", of.Text)
	}
	if !second.ImportObjectFact(other.Scope().Lookup("F"), &of) || of.Text != "of F" {
		t.Errorf("the fact of the function reads %q", of.Text)
	}
	if !second.ImportPackageFact(other, new(mark)) {
		t.Error("the fact of the package is not known")
	}
	if second.ImportObjectFact(other.Scope().Lookup("T"), &of) || second.ImportPackageFact(second.Pkg, new(mark)) {
		t.Error("there is a fact that nobody entered")
	}
	if second.ImportObjectFact(types.Universe.Lookup("error"), &of) {
		t.Error("there is a fact of what belongs to no package")
	}
}
