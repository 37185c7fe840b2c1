package prove

import (
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lockvet/lockvet/fixes/rewrite"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/pattern"
)

// behindReturns takes the lock behind the returns that save nothing and do not need what the file
// holds. Where neither they nor what they need is about the file, they move in front of the load:
//
//	x, err := load(path)                 if len(args) == 0 {
//	if err != nil {                              return errEmpty
//	        return err                   }
//	}                                    lock, err := safeio.Lock(path)
//	if len(args) == 0 {                  …
//	        return errEmpty              x, err := load(path)
//	}
//
// Where they show what it holds, the file is loaded again under the lock:
//
//	x, err := load(path)                 x, err := load(path)
//	if err != nil {                      if err != nil {
//	        return err                           return err
//	}                                    }
//	if len(args) == 0 {                  if len(args) == 0 {
//	        return show(x)                       return show(x)
//	}                                    }
//	                                     lock, err := safeio.Lock(path)
//	                                     …
//	                                     x, err = load(path)
//	                                     if err != nil {
//	                                             return err
//	                                     }
//
// It fails where the lock would stand in front of a return that ends well, and does not need what
// the file holds. What a switch has of these stays behind the lock: it tells what is asked for.
func (sp *span) behindReturns() error {
	k := at(sp.list, sp.remedy.Save.Pos())
	if k == 0 {
		return nil
	}
	e := &early{span: sp, rest: sp.list[1:k]}
	o := sp.outcome(sp.remedy.Load)
	if assign, ok := sp.stmt.(*ast.AssignStmt); ok && o.stmt == sp.stmt && sp.fails(o) && !e.saves(o.check) {
		e.rest = e.rest[1:]
		e.find(assign)
		if len(e.passed) > 0 && (e.shows || !e.first()) && e.well {
			e.again(assign, o.check)
		}
	}
	return e.waits()
}

// An early is what stands between a load and a save, with the returns in front of the others.
type early struct {
	*span
	rest   []ast.Stmt // behind the load
	loaded objects    // what the load assigns to
	passed []ast.Stmt // up to the last return that does not need what the file holds
	shows  bool       // one of these tells what it holds
	well   bool       // one of these ends well
}

// find finds the returns that do not need what the file holds.
func (e *early) find(load *ast.AssignStmt) {
	e.loaded = make(objects)
	for _, lhs := range load.Lhs {
		if obj := e.pass.object(lhs); isNamed(obj) && !isError(obj.Type()) {
			e.loaded[obj] = true
		}
	}
	shows, well := false, false
	for i, stmt := range e.rest {
		check, ok := stmt.(*ast.IfStmt)
		switch {
		case e.saves(stmt):
			return
		case ok && check.Else == nil && endsInReturn(check.Body.List):
			if e.reads(check.Init) || e.reads(check.Cond) || !e.independent(check.Cond) || !e.isPure(check.Cond) && !e.validates(check.Cond) {
				return
			}
			shows, well = shows || e.reads(check.Body), well || e.endsWellAt(check.Body)
			e.passed, e.shows, e.well = e.rest[:i+1], shows, well
		case e.reads(stmt) || !isDefine(stmt):
			return
		}
	}
}

// validates reports whether a condition is that a function finds names invalid, or valid: by what
// it is called it looks at nothing else.
func (e *early) validates(cond ast.Expr) bool {
	cond = ast.Unparen(cond)
	if not, ok := cond.(*ast.UnaryExpr); ok && not.Op == token.NOT {
		cond = ast.Unparen(not.X)
	}
	call, ok := cond.(*ast.CallExpr)
	if !ok || len(call.Args) == 0 || !e.arePure(call.Args) {
		return false
	}
	fn := e.pass.callee(call)
	return fn != nil && fn.Signature().Recv() == nil && validity.MatchString(fn.Name())
}

// validity are the names of functions that look whether what they are given is valid.
var validity = pattern.New(`^(?:[iI]s)?(?:In)?[vV]alid(?:$|[A-Z])`)

// saves reports whether a statement saves a file, or makes the directory of one.
func (e *early) saves(stmt ast.Stmt) bool {
	return slices.ContainsFunc(append(e.remedy.Saves, e.remedy.Make), func(call *ast.CallExpr) bool {
		return call != nil && at([]ast.Stmt{stmt}, call.Pos()) == 0
	})
}

// reads reports whether a node is about what was loaded.
func (e *early) reads(n ast.Node) bool {
	if s, ok := n.(ast.Stmt); n == nil || ok && s == nil {
		return false
	}
	return some(n, func(id *ast.Ident) bool { return e.loaded[e.pass.object(id)] })
}

// independent reports whether an expression is about nothing into which something can be loaded:
// names and lists of them.
func (e *early) independent(x ast.Expr) bool {
	return !e.pass.someVar(x, func(v *types.Var) bool { return v.IsField() || !isPlain(v.Type()) })
}

// isPlain reports whether values of a type are names, numbers, or lists of them.
func isPlain(t types.Type) bool {
	if list, ok := t.Underlying().(*types.Slice); ok {
		t = list.Elem()
	}
	_, basic := t.Underlying().(*types.Basic)
	return basic || isError(t)
}

// endsWellAt reports whether a return of a statement ends well.
func (e *early) endsWellAt(n ast.Node) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		ret, ok := n.(*ast.ReturnStmt)
		found = found || ok && e.isWell(ret)
		_, lit := n.(*ast.FuncLit)
		return !found && !lit
	})
	return found
}

// isWell reports whether a return can be one of a success.
func (e *early) isWell(ret *ast.ReturnStmt) bool {
	if !e.returnsError() {
		return true
	}
	if len(ret.Results) == 0 {
		return false // what the error is by then is not asked
	}
	last := ast.Unparen(result(ret))
	_, isCall := last.(*ast.CallExpr)
	return isNil(e.pass.Info, last) || isCall && !e.isFailure(last)
}

// first moves the returns in front of the paragraph that loads the file, if all they need is known
// there.
func (e *early) first() bool {
	list := e.siblings(e.stmt)
	i := indexOf(list, e.stmt)
	for i > 0 && isDefine(list[i-1]) && e.line(list[i-1].End())+1 == e.line(list[i].Pos()) {
		i--
	}
	for _, stmt := range e.passed {
		check, isCheck := stmt.(*ast.IfStmt)
		if isCheck && check.Init != nil || !isCheck && !e.computes(stmt) {
			return false
		}
		for _, v := range e.pass.vars(stmt) {
			if !v.IsField() && list[i].Pos() <= v.Pos() && v.Pos() < e.passed[0].Pos() || e.assigned(v, list[i].Pos()-1, e.passed[0].Pos()) {
				return false
			}
		}
	}
	e.early = []rewrite.Op{rewrite.Move{Stmts: e.passed, Before: list[i], Apart: true}}
	e.rest = e.rest[len(e.passed):]
	return true
}

// again loads the file once more behind the returns, as the function has loaded it before.
func (e *early) again(load *ast.AssignStmt, check *ast.IfStmt) {
	last := e.passed[len(e.passed)-1]
	behind := e.span.rest(last)[0]
	for _, lhs := range load.Lhs {
		if v, ok := e.pass.object(lhs).(*types.Var); !ok || v.IsField() || v.Parent() != e.pass.Pkg.Scope().Innermost(load.Pos()) && e.pass.Info.Defs[lhs.(*ast.Ident)] != nil {
			return
		}
	}
	for _, n := range []ast.Node{e.remedy.Load, check.Body} {
		for id, v := range e.pass.vars(n) {
			if !v.IsField() && (!isError(v.Type()) && e.assigned(v, load.End(), last.End()) || e.pass.lookup(id.Name, behind.Pos()) != types.Object(v) && v.Pos() < load.End()) {
				return
			}
		}
	}
	e.reload = "// Load it again: another process may have saved it since.\n" + e.of(load.Lhs[0])
	for _, lhs := range load.Lhs[1:] {
		e.reload += ", " + e.of(lhs)
	}
	e.reload += " = " + e.of(e.remedy.Load) + "\n" + e.of(check)
	e.stmt, e.rest, e.remedy.Absent = behind, e.rest[len(e.passed):], false
}

// waits fails where a return behind the lock ends well and does not need what the file holds.
func (e *early) waits() error {
	for _, stmt := range e.rest {
		if ret := e.needless(stmt); ret != nil {
			at := e.pass.Fset.Position(ret.Pos())
			return refusef("it returns at %s:%d whatever the file holds, and would wait for the lock before: take the lock behind that, and load the file again", filepath.Base(at.Filename), at.Line)
		}
	}
	return nil
}

// needless is a return in a statement that ends well under conditions that are not about the
// file; nil for none.
func (e *early) needless(n ast.Node) (found *ast.ReturnStmt) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
			return false
		case *ast.IfStmt:
			return n.Init == nil && e.independent(n.Cond) && e.before(n.Cond)
		case *ast.ReturnStmt:
			if found == nil && e.isWell(n) {
				found = n
			}
		}
		return found == nil
	})
	return found
}

// before reports whether all that an expression is about was known before the file was loaded.
func (e *early) before(x ast.Expr) bool {
	from := e.list[0].Pos()
	return e.isPure(x) && !e.pass.someVar(x, func(v *types.Var) bool { return v.Pos() >= from || e.assigned(v, from-1, x.Pos()) })
}

// lockEarlier moves the statements that take a lock, up to the defer that lets go
// of it, in front of the one that loads:
//
//	x, err := load(path)             unlock, err := lock(path)
//	if err != nil {                  if err != nil {
//		return err                       return err
//	}                                }
//	unlock, err := lock(path)        defer unlock()
//	if err != nil {                  x, err := load(path)
//		return err                   if err != nil {
//	}                                    return err
//	defer unlock()                   }
func (s *File) lockEarlier(r finding.LockEarlier) (*Proof, error) {
	sp := &span{handleScope: s.scope(r.Body), remedy: finding.SpanLock{Body: r.Body, Load: r.Load, Save: r.Save}}
	if err := sp.find(); err != nil {
		return nil, err
	}
	group, err := sp.taking(r.Lock)
	if err != nil {
		return nil, err
	}
	switch {
	case sp.rehearses():
		return nil, Refusal("it can be asked to change nothing, and taking a lock makes its file")
	case !sp.portable(group):
		return nil, Refusal("what takes the lock depends on what comes before it")
	}
	return sp.plan("Take the lock before the file is loaded", rewrite.Move{Stmts: group, Before: sp.stmt, Apart: sp.commentAbove(sp.stmt) != nil})
}

// taking lists the statements that take the lock, from the one that makes it to the
// defer that lets go of it.
func (sp *span) taking(lock *ast.CallExpr) ([]ast.Stmt, error) {
	stmt := sp.statement(lock)
	first := indexOf(sp.list, stmt)
	if first <= 0 {
		return nil, Refusal("the lock is not taken in the block that loads the file")
	}
	last := first
	for last < len(sp.list) && last < first+3 {
		if _, ok := sp.list[last].(*ast.DeferStmt); ok {
			break
		}
		last++
	}
	if last == len(sp.list) || last == first+3 || sp.remedy.Save.Pos() < sp.list[last].End() {
		return nil, Refusal("no defer releases the lock at once")
	}
	for first > 1 && sp.declares(sp.list[first-1], sp.list[first:last+1]) {
		first--
	}
	if !sp.declares(stmt, sp.list[last:last+1]) && !sp.declares(sp.list[first], sp.list[last:last+1]) && !sp.sameReceiver(lock, sp.list[last].(*ast.DeferStmt)) {
		return nil, Refusal("no defer releases the lock at once")
	}
	return sp.list[first : last+1], nil
}

// declares reports whether a statement declares, other than an error, what others use.
func (sp *span) declares(stmt ast.Stmt, users []ast.Stmt) bool {
	return isDefine(stmt) && stmt.Pos() > sp.remedy.Load.End() && slices.ContainsFunc(stmt.(*ast.AssignStmt).Lhs, func(lhs ast.Expr) bool {
		id, _ := lhs.(*ast.Ident)
		obj := sp.pass.Info.Defs[id]
		return obj != nil && !isError(obj.Type()) && sp.pass.mentions(listOf(users), obj)
	})
}

// sameReceiver reports whether a defer lets go of what a method locks.
func (sp *span) sameReceiver(lock *ast.CallExpr, d *ast.DeferStmt) bool {
	text := sp.receiverText(lock)
	return text != "" && text == sp.receiverText(d.Call) && lettingGo.MatchString(sp.of(d.Call.Fun))
}

// portable reports whether the statements mean the same in front of the load: what
// they name is there with the same value, and what they declare leaves those in
// between something to declare.
func (sp *span) portable(group []ast.Stmt) bool {
	from, begin, end := sp.stmt.Pos(), group[0].Pos(), group[len(group)-1].End()
	return every(listOf(group), func(id *ast.Ident) bool {
		v, ok := sp.pass.object(id).(*types.Var)
		switch {
		case !ok || v.IsField() || begin <= v.Pos() && v.Pos() < end:
			return true
		case v.Pos() < from || v.Pos() > sp.body.End() || v.Parent() == sp.pass.Pkg.Scope():
			return isError(v.Type()) || !sp.assigned(v, from-1, begin)
		}
		return isError(v.Type()) && sp.redeclares(v, group)
	})
}

// redeclares reports whether an error that a statement in between declares is declared by
// the first of the group as well when that comes before it, and the other then still
// declares something.
func (sp *span) redeclares(v *types.Var, group []ast.Stmt) bool {
	if !sp.declaresWith(group[0], v.Name()) && !(len(group) > 1 && sp.declaresWith(group[1], v.Name()) && !strings.Contains(sp.of(group[0]), v.Name())) {
		return false
	}
	i := at(sp.list, v.Pos())
	return i >= 0 && sp.declaresWith(sp.list[i], v.Name())
}

// declaresWith reports whether a statement declares a name, or assigns to it, together with
// another that it declares.
func (sp *span) declaresWith(stmt ast.Stmt, name string) bool {
	if !isDefine(stmt) {
		return false
	}
	named, news := false, false
	for _, lhs := range stmt.(*ast.AssignStmt).Lhs {
		id, ok := lhs.(*ast.Ident)
		switch {
		case ok && id.Name == name:
			named = true
		case ok && id.Name != "_" && sp.pass.Info.Defs[id] != nil:
			news = true
		}
	}
	return named && news
}
