package prove

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/lockvet/lockvet/fixes/rewrite"
	"github.com/lockvet/lockvet/internal/finding"
)

// lookAgain looks under the lock under which an object is entered.
//
//	t, ok := m[key]                        t, ok := m[key]
//	mu.RUnlock()                           mu.RUnlock()
//	if !ok {                               if !ok {
//	        mu.Lock()                              mu.Lock()
//	        t = new(T)                             if t, ok = m[key]; !ok {
//	        m[key] = t                                     t = new(T)
//	        mu.Unlock()                                    m[key] = t
//	}                                              }
//	return t                                       mu.Unlock()
//
// Where the function returns what it found, it does so once more behind the lock.
func (s *File) lookAgain(r finding.LookAgain) (*Proof, error) {
	fd := s.declaringAt(r.Look, r.Look+1)
	if fd == nil {
		return nil, Refusal("the function is not known")
	}
	sc := s.scope(fd.Body)
	a := &relook{handleScope: sc}
	if err := a.find(r); err != nil {
		return nil, err
	}
	prove := a.returnFound
	if check := a.missing(); check != nil {
		prove = func() (rewrite.Op, error) { return a.wrap(check) }
	}
	op, err := prove()
	if err != nil {
		return nil, err
	}
	return sc.plan("Look again under the lock", op)
}

// A relook is a function that looks, and enters later what it did not find.
type relook struct {
	*handleScope
	look        *ast.AssignStmt
	value, ok   types.Object // what was found; ok is nil where the value is compared with nil
	lock, enter ast.Stmt
}

// find finds the statements.
func (a *relook) find(r finding.LookAgain) error {
	a.look, _ = a.listed(r.Look).(*ast.AssignStmt)
	a.lock, a.enter = a.listed(r.Lock), a.listed(r.Enter)
	if a.look == nil || a.lock == nil || a.enter == nil || len(a.look.Rhs) != 1 {
		return Refusal("what was found has no name")
	}
	if _, ok := ast.Unparen(a.look.Rhs[0]).(*ast.IndexExpr); !ok || !a.isPure(a.look.Rhs[0]) {
		return Refusal("the look is more than an index")
	}
	a.value = a.pass.object(a.look.Lhs[0])
	if len(a.look.Lhs) == 2 {
		a.ok = a.pass.object(a.look.Lhs[1])
	}
	if a.value == nil || a.value.Name() == "_" || a.ok != nil && a.ok.Name() == "_" {
		return Refusal("what was found has no name")
	}
	if a.pass.someVar(a.look.Rhs[0], func(v *types.Var) bool { return a.assigned(v, a.look.Pos(), a.lock.End()) }) {
		return Refusal("the key changes between the look and the lock")
	}
	if plainCall(a.lock) == nil {
		return Refusal("the lock is not taken by a statement of its own")
	}
	return nil
}

// asks reports whether a condition asks nothing but whether something was found;
// found is what it is where it holds.
func (a *relook) asks(cond ast.Expr) (found, ok bool) {
	cond = ast.Unparen(cond)
	if a.ok == nil {
		bin, is := cond.(*ast.BinaryExpr)
		return is && bin.Op == token.NEQ, a.tests(cond, token.NEQ, a.value) || a.tests(cond, token.EQL, a.value)
	}
	if not, is := cond.(*ast.UnaryExpr); is && not.Op == token.NOT {
		return false, a.pass.object(not.X) == a.ok
	}
	return true, a.pass.object(cond) == a.ok
}

// missing is the statement whose block holds the lock and the entry, for what was
// not found; nil for none.
func (a *relook) missing() *ast.IfStmt {
	check, ok := a.parents[a.parents[a.lock]].(*ast.IfStmt)
	if !ok || check.Init != nil || check.Else != nil || a.parents[a.lock] != ast.Node(check.Body) || a.parents[a.enter] != ast.Node(check.Body) {
		return nil
	}
	if found, ok := a.asks(check.Cond); !ok || found {
		return nil
	}
	return check
}

// wrap puts what stands between the lock and the unlock under a second look.
func (a *relook) wrap(check *ast.IfStmt) (rewrite.Op, error) {
	list := check.Body.List
	i := indexOf(list, a.lock)
	from := i + 1
	if from < len(list) {
		if _, deferred := list[from].(*ast.DeferStmt); deferred {
			return nil, Refusal("the lock is released with the function")
		}
	}
	unlock := len(list) - 1
	if unlock <= from || !a.unlocks(list[unlock]) {
		return nil, Refusal("the lock is not released at the end of the block")
	}
	if a.ok != nil && a.usedAfter(a.ok, check.End()) {
		return nil, refusef("%s is read again", a.ok.Name())
	}
	for _, s := range list[from:unlock] {
		if breaksAway(s) || a.declares(s, list[unlock:]) {
			return nil, Refusal("more than the entry is made under the lock")
		}
	}
	if !a.sets() {
		return nil, Refusal("the function goes on with another object than it enters")
	}
	return rewrite.Nest{Stmts: list[from:unlock], Src: a.relooks(" = ", " == nil", "!") + " {\n}"}, nil
}

// unlocks reports whether a statement lets go of the lock.
func (a *relook) unlocks(stmt ast.Stmt) bool {
	call, lock := plainCall(stmt), plainCall(a.lock)
	if call == nil {
		return false
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	other, is := lock.Fun.(*ast.SelectorExpr)
	return ok && is && sel.Sel.Name == "Unlock" && other.Sel.Name == "Lock" && types.ExprString(sel.X) == types.ExprString(other.X)
}

// sets reports whether the variable of what was found is given what is entered.
func (a *relook) sets() bool {
	enter, ok := a.enter.(*ast.AssignStmt)
	return ok && len(enter.Rhs) == 1 && a.pass.object(enter.Rhs[0]) == a.value
}

// declares reports whether a statement declares what others use.
func (a *relook) declares(stmt ast.Stmt, others []ast.Stmt) bool {
	return slices.ContainsFunc(others, func(o ast.Stmt) bool { return a.namesOf(o, []ast.Stmt{stmt}) })
}

// returnFound returns what is there by then, as the function does where the first
// look finds it.
func (a *relook) returnFound() (rewrite.Op, error) {
	var check *ast.IfStmt
	for _, s := range a.rest(a.look) {
		if c, ok := s.(*ast.IfStmt); ok && c.Init == nil && c.Else == nil {
			if found, ok := a.asks(c.Cond); ok && found {
				check = c
			}
			break
		}
	}
	var ret *ast.ReturnStmt
	if check != nil {
		ret = soleReturn(check.Body.List)
	}
	if ret == nil || len(ret.Results) == 0 || a.parents[a.lock] != ast.Node(a.body) || !a.arePure(ret.Results) {
		return nil, Refusal("it is not certain what the function does with what it finds")
	}
	behind, give := a.lock, a.of(ret)
	if rest := a.rest(a.lock); len(rest) > 0 {
		if d, ok := rest[0].(*ast.DeferStmt); ok && a.unlocks(&ast.ExprStmt{X: d.Call}) {
			behind = d
		}
	}
	if behind == a.lock {
		give = strings.Replace(a.of(a.lock), ".Lock()", ".Unlock()", 1) + "\n" + give
	}
	return rewrite.Insert{Behind: behind, Src: a.relooks(" := ", " != nil", "") + " {\n" + give + "\n}"}, nil
}

// relooks is the head of the if statement that looks again: it assigns by one operator, and asks
// the value with another, or what says whether it is there behind a third.
func (a *relook) relooks(assigns, compares, of string) string {
	left, cond := a.value.Name(), a.value.Name()+compares
	if a.ok != nil {
		left, cond = left+", "+a.ok.Name(), of+a.ok.Name()
	}
	return "if " + left + assigns + a.of(a.look.Rhs[0]) + "; " + cond
}
