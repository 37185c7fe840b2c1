// Package syntax walks over trees of syntax: it yields the nodes of one type, and asks whether
// something holds for one or all of them. It knows nothing of files, and nothing of what code does.
package syntax

import (
	"go/ast"
	"go/token"
	"iter"
	"slices"
	"strings"
)

// Nodes are the nodes of a type in a tree, each before those in it.
func Nodes[N ast.Node](root ast.Node) iter.Seq[N] {
	return func(yield func(N) bool) {
		for n := range ast.Preorder(root) {
			if n, ok := n.(N); ok && !yield(n) {
				return
			}
		}
	}
}

// Some reports whether something holds for a node of a type in a tree.
func Some[N ast.Node](root ast.Node, holds func(N) bool) bool {
	for n := range Nodes[N](root) {
		if holds(n) {
			return true
		}
	}
	return false
}

// Every reports whether something holds for all of them.
func Every[N ast.Node](root ast.Node, holds func(N) bool) bool {
	return !Some(root, func(n N) bool { return !holds(n) })
}

// Doc is the comment on a declaration, nil for none.
func Doc(d ast.Decl) *ast.CommentGroup {
	switch d := d.(type) {
	case *ast.FuncDecl:
		return d.Doc
	case *ast.GenDecl:
		return d.Doc
	}
	return nil
}

// List is a list of statements as a tree.
func List(stmts []ast.Stmt) ast.Node { return &ast.BlockStmt{List: stmts} }

// Inside reports whether a node stands in another.
func Inside(n, other ast.Node) bool { return other.Pos() <= n.Pos() && n.End() <= other.End() }

// Unselected are the names in a tree but those that are selected of something.
func Unselected(root ast.Node) iter.Seq[*ast.Ident] {
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

// First is the first error that a proof of the nodes of a type in a tree meets.
func First[N ast.Node](root ast.Node, prove func(N) error) error {
	for n := range Nodes[N](root) {
		if err := prove(n); err != nil {
			return err
		}
	}
	return nil
}

// Result is the last of the results that a statement returns; nil where it returns none.
func Result(stmt ast.Stmt) ast.Expr {
	ret, ok := stmt.(*ast.ReturnStmt)
	if !ok || len(ret.Results) == 0 {
		return nil
	}
	return ret.Results[len(ret.Results)-1]
}

// EndsInReturn reports whether a list of statements does.
func EndsInReturn(list []ast.Stmt) bool {
	if len(list) == 0 {
		return false
	}
	_, ok := list[len(list)-1].(*ast.ReturnStmt)
	return ok
}

// SoleReturn is the return that is all of a list, nil for other lists.
func SoleReturn(list []ast.Stmt) *ast.ReturnStmt {
	if len(list) != 1 {
		return nil
	}
	ret, _ := list[0].(*ast.ReturnStmt)
	return ret
}

// FirstIf is the if statement that a list begins with.
func FirstIf(list []ast.Stmt) (*ast.IfStmt, bool) {
	if len(list) == 0 {
		return nil, false
	}
	s, ok := list[0].(*ast.IfStmt)
	return s, ok
}

// BareVars reports whether a statement declares variables that get no value.
func BareVars(stmt ast.Stmt) bool {
	decl, ok := stmt.(*ast.DeclStmt)
	if !ok {
		return false
	}
	gen, ok := decl.Decl.(*ast.GenDecl)
	return ok && gen.Tok == token.VAR && !slices.ContainsFunc(gen.Specs, func(s ast.Spec) bool { return len(s.(*ast.ValueSpec).Values) > 0 })
}

// BareVar is the one variable that a statement declares, without a value; nil for any other.
func BareVar(stmt ast.Stmt) *ast.Ident {
	if !BareVars(stmt) {
		return nil
	}
	specs := stmt.(*ast.DeclStmt).Decl.(*ast.GenDecl).Specs
	if len(specs) != 1 || len(specs[0].(*ast.ValueSpec).Names) != 1 {
		return nil
	}
	return specs[0].(*ast.ValueSpec).Names[0]
}

// SoleCall is the call whose results a statement assigns, nil for any other.
func SoleCall(s ast.Stmt) *ast.CallExpr {
	a, ok := s.(*ast.AssignStmt)
	if !ok || len(a.Rhs) != 1 {
		return nil
	}
	call, _ := ast.Unparen(a.Rhs[0]).(*ast.CallExpr)
	return call
}

// PlainCall is the call that a statement makes and whose results it drops.
func PlainCall(stmt ast.Stmt) *ast.CallExpr {
	switch s := stmt.(type) {
	case *ast.ExprStmt:
		call, _ := s.X.(*ast.CallExpr)
		return call
	case *ast.AssignStmt:
		for _, lhs := range s.Lhs {
			if id, ok := lhs.(*ast.Ident); !ok || id.Name != "_" {
				return nil
			}
		}
		if len(s.Rhs) == 1 {
			call, _ := s.Rhs[0].(*ast.CallExpr)
			return call
		}
	}
	return nil
}

// IsDefine reports whether a statement declares variables by :=.
func IsDefine(stmt ast.Stmt) bool {
	assign, ok := stmt.(*ast.AssignStmt)
	return ok && assign.Tok == token.DEFINE
}

// Parents are the nodes that each node of a tree stands in.
func Parents(root ast.Node) map[ast.Node]ast.Node {
	parents := make(map[ast.Node]ast.Node)
	var stack []ast.Node
	ast.Inspect(root, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		if len(stack) > 0 {
			parents[n] = stack[len(stack)-1]
		}
		stack = append(stack, n)
		return true
	})
	return parents
}

// ListIn is the list of statements that a node is, or has; nil where it has none.
func ListIn(n ast.Node) []ast.Stmt {
	switch n := n.(type) {
	case *ast.BlockStmt:
		return n.List
	case *ast.CaseClause:
		return n.Body
	case *ast.CommClause:
		return n.Body
	}
	return nil
}

// Octal writes an octal number, such as 0o644, as a file writes those that it has, or as the others of its
// package do where it has none: with an o, unless there are some without one and none with one.
func Octal(number string, file *ast.File, pkg []*ast.File) string {
	bare := func(lit *ast.BasicLit) bool {
		return lit.Kind == token.INT && len(lit.Value) > 1 && lit.Value[0] == '0' && lit.Value[1] >= '0' && lit.Value[1] <= '7'
	}
	modern := func(lit *ast.BasicLit) bool { return strings.HasPrefix(lit.Value, "0o") }
	old := false
	for _, f := range append([]*ast.File{file}, pkg...) {
		if Some(f, modern) {
			return number
		}
		if old = old || Some(f, bare); old && f == file {
			break
		}
	}
	if old {
		return "0" + strings.TrimPrefix(number, "0o")
	}
	return number
}
