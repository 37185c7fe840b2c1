package bundle

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
)

// A reducer takes out of a file of safeio what does nothing in a copy: the steps at
// which tests can interfere, which no other package can ask for, and, where a caller
// does not name Options, what these are asked for.
type reducer struct {
	plain bool // Options are not named
	src   []byte
	tok   *token.File
	cuts  []cut
}

// A cut replaces the source between two places.
type cut struct {
	start, end token.Pos
	by         string
}

// reduce is the source without that.
func reduce(name string, src []byte, plain bool) ([]byte, error) {
	for {
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		r := &reducer{plain: plain, src: src, tok: fset.File(f.Pos())}
		ast.Inspect(f, func(n ast.Node) bool {
			if block, ok := n.(*ast.BlockStmt); ok && len(r.cuts) == 0 {
				r.block(block.List)
			}
			return len(r.cuts) == 0
		})
		if len(r.cuts) == 0 {
			return src, nil
		}
		src = r.apply()
	}
}

// apply makes the cuts, which are in order and apart.
func (r *reducer) apply() []byte {
	var out strings.Builder
	last := 0
	for _, c := range r.cuts {
		out.Write(r.src[last:r.tok.Offset(c.start)])
		out.WriteString(c.by)
		last = r.tok.Offset(c.end)
	}
	out.Write(r.src[last:])
	return []byte(out.String())
}

func (r *reducer) text(n ast.Node) string {
	return string(r.src[r.tok.Offset(n.Pos()):r.tok.Offset(n.End())])
}

// drop takes a statement away with the end of its line.
func (r *reducer) drop(s ast.Stmt) {
	end := s.End()
	if r.src[r.tok.Offset(end)] == '\n' {
		end++
	}
	r.cuts = append(r.cuts, cut{s.Pos(), end, ""})
}

func (r *reducer) replace(n ast.Node, by string) {
	r.cuts = append(r.cuts, cut{n.Pos(), n.End(), by})
}

// block looks for one thing to cut in the statements of a block.
func (r *reducer) block(list []ast.Stmt) {
	for i, s := range list {
		switch s := s.(type) {
		case *ast.ExprStmt: // o.at("remove")
			if isStep(s.X) {
				r.drop(s)
			}
		case *ast.IfStmt:
			r.branch(s)
		case *ast.AssignStmt: // err := o.at("sync"), if err == nil { err = … }
			if i+1 < len(list) && len(s.Rhs) == 1 && isStep(s.Rhs[0]) {
				r.step(s, list[i+1])
			}
		}
		if len(r.cuts) > 0 {
			return
		}
	}
}

// branch cuts what is decided in an if statement.
func (r *reducer) branch(s *ast.IfStmt) {
	if init, ok := s.Init.(*ast.AssignStmt); ok && len(init.Rhs) == 1 && isStep(init.Rhs[0]) && compares(s.Cond, token.NEQ) {
		switch els := s.Else.(type) {
		case nil: // if err := o.at("create"); err != nil { … }
			r.drop(s)
		case *ast.BlockStmt: // if err = o.at("inherit"); err != nil { … } else { … }
			if len(els.List) == 1 && init.Tok == token.ASSIGN {
				r.replace(s, r.text(els.List[0]))
			}
		}
		return
	}
	if sel, ok := s.Cond.(*ast.SelectorExpr); ok && r.plain && sel.Sel.Name == "Strict" && s.Init == nil && s.Else == nil {
		r.drop(s)
	}
	if cond, ok := s.Cond.(*ast.BinaryExpr); ok && r.plain && cond.Op == token.NEQ && s.Init == nil && s.Else == nil {
		if sel, ok := cond.X.(*ast.SelectorExpr); ok && sel.Sel.Name == "LockFile" {
			r.drop(s)
		}
	}
}

// step makes one assignment of the error of a step, and what is done where that is nil.
func (r *reducer) step(s *ast.AssignStmt, next ast.Stmt) {
	then, ok := next.(*ast.IfStmt)
	if !ok || then.Init != nil || then.Else != nil || !compares(then.Cond, token.EQL) || len(then.Body.List) != 1 {
		return
	}
	do, ok := then.Body.List[0].(*ast.AssignStmt)
	if !ok || do.Tok != token.ASSIGN || len(do.Lhs) != 1 || r.text(do.Lhs[0]) != r.text(s.Lhs[0]) {
		return
	}
	r.cuts = append(r.cuts, cut{s.Pos(), next.End(), r.text(s.Lhs[0]) + " " + s.Tok.String() + " " + r.text(do.Rhs[0])})
}

// isStep reports whether an expression asks the hook of tests about a step.
func isStep(e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	return ok && sel.Sel.Name == "at"
}

// compares reports whether an expression compares an error with nil.
func compares(e ast.Expr, op token.Token) bool {
	b, ok := e.(*ast.BinaryExpr)
	if !ok || b.Op != op {
		return false
	}
	x, ok1 := b.X.(*ast.Ident)
	y, ok2 := b.Y.(*ast.Ident)
	return ok1 && ok2 && x.Name == "err" && y.Name == "nil"
}
