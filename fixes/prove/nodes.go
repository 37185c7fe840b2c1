package prove

import (
	"go/ast"
	"go/token"
	"go/types"
	"iter"
)

// nodes are the nodes of a type in a tree, each before those in it.
func nodes[N ast.Node](root ast.Node) iter.Seq[N] {
	return func(yield func(N) bool) {
		for n := range ast.Preorder(root) {
			if n, ok := n.(N); ok && !yield(n) {
				return
			}
		}
	}
}

// some reports whether something holds for a node of a type in a tree.
func some[N ast.Node](root ast.Node, holds func(N) bool) bool {
	for n := range nodes[N](root) {
		if holds(n) {
			return true
		}
	}
	return false
}

// every reports whether something holds for all of them.
func every[N ast.Node](root ast.Node, holds func(N) bool) bool {
	return !some(root, func(n N) bool { return !holds(n) })
}

// listOf is a list of statements as a tree.
func listOf(stmts []ast.Stmt) ast.Node { return &ast.BlockStmt{List: stmts} }

// inside reports whether a node stands in another.
func inside(n, other ast.Node) bool { return other.Pos() <= n.Pos() && n.End() <= other.End() }

// usesOf are the names in a tree that mean an object.
func (p Pass) usesOf(root ast.Node, obj types.Object) iter.Seq[*ast.Ident] {
	return func(yield func(*ast.Ident) bool) {
		for id := range nodes[*ast.Ident](root) {
			if p.Info.Uses[id] == obj && !yield(id) {
				return
			}
		}
	}
}

// vars are the names in a tree that mean variables, with these.
func (p Pass) vars(root ast.Node) iter.Seq2[*ast.Ident, *types.Var] {
	return func(yield func(*ast.Ident, *types.Var) bool) {
		for id := range nodes[*ast.Ident](root) {
			if v, ok := p.Info.Uses[id].(*types.Var); ok && !yield(id, v) {
				return
			}
		}
	}
}

// someVar reports whether something holds for a variable that is named in a tree.
func (p Pass) someVar(root ast.Node, holds func(*types.Var) bool) bool {
	return some(root, func(id *ast.Ident) bool {
		v, ok := p.Info.Uses[id].(*types.Var)
		return ok && holds(v)
	})
}

// unselected are the names in a tree but those that are selected of something.
func unselected(root ast.Node) iter.Seq[*ast.Ident] {
	return func(yield func(*ast.Ident) bool) {
		selected := map[*ast.Ident]bool{}
		for n := range ast.Preorder(root) {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				selected[n.Sel] = true
			case *ast.Ident:
				if !selected[n] && !yield(n) {
					return
				}
			}
		}
	}
}

// first is the first error that a proof of the nodes of a type in a tree meets.
func first[N ast.Node](root ast.Node, prove func(N) error) error {
	for n := range nodes[N](root) {
		if err := prove(n); err != nil {
			return err
		}
	}
	return nil
}

// funcs are the functions of files that have bodies.
func (p Pass) funcs(files ...*ast.File) iter.Seq2[*types.Func, *ast.FuncDecl] {
	return func(yield func(*types.Func, *ast.FuncDecl) bool) {
		for _, file := range files {
			for _, d := range file.Decls {
				if decl, ok := d.(*ast.FuncDecl); ok && decl.Body != nil {
					if fn, _ := p.Info.Defs[decl.Name].(*types.Func); !yield(fn, decl) {
						return
					}
				}
			}
		}
	}
}

// declared is the declaration of a function of the package with its body; nil for a method of an
// interface.
func (p Pass) declared(fn *types.Func) *ast.FuncDecl {
	for f, decl := range p.funcs(p.Files...) {
		if fn != nil && f == fn {
			return decl
		}
	}
	return nil
}

// declaring is the body of the declared function of the file around a node, nil for none.
func (s *File) declaring(n ast.Node) *ast.BlockStmt {
	if decl := s.declaringAt(n.Pos(), n.End()); decl != nil {
		return decl.Body
	}
	return nil
}

// declaringAt is the declared function around two positions.
func (s *File) declaringAt(from, to token.Pos) *ast.FuncDecl {
	for _, decl := range s.pass.funcs(s.file) {
		if decl.Body.Pos() <= from && to <= decl.Body.End() {
			return decl
		}
	}
	return nil
}

// inOrder is the first error of some steps, each of which needs those before it.
func inOrder(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}
