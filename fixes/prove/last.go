package prove

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/lockvet/lockvet/fixes/rewrite"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/syntax"
)

// releaseLast moves what gives up a claim behind the clean-up:
//
//	mu.Lock()
//	delete(held, key)
//	mu.Unlock()
//	f.Close()
//	os.Remove(path)
//	               ^ here
//
// into the goroutine if one cleans up.
func (s *File) releaseLast(r finding.ReleaseLast) (*Proof, error) {
	body := s.declaring(r.Release)
	if body == nil {
		return nil, Refusal("the function that gives up the claim is not known")
	}
	sc := s.scope(body)
	section, mutex := sc.section(r.Release)
	if section == nil {
		return nil, Refusal("other statements share the mutex with it")
	}
	list := sc.rest(section[2])
	i := at(list, r.Cleanup.Pos())
	between, lit := list[:max(i, 0)], (*ast.FuncLit)(nil)
	if i >= 0 {
		if g, ok := list[i].(*ast.GoStmt); ok {
			if lit, _ = g.Call.Fun.(*ast.FuncLit); lit == nil || len(g.Call.Args) > 0 {
				return nil, Refusal("the goroutine that cleans up is a function of its own")
			}
			list, i = lit.Body.List, at(lit.Body.List, r.Cleanup.Pos())
			between = slices.Concat(between, list[:max(i, 0)])
		}
	}
	switch {
	case i < 0 || sc.literal(r.Cleanup) != lit:
		return nil, Refusal("the clean-up does not follow in the same block, or in a goroutine that is started there")
	case lit != nil && sc.waitsUnder(mutex):
		return nil, Refusal("a function waits under the mutex that the goroutine would take")
	}
	if err := sc.unmoved(section, append(between, list[i])); err != nil {
		return nil, err
	}
	return sc.plan("Give up the claim after the clean-up", rewrite.Move{Stmts: section, Behind: list[i]})
}

// section is the statement that gives up a claim, between a Lock and its Unlock; nil if it does not stand there.
func (sc *handleScope) section(release ast.Node) (stmts []ast.Stmt, mutex ast.Expr) {
	stmt := sc.statement(release)
	list := sc.siblings(stmt)
	i := indexOf(list, stmt)
	if release != ast.Node(stmt) && release != ast.Node(syntax.PlainCall(stmt)) || i == 0 || i+1 == len(list) {
		return nil, nil
	}
	mutex, locks := sc.pass.mutex(syntax.PlainCall(list[i-1]))
	other, unlocks := sc.pass.mutex(syntax.PlainCall(list[i+1]))
	if locks != "Lock" || unlocks != "Unlock" || sc.of(mutex) != sc.of(other) {
		return nil, nil
	}
	return list[i-1 : i+2], mutex
}

// unmoved proves that what gives up the claim does the same behind other statements: they do not leave their list,
// assign to what it names or lock anything.
func (sc *handleScope) unmoved(section, others []ast.Stmt) error {
	used := objects{}
	for _, v := range sc.pass.vars(syntax.List(section)) {
		used[v] = true
	}
	named := func(e ast.Expr) bool { return used[sc.lastName(e)] }
	amiss := syntax.Some(syntax.List(others), func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			return slices.ContainsFunc(n.Lhs, named)
		case *ast.UnaryExpr:
			return n.Op == token.AND && named(n.X)
		case *ast.CallExpr:
			fn := sc.pass.callee(n)
			return sc.pass.builtin(n) == "panic" || fn != nil &&
				(strings.HasSuffix(fn.Name(), "Lock") || strings.HasPrefix(fn.Name(), "Lock"))
		case *ast.ReturnStmt, *ast.BranchStmt:
			return true
		}
		return false
	})
	if amiss {
		return Refusal("the clean-up may end early, wait for a lock or change what names the claim")
	}
	return nil
}

// waitsUnder reports whether a function of the package takes the mutex and waits for goroutines.
func (sc *handleScope) waitsUnder(mutex ast.Expr) bool {
	obj := sc.lastName(mutex)
	for _, fd := range sc.pass.funcs(sc.pass.Files...) {
		locks, waits := false, false
		for call := range syntax.Nodes[*ast.CallExpr](fd.Body) {
			x, method := sc.pass.mutex(call)
			waits = waits || method == "Wait"
			locks = locks || method == "Lock" && sc.lastName(x) == obj
		}
		if locks && waits {
			return true
		}
	}
	return false
}

// lastName is the variable or field that an expression ends in.
func (sc *handleScope) lastName(e ast.Expr) types.Object {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return sc.pass.Info.Uses[e]
	case *ast.SelectorExpr:
		return sc.pass.Info.Uses[e.Sel]
	case *ast.StarExpr:
		return sc.lastName(e.X)
	}
	return nil
}
