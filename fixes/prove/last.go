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

// A section is what gives up a claim: one statement, or that between a Lock and
// its Unlock.
type section struct {
	stmts []ast.Stmt
	mutex ast.Expr // nil for one statement
}

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
	if body == nil || r.Cleanup.Pos() < body.Pos() || r.Cleanup.End() > body.End() {
		return nil, Refusal("the claim and the clean-up stand in different functions")
	}
	sc := s.scope(body)
	sec, err := sc.section(r.Release)
	if err != nil {
		return nil, err
	}
	list := sc.siblings(sec.stmts[0])
	after := list[indexOf(list, sec.stmts[len(sec.stmts)-1])+1:]
	i := at(after, r.Cleanup.Pos())
	if i < 0 {
		return nil, Refusal("the clean-up does not follow in the same block")
	}
	between := after[:i]
	end := after[i]
	if lit := sc.later(end); lit != nil {
		i := at(lit.Body.List, r.Cleanup.Pos())
		if i < 0 {
			return nil, Refusal("the clean-up is not a statement of the goroutine")
		}
		if sc.waitsUnder(sec) {
			return nil, Refusal("a function waits under the mutex that the goroutine would take")
		}
		between = append(append([]ast.Stmt{}, between...), lit.Body.List[:i]...)
		end = lit.Body.List[i]
	} else if _, ok := end.(*ast.GoStmt); ok {
		return nil, Refusal("the goroutine that cleans up is a function of its own")
	} else if lit := sc.literal(r.Cleanup); lit != nil && syntax.Inside(lit, end) {
		return nil, Refusal("the clean-up stands in a function literal that runs some time")
	}
	if err := sc.unmoved(sec, append(between, end)); err != nil {
		return nil, err
	}
	if ends(append(between, end)) {
		return nil, Refusal("the clean-up can end early: give up the claim in a deferred function")
	}
	return sc.plan("Give up the claim after the clean-up", rewrite.Move{Stmts: sec.stmts, Behind: end})
}

// section finds the statements that give up the claim.
func (sc *handleScope) section(release ast.Node) (*section, error) {
	stmt := sc.statement(release)
	call, isCall := release.(*ast.CallExpr)
	if isCall && syntax.PlainCall(stmt) != call || !isCall && release != ast.Node(stmt) {
		return nil, Refusal("giving up the claim is not a statement of its own")
	}
	list := sc.siblings(stmt)
	i := indexOf(list, stmt)
	if isCall && sc.pass.builtin(call) != "delete" {
		return &section{stmts: list[i : i+1]}, nil
	}
	if i == 0 || i+1 >= len(list) {
		return nil, Refusal("other statements share the mutex with it")
	}
	mutex, locks := sc.pass.mutex(syntax.PlainCall(list[i-1]))
	other, unlocks := sc.pass.mutex(syntax.PlainCall(list[i+1]))
	if locks != "Lock" || unlocks != "Unlock" || sc.of(mutex) != sc.of(other) {
		return nil, Refusal("other statements share the mutex with it")
	}
	return &section{stmts: list[i-1 : i+2], mutex: mutex}, nil
}

// later is the literal that a statement runs in a goroutine or after a while,
// nil for any other statement.
func (sc *handleScope) later(stmt ast.Stmt) *ast.FuncLit {
	switch stmt := stmt.(type) {
	case *ast.GoStmt:
		if len(stmt.Call.Args) == 0 {
			lit, _ := stmt.Call.Fun.(*ast.FuncLit)
			return lit
		}
	case *ast.ExprStmt:
		if call, ok := stmt.X.(*ast.CallExpr); ok && sc.pass.calls(call, "time", "AfterFunc") {
			lit, _ := call.Args[1].(*ast.FuncLit)
			return lit
		}
	}
	return nil
}

// unmoved checks that what gives up the claim does the same behind the other
// statements: they neither assign to what it names nor lock anything.
func (sc *handleScope) unmoved(sec *section, others []ast.Stmt) error {
	used := objects{}
	for _, v := range sc.pass.vars(syntax.List(sec.stmts)) {
		used[v] = true
	}
	named := func(e ast.Expr) bool { return used[sc.lastName(e)] }
	return syntax.First(syntax.List(others), func(n ast.Node) error {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if slices.ContainsFunc(n.Lhs, named) {
				return Refusal("what names the claim is assigned to before the clean-up has ended")
			}
		case *ast.UnaryExpr:
			if n.Op == token.AND && named(n.X) {
				return Refusal("what names the claim is assigned to before the clean-up has ended")
			}
		case *ast.CallExpr:
			if fn := sc.pass.callee(n); fn != nil &&
				(strings.HasSuffix(fn.Name(), "Lock") || strings.HasPrefix(fn.Name(), "Lock")) {
				return Refusal("a lock is taken before the clean-up has ended")
			}
		}
		return nil
	})
}

// waitsUnder reports whether a function of the package takes the mutex of the
// section, or calls the method that the section calls, and waits for goroutines.
func (sc *handleScope) waitsUnder(sec *section) bool {
	mutex := sc.lastName(sec.mutex)
	for _, fd := range sc.pass.funcs(sc.pass.Files...) {
		locks, waits := false, false
		for call := range syntax.Nodes[*ast.CallExpr](fd.Body) {
			x, method := sc.pass.mutex(call)
			waits = waits || method == "Wait"
			locks = locks || method == "Lock" && (mutex == nil || sc.lastName(x) == mutex)
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

// ends reports whether a statement can leave the list: by a return, a branch, a
// panic or an exit.
func ends(list []ast.Stmt) bool {
	leaves := false
	ast.Inspect(syntax.List(list), func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt, *ast.BranchStmt:
			leaves = true
		case *ast.CallExpr:
			id, ok := ast.Unparen(n.Fun).(*ast.Ident)
			leaves = leaves || ok && id.Name == "panic"
		}
		return true
	})
	return leaves
}
