package effects

import (
	"go/ast"
	"go/token"
	"go/types"
	"iter"
	"slices"
	"strings"
)

// directive marks a field, constant, variable or function whose path holds
// state.
const directive = "//lockvet:state"

// markedNames collects the declarations that carry the directive.
func markedNames(files []*ast.File, info *types.Info) map[string]bool {
	marked := map[string]bool{}
	mark := func(doc, line *ast.CommentGroup, owner string, names ...*ast.Ident) {
		if !hasDirective(doc) && !hasDirective(line) {
			return
		}
		for _, n := range names {
			if obj := info.Defs[n]; obj != nil {
				if owner != "" {
					marked[owner+"."+n.Name] = true
				} else {
					marked[objName(obj)] = true
				}
			}
		}
	}
	for _, f := range files {
		if !mentions(f) {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				mark(n.Doc, nil, "", n.Name)
			case *ast.GenDecl:
				for _, s := range n.Specs {
					if vs, ok := s.(*ast.ValueSpec); ok {
						mark(n.Doc, nil, "", vs.Names...)
						mark(vs.Doc, vs.Comment, "", vs.Names...)
					}
				}
			case *ast.TypeSpec:
				st, ok := n.Type.(*ast.StructType)
				obj := info.Defs[n.Name]
				if ok && obj != nil && obj.Pkg() != nil {
					for _, fl := range st.Fields.List {
						mark(fl.Doc, fl.Comment, obj.Pkg().Path()+"."+obj.Name(), fl.Names...)
					}
				}
			}
			return true
		})
	}
	return marked
}

func objName(obj types.Object) string {
	if fn, ok := obj.(*types.Func); ok {
		return fn.FullName()
	}
	if obj.Pkg() == nil {
		return obj.Name()
	}
	return obj.Pkg().Path() + "." + obj.Name()
}

func mentions(f *ast.File) bool {
	for _, g := range f.Comments {
		if hasDirective(g) {
			return true
		}
	}
	return false
}

func hasDirective(g *ast.CommentGroup) bool {
	if g == nil {
		return false
	}
	for _, c := range g.List {
		if c.Text == directive || strings.HasPrefix(c.Text, directive+" ") {
			return true
		}
	}
	return false
}

// VarComments yields the comments of the fields of the package's structs and of
// its variables that have any.
func (p *Package) VarComments() iter.Seq2[*types.Var, []*ast.CommentGroup] {
	return func(yield func(*types.Var, []*ast.CommentGroup) bool) {
		for _, file := range p.pass.Files {
			more := true
			tell := func(names []*ast.Ident, groups ...*ast.CommentGroup) {
				groups = slices.DeleteFunc(groups, func(g *ast.CommentGroup) bool { return g == nil })
				for _, name := range names {
					if v, ok := p.pass.TypesInfo.Defs[name].(*types.Var); ok && more && len(groups) > 0 {
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
			ast.Inspect(file, func(n ast.Node) bool {
				if st, ok := n.(*ast.StructType); ok {
					for _, f := range st.Fields.List {
						tell(f.Names, f.Doc, f.Comment)
					}
				}
				return more
			})
			if !more {
				return
			}
		}
	}
}
