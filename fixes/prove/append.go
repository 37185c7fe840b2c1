package prove

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/lockvet/lockvet/fixes/rewrite"
	"github.com/lockvet/lockvet/internal/finding"
)

// appendRecord is the fix of a file that is opened for one record of one line;
// nil where that is not certain.
//
//	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
//	if err != nil {
//		return err
//	}
//	defer f.Close()
//	if _, err := f.Write(data); err != nil {   if err := safeio.Append(path, data, 0o600); err != nil {
//		return err                                 return err
//	}                                          }
//	if _, err := f.Write(newline); err != nil {
//		return err
//	}
//	return nil                                 return nil
func (s *File) appendRecord(r finding.OneWrite, j *joint) *Proof {
	if r.Open == nil {
		return nil
	}
	sc, err := s.newHandleScope(r.Body, r.Open)
	if err != nil {
		return nil
	}
	a := &appending{joint: &joint{handleScope: sc, pieces: j.pieces, keep: j.keep}, assign: sc.parents[r.Open].(*ast.AssignStmt)}
	if !a.record() || !a.opened() || !a.handled() || !a.uses() {
		return nil
	}
	a.dropOthers()
	a.write()
	if !a.redeclares() || a.dropUnused() != nil {
		return nil
	}
	a.shorten()
	p, err := a.plan("Append the record with " + s.safeio + ".Append")
	if err != nil {
		return nil
	}
	return p
}

// An appending is a joint of which the file is opened for nothing else.
type appending struct {
	*joint
	assign *ast.AssignStmt // that opens the file
	data   string          // the record, as the source names it
}

// record finds the bytes of the record: what encoding/json.Marshal has made, and a
// newline behind it.
func (a *appending) record() bool {
	if len(a.pieces) != 2 {
		return false
	}
	first, err := a.bit(a.pieces[0].call)
	if err != nil || first.what == nil {
		return false
	}
	last, err := a.bit(a.pieces[1].call)
	if err != nil || last.what == nil {
		return false
	}
	if end, ok := a.constant(last.what); !ok || end != "\n" {
		return false
	}
	data := first.what
	if call, ok := data.(*ast.CallExpr); ok && len(call.Args) == 1 && a.pass.Info.Types[call.Fun].IsType() {
		data = ast.Unparen(call.Args[0])
	}
	a.data = a.of(data)
	return a.marshalled(data)
}

// opened reports whether the file is made where it is not there, and its name and
// mode are the same where the record is written.
func (a *appending) opened() bool {
	if !a.pass.calls(a.open, "os", "OpenFile") || !a.appends(a.open.Args[1]) {
		return false
	}
	at := a.pieces[a.keep].stmt.Pos()
	for _, e := range []ast.Expr{a.open.Args[0], a.open.Args[2]} {
		if !a.isPure(e) || !a.sees(at, e) || a.pass.someVar(e, func(v *types.Var) bool { return a.assigned(v, a.open.Pos(), at) }) {
			return false
		}
	}
	return slices.Contains(a.tail, a.pieces[0].stmt)
}

// appends reports whether flags say no more than to append, and to make the file.
func (a *appending) appends(flags ast.Expr) bool {
	got, bit, ok := a.pass.flags(a.open, flags)
	if !ok {
		return false
	}
	must := bit("O_APPEND") | bit("O_CREATE")
	return got&must == must && got&^(must|bit("O_WRONLY")|bit("O_RDWR")|bit("O_SYNC")) == 0
}

// handled reports whether the errors of the opening and of the write lead to the
// same, so that one error can stand for both.
func (a *appending) handled() bool {
	p := a.pieces[a.keep]
	return !p.dropped() && a.alikeExits(a.unclosed(a.check.Body.List), a.unclosed(p.exit()))
}

// unclosed lists the statements other than those that close the handle.
func (a *appending) unclosed(list []ast.Stmt) []ast.Stmt {
	return slices.DeleteFunc(slices.Clone(list), func(s ast.Stmt) bool {
		call := plainCall(s)
		return call != nil && a.isMethod(call, "Close")
	})
}

// uses takes away what closes and syncs the handle, and reports whether nothing
// else but the pieces uses it.
func (a *appending) uses() bool {
	return every(a.body, func(id *ast.Ident) bool {
		return a.pass.Info.Uses[id] != a.f || slices.ContainsFunc(a.pieces, func(p outcome) bool { return inside(id, p.call) }) || a.finishes(id)
	})
}

// finishes takes away a Close or Sync of the handle, with what deals with its
// error.
func (a *appending) finishes(id *ast.Ident) bool {
	sel, ok := a.parents[id].(*ast.SelectorExpr)
	if !ok {
		return false
	}
	call, ok := a.parents[sel].(*ast.CallExpr)
	if !ok || !a.isMethod(call, "Close") && !a.isMethod(call, "Sync") {
		return false
	}
	if lit := a.literal(call); lit != nil {
		return a.isDeferredClose(lit)
	}
	o := a.outcome(call)
	if o.returned() {
		a.put(call, "nil")
		return true
	}
	d, deferred := o.stmt.(*ast.DeferStmt)
	ok = o.dropped() || deferred && d.Call == call ||
		o.heads() && o.check.Else == nil && a.asks(o) && a.alikeExits(a.unclosed(o.exit()), a.unclosed(a.pieces[a.keep].exit()))
	if ok {
		a.without(o.stmt)
	}
	return ok
}

// isDeferredClose takes away a deferred function that does nothing but close the handle
// and hand on its error.
func (a *appending) isDeferredClose(lit *ast.FuncLit) bool {
	call, _ := a.parents[lit].(*ast.CallExpr)
	stmt, ok := a.parents[call].(*ast.DeferStmt)
	ok = ok && every(lit.Body, func(c *ast.CallExpr) bool { return a.isMethod(c, "Close") || a.pass.isQuiet(c) || a.pass.wraps(c) })
	if ok && !a.changed(stmt) {
		a.without(stmt)
	}
	return ok
}

// write makes the one write that of safeio, and takes the opening away.
func (a *appending) write() {
	p := a.pieces[a.keep]
	args := a.of(a.open.Args[0]) + ", " + a.data + ", " + a.of(a.open.Args[2])
	a.put(p.call, a.safeio+".Append("+args+")")
	a.again = append(a.again, a.open.Args[0], a.pieces[0].call, a.open.Args[2])
	assign := a.assignment(p)
	a.do(rewrite.DropLeft{Assign: assign, Index: 0})
	a.without(a.assign)
	a.without(a.check)
}

// assignment is what gives the error of a piece a name.
func (a *appending) assignment(p outcome) *ast.AssignStmt {
	return a.parents[p.call].(*ast.AssignStmt)
}

// redeclares reports whether the error variable that the opening declares is not
// needed any more, or is declared by what is assigned to it first.
func (a *appending) redeclares() bool {
	err := a.pass.Info.Defs[a.assign.Lhs[1].(*ast.Ident)]
	if err == nil {
		return true
	}
	var first *ast.Ident
	for id := range nodes[*ast.Ident](a.body) {
		if a.pass.Info.Uses[id] == err && !a.changed(id) && (first == nil || id.Pos() < first.Pos()) {
			first = id
		}
	}
	if first == nil {
		return true
	}
	s, ok := a.parents[first].(*ast.AssignStmt)
	if !ok || a.literal(first) != nil || !slices.Contains(s.Lhs, ast.Expr(first)) || !slices.Contains(a.tail, ast.Stmt(s)) {
		return false
	}
	return s.Tok == token.DEFINE
}

// shorten lets the function return what safeio returns, where all that is left to
// do with it is to return it.
func (a *appending) shorten() {
	p := a.pieces[a.keep]
	if len(a.results) != 1 {
		return
	}
	i := indexOf(a.tail, p.last())
	var ret *ast.ReturnStmt
	for _, s := range a.tail[i+1:] {
		if r, ok := s.(*ast.ReturnStmt); ok && (isNil(a.pass.Info, r.Results[0]) || a.changed(r.Results[0])) {
			ret = r
		} else if !a.changed(s) {
			return
		}
	}
	if ret != nil && a.passesOnAll(p) {
		a.carry(p.stmt, "return "+rewrite.Carried, p.call)
		a.drop(ret)
	}
}

// passesOnAll reports whether a piece is the head of an if statement that only
// returns its error.
func (a *appending) passesOnAll(p outcome) bool {
	ret := soleReturn(a.unclosed(p.exit()))
	return p.heads() && ret != nil && len(ret.Results) == 1 && a.pass.object(ret.Results[0]) == p.err
}
