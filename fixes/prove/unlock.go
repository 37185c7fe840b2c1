package prove

import (
	"go/ast"
	"go/types"
	"slices"

	"github.com/lockvet/lockvet/fixes/rewrite"
	"github.com/lockvet/lockvet/internal/finding"
)

// A place is a call in a function body: the statement of a list that makes it.
type place struct {
	call *ast.CallExpr
	stmt ast.Stmt
	list []ast.Stmt
	i    int
	// deferred is the defer statement whose call, or whose literal, makes it.
	deferred *ast.DeferStmt
}

// locate finds the statement that makes a call, in the outermost list of which
// both calls are a part.
func (sc *handleScope) locate(call, other *ast.CallExpr) (place, error) {
	p := place{call: call}
	for n := ast.Node(call); n != nil; n = sc.parents[n] {
		if d, ok := n.(*ast.DeferStmt); ok {
			p.deferred = d
		}
		stmt, ok := n.(ast.Stmt)
		if !ok {
			continue
		}
		list := sc.siblings(stmt)
		i := indexOf(list, stmt)
		if i < 0 {
			continue
		}
		p.stmt, p.list, p.i = stmt, list, i
		if list[0].Pos() <= other.Pos() && other.End() <= list[len(list)-1].End() {
			return p, nil
		}
	}
	return p, Refusal("the two calls do not stand in one block")
}

// unlockLast lets go of a lock behind the flush of what was written under it.
func (s *File) unlockLast(r finding.UnlockLast) (*Proof, error) {
	sc := s.scope(r.Body)
	unlock, err := sc.locate(r.Unlock, r.Flush)
	if err != nil {
		return nil, err
	}
	flush, err := sc.locate(r.Flush, r.Unlock)
	if err != nil {
		return nil, err
	}
	var ops []rewrite.Op
	switch {
	case unlock.deferred != nil && flush.deferred != nil && unlock.deferred != flush.deferred:
		ops, err = sc.deferFlushLater(flush, unlock)
	case unlock.deferred == nil && flush.deferred != nil:
		ops, err = sc.flushBefore(flush, unlock)
	default:
		ops, err = sc.letGoBehind(unlock, flush)
	}
	if group := sc.commentAbove(unlock.stmt); group != nil && r.Write && err == nil {
		err = Refusal("a comment says why the lock is released there")
	}
	if err != nil {
		return nil, err
	}
	return sc.plan("Release the lock last", ops...)
}

// deferFlushLater moves a deferred flush behind the deferred unlock, so that it runs
// before it.
//
//	defer w.Flush()            mu.Lock()
//	mu.Lock()                  defer mu.Unlock()
//	defer mu.Unlock()          defer w.Flush()
func (sc *handleScope) deferFlushLater(flush, unlock place) ([]rewrite.Op, error) {
	if sc.siblings(flush.deferred) == nil || flush.stmt != ast.Stmt(flush.deferred) || unlock.stmt != ast.Stmt(unlock.deferred) || flush.i > unlock.i {
		return nil, Refusal("the two calls are not deferred in one block")
	}
	between := flush.list[flush.i+1 : unlock.i]
	if leaves := breaksAway(listOf(between)); leaves && !sc.isFlush(flush) {
		return nil, Refusal("a return stands between the deferred calls")
	} else if writer := sc.receiver(flush.call); leaves && (writer == nil || sc.pass.mentions(listOf(between), writer)) {
		return nil, Refusal("something is written before the release of the lock is deferred")
	}
	return []rewrite.Op{rewrite.Move{Stmts: []ast.Stmt{flush.stmt}, Behind: unlock.stmt}}, nil
}

// isFlush reports whether a deferred call does nothing where nothing has
// been written: it flushes a writer that has no trailer of its own.
func (sc *handleScope) isFlush(p place) bool {
	_, row := sc.ending(p.call)
	return row.method == "Flush" && p.deferred.Call == p.call
}

// receiver is the variable that a method is called on.
func (sc *handleScope) receiver(call *ast.CallExpr) types.Object {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	return sc.pass.object(sel.X)
}

// flushBefore flushes, besides the deferred flush, before the unlock: a second flush finds
// nothing to write and keeps the error of the first.
//
//	                         if err := w.Flush(); err != nil {
//	                                 mu.Unlock()
//	                                 return err
//	                         }
//	mu.Unlock()              mu.Unlock()
func (sc *handleScope) flushBefore(flush, unlock place) ([]rewrite.Op, error) {
	writer, row := sc.ending(flush.call)
	if writer == nil || row.once {
		return nil, Refusal("the writer may not be flushed twice")
	}
	if flush.i > unlock.i || !sc.isPure(writer) {
		return nil, Refusal("the flush is deferred too late to come first")
	}
	text := sc.of(flush.call)
	if sc.returnsError() && row.then == "" {
		fail := sc.failText()
		if plainCall(unlock.stmt) == unlock.call {
			fail = sc.of(unlock.stmt) + "\n" + fail
		}
		text = unless(text, fail)
	}
	return []rewrite.Op{rewrite.Insert{Src: text, Before: unlock.stmt}}, nil
}

// letGoBehind moves an unlock behind a flush of the same list. Where a statement
// in between leaves the function, the lock is let go there, too.
//
//	mu.Unlock()                             if err := w.Flush(); err != nil {
//	if err := w.Flush(); err != nil {               mu.Unlock()
//	        return err                              return err
//	}                                       }
//	                                        mu.Unlock()
func (sc *handleScope) letGoBehind(unlock, flush place) ([]rewrite.Op, error) {
	if unlock.i >= flush.i || plainCall(unlock.stmt) != unlock.call {
		return nil, Refusal("the unlock is not a statement of its own in front of it")
	}
	text := sc.of(unlock.stmt)
	var ops []rewrite.Op
	for _, s := range unlock.list[unlock.i+1 : flush.i] {
		if sc.computes(s) {
			continue
		}
		check, ok := s.(*ast.IfStmt)
		if !ok || check.Init != nil || check.Else != nil || !sc.isPure(check.Cond) || !sc.ends(check.Body.List) {
			return nil, Refusal("more than error checks stands between the two calls")
		}
		ops = append(ops, rewrite.Insert{Src: text, Before: check.Body.List[0]})
	}
	switch s := flush.stmt.(type) {
	case *ast.ReturnStmt:
		more, err := sc.flushAndReturn(unlock, flush, s)
		return append(ops, more...), err
	case *ast.IfStmt:
		if soleCall(s.Init) != flush.call || s.Else != nil || !sc.isPure(s.Cond) || !sc.ends(s.Body.List) {
			return nil, Refusal("what follows the call cannot be told")
		}
		ops = append(ops, rewrite.Insert{Src: text, Before: s.Body.List[0]})
	default:
		if plainCall(flush.stmt) != flush.call && soleCall(flush.stmt) != flush.call {
			return nil, Refusal("what follows the call cannot be told")
		}
	}
	return append(ops, rewrite.Move{Stmts: []ast.Stmt{unlock.stmt}, Behind: flush.stmt}), nil
}

// computes reports whether a statement does nothing but give names to values.
func (sc *handleScope) computes(stmt ast.Stmt) bool {
	return isDefine(stmt) && !slices.ContainsFunc(stmt.(*ast.AssignStmt).Rhs, func(e ast.Expr) bool {
		call, ok := ast.Unparen(e).(*ast.CallExpr)
		if ok && sc.pass.calls(call, "encoding/json", "Marshal", "MarshalIndent") {
			return !sc.isPure(call.Args[0])
		}
		return !sc.isPure(e)
	})
}

// flushAndReturn turns
//
//	mu.Unlock()               err := w.Flush()
//	return w.Flush()          mu.Unlock()
//	                          return err
func (sc *handleScope) flushAndReturn(unlock, flush place, s *ast.ReturnStmt) ([]rewrite.Op, error) {
	n := len(s.Results)
	if !sc.outcome(flush.call).returned() || n != len(sc.results) || !isError(sc.pass.Info.TypeOf(flush.call)) || !sc.arePure(s.Results[:n-1]) {
		return nil, Refusal("a return does more than to call it")
	}
	define := " := "
	if obj := sc.pass.Pkg.Scope().Innermost(s.Pos()).Lookup("err"); obj != nil {
		if obj.Pos() > s.Pos() || !isError(obj.Type()) {
			return nil, Refusal("another err stands in the way")
		}
		define = " = "
	}
	return []rewrite.Op{
		rewrite.Insert{Src: "err" + define + sc.of(flush.call), Before: s},
		rewrite.Move{Stmts: []ast.Stmt{unlock.stmt}, Before: s},
		rewrite.Put{Expr: flush.call, Src: "err"},
	}, nil
}
