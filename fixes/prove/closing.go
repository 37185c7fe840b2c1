package prove

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/lockvet/lockvet/fixes/rewrite"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/remark"
	"github.com/lockvet/lockvet/internal/syntax"
)

// failsAfter reports whether what follows in the list ends in a failure.
func (w *walker) failsAfter(rest []ast.Stmt) bool {
	if len(rest) == 0 {
		return false
	}
	last := len(rest) - 1
	if end, ok := rest[last].(*ast.ExprStmt); ok {
		return last == 0 && w.sc.pass.endsProgram(end.X)
	}
	ret, ok := rest[last].(*ast.ReturnStmt)
	return ok && w.sc.returnsError() && len(ret.Results) == len(w.sc.results) && w.sc.isFailure(syntax.Result(ret)) &&
		!slices.ContainsFunc(rest[:last], func(s ast.Stmt) bool { return syntax.PlainCall(s) == nil })
}

// returned is the variable whose error the statements return and do nothing else;
// nil if they do anything else, or another error is pending.
func (w *walker) returned(rest []ast.Stmt) types.Object {
	ret := syntax.SoleReturn(rest)
	if ret == nil || len(ret.Results) != len(w.sc.results) || len(w.sc.finish) > 0 || !w.sc.returnsError() {
		return nil
	}
	obj, ok := w.sc.pass.object(syntax.Result(ret)).(*types.Var)
	if !ok || len(w.pending) > 1 || len(w.pending) == 1 && !w.pending[obj] || !w.sc.arePure(ret.Results) {
		return nil
	}
	return obj
}

// commitUnder commits before a statement that lets go of a mutex, if there was no
// error that is returned behind it:
//
//	err = w.Flush()
//	                 +  if err == nil {
//	                 +      err = f.Commit()
//	                 +  }
//	mu.Unlock()
//	return err
func (w *walker) commitUnder(stmt ast.Stmt, err types.Object) {
	w.sc.before(stmt, fmt.Sprintf("if %s == nil {\n\t%s = %s.Commit()\n}", err.Name(), err.Name(), w.sc.f.Name()))
	w.publish()
}

// closeStmt follows f.Close() whose error is dropped: the place of the commit,
// unless a failure is on its way.
func (w *walker) closeStmt(stmt ast.Stmt, rest []ast.Stmt, st state, r *controlPath) (state, int) {
	switch {
	case st&open == 0:
		return st, 0
	case r.failing || w.failsAfter(rest):
		r.closed = true
		return st, 0
	case w.sc.temp != nil:
		w.sc.drop(stmt)
		return st, 0
	}
	text := w.sc.commitText(stmt.Pos())
	if len(w.pending) == 0 {
		w.sc.change(stmt, text)
		w.publish()
		return committed, 0
	}
	// _, err = io.Copy(f, r)
	// f.Close()
	// if err != nil { return err }
	check, ok := syntax.FirstIf(rest)
	if !ok || check.Init != nil || check.Else != nil || !w.sc.ends(check.Body.List) {
		return w.unchecked(), 0
	}
	if obj, failing, ok := w.sc.guard(check.Cond); !ok || !failing || !w.pending[obj] {
		return w.unchecked(), 0
	}
	w.sc.drop(stmt)
	w.branch(check, rest[1:], st, r)
	if len(w.pending) > 0 {
		w.unchecked()
	}
	w.sc.after(check, text)
	w.publish()
	return committed, 1
}

// closeAssign follows err = f.Close().
func (w *walker) closeAssign(list []ast.Stmt, i int, s *ast.AssignStmt, call *ast.CallExpr, st state, r *controlPath) (state, int) {
	if st&open == 0 {
		return st, 0
	}
	if r.failing || w.failsAfter(list[i+1:]) {
		r.closed = true
		return st, 0
	}
	check, ok := syntax.FirstIf(list[i+1:])
	switch {
	case w.sc.temp == nil && ok && check.Init == nil && w.commitUnless(check, s):
		return committed, 1
	case w.sc.temp == nil:
		w.commitAt(s, call, list[i+1:])
		return committed, 0
	case !w.sc.fails(w.sc.outcome(call)):
		return w.refuse(Refusal("the error of Close is not checked at once")), 0
	}
	w.refuse(w.noted(check.Body))
	w.sc.drop(s)
	w.sc.drop(check)
	return st, 1
}

// noted fails if a block that goes tells what stays of something, by a variable of the
// function: whether the file is closed already, say.
func (w *walker) noted(block *ast.BlockStmt) error {
	return syntax.First(block, func(a *ast.AssignStmt) error {
		for _, lhs := range a.Lhs {
			if obj := w.sc.pass.object(lhs); a.Tok == token.ASSIGN && isNamed(obj) && (obj.Pos() < block.Pos() || block.End() < obj.Pos()) {
				return refusef("%s notes that the file is closed", obj.Name())
			}
		}
		return nil
	})
}

// commitAt makes the Close within a statement the commit. An unchecked error
// must get its check first.
func (w *walker) commitAt(stmt ast.Stmt, call *ast.CallExpr, rest []ast.Stmt) {
	before := w.sc.finishText()
	if len(w.pending) > 0 {
		before = w.lateCheck(stmt, rest) + before
	}
	if before != "" {
		w.sc.before(stmt, strings.TrimSuffix(before, "\n"))
	}
	w.commits(call)
	w.publish()
}

// commits has Commit stand for a Close, on which nothing need be said any more.
func (w *walker) commits(closing ast.Expr) {
	w.sc.put(closing, w.sc.f.Name()+".Commit()")
	w.sc.do(rewrite.Hush{Above: w.sc.statement(closing), Keep: remark.Unclosed})
}

// lateCheck is the check of a pending error which the function only returns
// after the close:
//
//	_, err := io.Copy(f, r)
//	if cerr := f.Close(); cerr != nil && err == nil { … }
//	return err
func (w *walker) lateCheck(stmt ast.Stmt, rest []ast.Stmt) string {
	if len(w.pending) != 1 || !syntax.EndsInReturn(rest) || !w.sc.returnsError() {
		w.unchecked()
		return ""
	}
	ret := rest[len(rest)-1].(*ast.ReturnStmt)
	obj := w.sc.pass.object(syntax.Result(ret))
	if len(ret.Results) != len(w.sc.results) || obj == nil || !w.pending[obj] || !w.sc.arePure(ret.Results) {
		w.unchecked()
		return ""
	}
	delete(w.pending, obj)
	text := "if " + obj.Name() + " != nil {\n"
	if !w.sc.deferred {
		text += "\t" + w.sc.f.Name() + ".Close()\n"
	}
	text += "\t" + w.sc.of(ret) + "\n}\n"
	w.sc.again = append(w.sc.again, syntax.Result(ret))
	w.none(obj, &ast.BlockStmt{List: append([]ast.Stmt{stmt}, rest...)}, ret)
	return text
}

// none takes away what statements ask of an error that is nil there, and has the last of
// them return nil.
func (w *walker) none(obj types.Object, list *ast.BlockStmt, ret *ast.ReturnStmt) {
	if !syntax.Every(list, func(a *ast.AssignStmt) bool {
		return !slices.ContainsFunc(a.Lhs, func(e ast.Expr) bool { return w.sc.pass.object(e) == obj })
	}) {
		return
	}
	for bin := range syntax.Nodes[*ast.BinaryExpr](list) {
		switch {
		case bin.Op != token.LAND:
		case w.sc.tests(bin.X, token.EQL, obj):
			w.sc.put(bin, w.sc.of(bin.Y))
		case w.sc.tests(bin.Y, token.EQL, obj):
			w.sc.put(bin, w.sc.of(bin.X))
		}
	}
	w.sc.put(syntax.Result(ret), "nil")
}

// closeIf follows if err := f.Close(); err != nil { … }.
func (w *walker) closeIf(s *ast.IfStmt, call *ast.CallExpr, rest []ast.Stmt, st state, r *controlPath) state {
	if w.sc.temp != nil {
		if s.Else != nil || !w.sc.ends(s.Body.List) || !w.sc.isPure(s.Cond) {
			w.refuse(Refusal("the error of Close is not checked at once"))
		}
		w.refuse(w.noted(s.Body))
		w.sc.drop(s)
		return st
	}
	if w.commitUnless(s, s.Init) {
		return committed
	}
	w.commitAt(s, call, rest)
	then := r.branch()
	then.failing, then.commit = true, true
	out := w.list(s.Body.List, committed, then)
	if s.Else != nil {
		return out | w.list([]ast.Stmt{s.Else}, committed, r)
	}
	return out | committed
}

// commitUnless commits where the file is closed and there was no error before, which the
// function looks at behind that:
//
//	_, err = io.Copy(f, r)                        _, err = io.Copy(f, r)
//	if closing := f.Close(); err == nil {         if err == nil {
//		err = closing                                 err = f.Commit()
//	}                                             }
func (w *walker) commitUnless(s *ast.IfStmt, closing ast.Stmt) bool {
	pending, closed := w.pendingSorted(), w.sc.errorOf(closing)
	if len(pending) != 1 || len(w.sc.finish) > 0 || w.sc.loop || s.Else != nil || len(s.Body.List) != 1 || !w.joins(s.Cond, pending[0], closed) {
		return false
	}
	assign, ok := s.Body.List[0].(*ast.AssignStmt)
	if !ok || len(assign.Lhs) != 1 || w.sc.pass.object(assign.Lhs[0]) != pending[0] || w.sc.pass.object(assign.Rhs[0]) != closed {
		return false
	}
	if syntax.Some(w.sc.body, func(id *ast.Ident) bool {
		return w.sc.pass.Info.Uses[id] == closed && (id.Pos() < s.Pos() || s.End() < id.Pos())
	}) {
		return false
	}
	w.sc.leaks = true // where there was one
	if closing == s.Init {
		w.sc.do(rewrite.DropInit{If: s})
	} else {
		w.sc.drop(closing)
	}
	if bin := ast.Unparen(s.Cond).(*ast.BinaryExpr); bin.Op == token.LAND {
		w.sc.put(s.Cond, pending[0].Name()+" == nil")
	}
	w.commits(assign.Rhs[0])
	w.publish()
	return true
}

// joins reports whether a condition is that there was no error before, with or without
// that there is one of the close.
func (w *walker) joins(cond ast.Expr, before, closed types.Object) bool {
	bin, ok := ast.Unparen(cond).(*ast.BinaryExpr)
	return w.sc.tests(cond, token.EQL, before) || ok && bin.Op == token.LAND &&
		(w.sc.tests(bin.X, token.EQL, before) && w.sc.tests(bin.Y, token.NEQ, closed) || w.sc.tests(bin.X, token.NEQ, closed) && w.sc.tests(bin.Y, token.EQL, before))
}

// deferStmt follows a deferred call.
func (w *walker) deferStmt(s *ast.DeferStmt, st state, r *controlPath) {
	if lit, ok := s.Call.Fun.(*ast.FuncLit); ok {
		w.deferredClosure(lit)
		for _, arg := range s.Call.Args {
			w.leaf(arg, st, r)
		}
		return
	}
	f, finishes := w.sc.finisher(s.Call)
	switch {
	case w.sc.isMethod(s.Call, "Close") || w.sc.isCleanup(s.Call):
		w.sc.deferred, w.sc.closer = true, s
	case w.sc.closedBy(s.Call): // and told why it could not be, of which Commit tells now
		w.sc.deferred, w.sc.closer = true, s
		w.sc.change(s, "defer "+w.sc.f.Name()+".Close()")
	case w.sc.changed(s): // it removed the temporary file
	case w.sc.pass.calls(s.Call, "os", "Remove") && w.sc.isPath(s.Call.Args[0]):
		w.refuse(Refusal("a deferred call removes the file"))
	case finishes:
		w.sc.finish = append([]finisher{f}, w.sc.finish...)
		w.sc.drop(s)
	case w.sc.related(s.Call):
		w.refuse(refusef("the deferred %s would come after the commit", w.sc.of(s.Call.Fun)))
	}
}

// deferredClosure follows a deferred function literal, of which scanUses has
// proven that it only ends things.
func (w *walker) deferredClosure(lit *ast.FuncLit) {
	for call := range syntax.Nodes[*ast.CallExpr](lit.Body) {
		if w.sc.isMethod(call, "Close") && w.closesAlways(call, lit) {
			w.sc.deferred = true
		}
		if w.sc.pass.calls(call, "os", "Remove") && w.sc.isPath(call.Args[0]) {
			w.sc.dropRemove(call)
		}
	}
}

// closesAlways reports whether a call in a deferred function runs whenever the
// function fails: under no condition, or under that of a named error result.
func (w *walker) closesAlways(call *ast.CallExpr, lit *ast.FuncLit) bool {
	child := ast.Node(call)
	for n := w.sc.parents[child]; n != ast.Node(lit.Body); child, n = n, w.sc.parents[n] {
		s, ok := n.(*ast.IfStmt)
		if !ok || child == ast.Node(s.Init) {
			continue
		}
		obj, failing, ok := w.sc.guard(s.Cond)
		if !ok || !failing || obj == nil || child != ast.Node(s.Body) || !w.sc.isResult(obj) {
			return false
		}
	}
	return !slices.ContainsFunc(lit.Body.List, func(s ast.Stmt) bool { return s.End() < call.Pos() && breaksAway(s) })
}

// breaksAway reports whether a statement may return.
func breaksAway(s ast.Node) bool {
	return syntax.Some(s, func(_ *ast.ReturnStmt) bool { return true })
}

// complete reports whether the file is complete behind the i-th statement of the
// block that opens it, and what follows acts on other files or on what its path
// is made of, or says that it is saved: there it was in place, and must be so again.
// Anything else that can fail comes before the commit.
func (w *walker) complete(list []ast.Stmt, i int) bool {
	if w.sc.temp != nil || len(w.pending) > 0 || !w.sc.returnsError() || &list[0] != &w.sc.tail[0] {
		return false
	}
	if i+1 < len(list) && w.decides(list[i+1]) {
		return false
	}
	acts, roots := false, w.roots()
	for _, s := range list[i+1:] {
		if w.sc.related(s) || syntax.Some(s, func(call *ast.CallExpr) bool {
			return w.sc.pass.calls(call, "os", "Chmod") && w.sc.isPath(call.Args[0])
		}) {
			return false
		}
		acts = acts || w.actsOn(s, roots)
	}
	return acts || w.saysDone(list[i+1:])
}

// saysDone reports whether all that statements do is to say something, and then to return that
// there is no error.
func (w *walker) saysDone(list []ast.Stmt) bool {
	said := len(list) - 1
	if said <= 0 {
		return false
	}
	ret := syntax.SoleReturn(list[said:])
	return ret != nil && syntax.Result(ret) != nil && isNil(w.sc.pass.Info, syntax.Result(ret)) && w.sc.arePure(ret.Results) && w.sc.areHarmless(list[:said])
}

// roots are the variables that the path is made of, at most two steps away.
func (w *walker) roots() objects {
	roots := make(objects)
	var add func(n ast.Node, steps int)
	add = func(n ast.Node, steps int) {
		for _, v := range w.sc.pass.vars(n) {
			if roots[v] {
				continue
			}
			roots[v] = true
			if rhs := w.sc.value(v); rhs != nil && steps > 0 {
				add(rhs, steps-1)
			}
		}
	}
	add(w.sc.path, 2)
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
			return s.Init == nil && isError(w.sc.pass.Info.TypeOf(s.Tag))
		}
		for _, c := range s.Body.List {
			conds = append(conds, c.(*ast.CaseClause).List...)
		}
	case *ast.TypeSwitchStmt:
		return true
	}
	return slices.ContainsFunc(conds, func(e ast.Expr) bool {
		_, _, ok := w.sc.guard(e)
		return ok
	})
}

// actsOn reports whether a statement hands one of the variables to a call that
// does more than compute or print.
func (w *walker) actsOn(stmt ast.Stmt, roots objects) bool {
	return syntax.Some(stmt, func(call *ast.CallExpr) bool {
		if mutex, _ := w.sc.pass.mutex(call); mutex != nil || w.sc.pass.builtin(call) != "" || w.sc.pureCall(call) || w.sc.pass.isQuiet(call) {
			return false
		}
		return w.sc.pass.touchesFiles(call) || w.sc.pass.mentions(call, slices.Collect(maps.Keys(roots))...)
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
	if st&open == 0 || r.failing || r.loops > 0 || s.Else != nil || !w.sc.ends(s.Body.List) || !w.sc.isPure(s.Cond) {
		return false
	}
	for _, stmt := range rest {
		if syntax.Some(stmt, func(call *ast.CallExpr) bool {
			return w.sc.writesTo(call) && !slices.ContainsFunc([]string{"Close", "Name", "Chmod"}, func(name string) bool { return w.sc.isMethod(call, name) })
		}) {
			return false
		}
	}
	return true
}
