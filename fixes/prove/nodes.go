package prove

import (
	"go/ast"
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
