package prove

import (
	"go/ast"
	"maps"
	"slices"

	"github.com/lockvet/lockvet/internal/known"
)

// complete reports whether the file is complete behind the i-th statement of the
// block that opens it, and what follows acts on other files or on what its path
// is made of: there it was in place, and must be so again. Anything else that can
// fail comes before the commit.
func (w *walker) complete(list []ast.Stmt, i int) bool {
	if w.temp != nil || len(w.pending) > 0 || !w.returnsError() || &list[0] != &w.tail[0] {
		return false
	}
	if i+1 < len(list) && w.decides(list[i+1]) {
		return false
	}
	acts, roots := false, w.roots()
	for _, s := range list[i+1:] {
		if w.related(s) || some(s, func(call *ast.CallExpr) bool { return w.pass.calls(call, "os", "Chmod") && w.isPath(call.Args[0]) }) {
			return false
		}
		acts = acts || w.actsOn(s, roots)
	}
	return acts
}

// roots are the variables that the path is made of, at most two steps away.
func (w *walker) roots() objects {
	roots := make(objects)
	var add func(n ast.Node, steps int)
	add = func(n ast.Node, steps int) {
		for _, v := range w.pass.vars(n) {
			if roots[v] {
				continue
			}
			roots[v] = true
			if rhs := w.value(v); rhs != nil && steps > 0 {
				add(rhs, steps-1)
			}
		}
	}
	add(w.path, 2)
	return roots
}

// decides reports whether a statement decides by an error that is there already.
func (w *walker) decides(stmt ast.Stmt) bool {
	var conds []ast.Expr
	switch s := stmt.(type) {
	case *ast.IfStmt:
		if s.Init == nil {
			conds = append(conds, s.Cond)
		}
	case *ast.SwitchStmt:
		if s.Tag != nil {
			return s.Init == nil && isError(w.pass.Info.TypeOf(s.Tag))
		}
		for _, c := range s.Body.List {
			conds = append(conds, c.(*ast.CaseClause).List...)
		}
	case *ast.TypeSwitchStmt:
		return true
	}
	return slices.ContainsFunc(conds, func(e ast.Expr) bool {
		_, _, ok := w.guard(e)
		return ok
	})
}

// actsOn reports whether a statement hands one of the variables to a call that
// does more than compute or print.
func (w *walker) actsOn(stmt ast.Stmt, roots objects) bool {
	return some(stmt, func(call *ast.CallExpr) bool {
		if mutex, _ := w.pass.mutex(call); mutex != nil || w.pass.builtin(call) != "" || w.pureCall(call) || w.pass.isQuiet(call) {
			return false
		}
		return w.pass.touchesFiles(call) || w.pass.mentions(call, slices.Collect(maps.Keys(roots))...)
	})
}

// touchesFiles reports whether a call does something to a file: files that are
// written one after the other are in place one after the other.
func (p Pass) touchesFiles(call *ast.CallExpr) bool {
	fn := p.callee(call)
	if fn == nil || fn.Pkg() == nil || fn.Signature().Recv() != nil {
		return false
	}
	return known.ActsOnFiles(fn) || fn.Pkg().Path() == "os/exec" || p.calls(call, "os", "Chmod", "Chown", "Chtimes", "StartProcess")
}

// syncsLast reports whether an if statement does nothing but sync a file that is
// complete, and leave where that fails.
func (w *walker) syncsLast(s *ast.IfStmt, rest []ast.Stmt, st state, r *controlPath) bool {
	if st&open == 0 || r.failing || r.loops > 0 || s.Else != nil || !w.ends(s.Body.List) || !w.isPure(s.Cond) {
		return false
	}
	for _, stmt := range rest {
		if some(stmt, func(call *ast.CallExpr) bool {
			return w.writesTo(call) && !w.isMethod(call, "Close") && !w.isMethod(call, "Name")
		}) {
			return false
		}
	}
	return true
}
