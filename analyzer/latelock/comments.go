package latelock

import (
	"go/ast"
	"go/token"
	"go/types"
	"iter"
	"slices"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/syntax"
)

// varComments yields the comments of the fields of the package's structs and of
// its variables that have any.
func varComments(p *effects.Package) iter.Seq2[*types.Var, []*ast.CommentGroup] {
	return func(yield func(*types.Var, []*ast.CommentGroup) bool) {
		for _, file := range p.Pass.Files {
			more := true
			tell := func(names []*ast.Ident, groups ...*ast.CommentGroup) {
				groups = slices.DeleteFunc(groups, func(g *ast.CommentGroup) bool { return g == nil })
				for _, name := range names {
					if v, ok := p.Pass.TypesInfo.Defs[name].(*types.Var); ok && more && len(groups) > 0 {
						more = yield(v, groups)
					}
				}
			}
			for _, d := range file.Decls {
				if gd, ok := d.(*ast.GenDecl); ok && gd.Tok == token.VAR {
					for _, spec := range gd.Specs {
						vs := spec.(*ast.ValueSpec)
						tell(vs.Names, gd.Doc, vs.Doc, vs.Comment)
					}
				}
			}
			for st := range syntax.Nodes[*ast.StructType](file) {
				for _, f := range st.Fields.List {
					tell(f.Names, f.Doc, f.Comment)
				}
			}
			if !more {
				return
			}
		}
	}
}

// A structField is a field of a struct as it is declared.
type structField struct {
	Var     *types.Var
	Comment string // above it and behind it
	First   bool   // an empty line stands before it, or nothing
}

// structs yields the fields of each struct type of the package, in order; those that
// are embedded are left out.
func structs(p *effects.Package) iter.Seq[[]structField] {
	return func(yield func([]structField) bool) {
		for _, file := range p.Pass.Files {
			for st := range syntax.Nodes[*ast.StructType](file) {
				if !yield(fieldsOf(p, st)) {
					return
				}
			}
		}
	}
}

func fieldsOf(p *effects.Package, st *ast.StructType) []structField {
	var list []structField
	end := 0 // the line on which the one before ends
	for _, f := range st.Fields.List {
		start := f.Pos()
		if f.Doc != nil {
			start = f.Doc.Pos()
		}
		first := line(p, start) > end+1 || len(list) == 0
		for _, name := range f.Names {
			if v, ok := p.Pass.TypesInfo.Defs[name].(*types.Var); ok {
				list = append(list, structField{v, f.Doc.Text() + f.Comment.Text(), first})
			}
			first = false
		}
		end = line(p, f.End())
	}
	return list
}

func line(p *effects.Package, pos token.Pos) int { return p.Pass.Fset.Position(pos).Line }
