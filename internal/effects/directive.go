package effects

import (
	"go/ast"
	"go/token"
	"go/types"
	"iter"
	"slices"

	"github.com/lockvet/lockvet/internal/directive"
)

// markedNames collects the declarations that a directive says to hold state.
func markedNames(files []*ast.File, info *types.Info) map[string]bool {
	marked := map[string]bool{}
	for _, f := range files {
		if !slices.ContainsFunc(f.Comments, directive.Marks) {
			continue
		}
		for comment, decl := range directive.Declared(f) {
			if !directive.Marks(comment) {
				continue
			}
			for _, n := range decl.Names {
				mark(marked, info, decl.Struct, n)
			}
		}
	}
	return marked
}

// mark enters a declared name, under that of its struct if it is a field.
func mark(marked map[string]bool, info *types.Info, owner *ast.TypeSpec, name *ast.Ident) {
	obj := info.Defs[name]
	if owner == nil {
		if obj != nil {
			marked[objName(obj)] = true
		}
		return
	}
	if t := info.Defs[owner.Name]; obj != nil && t != nil && t.Pkg() != nil {
		marked[objName(t)+"."+name.Name] = true
	}
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

// VarComments yields the comments of the fields of the package's structs and of
// its variables that have any.
func (p *Package) VarComments() iter.Seq2[*types.Var, []*ast.CommentGroup] {
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

// A Field is a field of a struct as it is declared.
type Field struct {
	Var     *types.Var
	Comment string // above it and behind it
	First   bool   // an empty line stands before it, or nothing
}

// Structs yields the fields of each struct type of the package, in order; those that
// are embedded are left out.
func (p *Package) Structs() iter.Seq[[]Field] {
	return func(yield func([]Field) bool) {
		more := true
		for _, file := range p.Pass.Files {
			ast.Inspect(file, func(n ast.Node) bool {
				if st, ok := n.(*ast.StructType); ok && more {
					more = yield(p.fieldsOf(st))
				}
				return more
			})
		}
	}
}

func (p *Package) fieldsOf(st *ast.StructType) []Field {
	var list []Field
	end := 0 // the line on which the one before ends
	for _, f := range st.Fields.List {
		start := f.Pos()
		if f.Doc != nil {
			start = f.Doc.Pos()
		}
		first := p.line(start) > end+1 || len(list) == 0
		for _, name := range f.Names {
			if v, ok := p.Pass.TypesInfo.Defs[name].(*types.Var); ok {
				list = append(list, Field{v, f.Doc.Text() + f.Comment.Text(), first})
			}
			first = false
		}
		end = p.line(f.End())
	}
	return list
}

func (p *Package) line(pos token.Pos) int { return p.Pass.Fset.Position(pos).Line }

// CommentAt is the text of the comment on the line above a position, or behind it on
// its line.
func (p *Package) CommentAt(pos token.Pos) string {
	text, ok := p.comments[pos]
	if !ok {
		text = p.commentAt(pos)
		p.comments[pos] = text
	}
	return text
}

func (p *Package) commentAt(pos token.Pos) string {
	for _, f := range p.Pass.Files {
		if f.FileStart <= pos && pos < f.FileEnd {
			return directive.Beside(p.Pass.Fset, f, pos)
		}
	}
	return ""
}
