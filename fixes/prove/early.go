package prove

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/lockvet/lockvet/fixes/rewrite"
	"github.com/lockvet/lockvet/internal/finding"
)

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
	if err := inOrder(sp.find, sp.rehearses); err != nil {
		return nil, err
	}
	group, err := sp.taking(r.Lock)
	if err != nil {
		return nil, err
	}
	if !sp.portable(group) {
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
