package prove

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"

	"github.com/lockvet/lockvet/fixes/rewrite"
	"github.com/lockvet/lockvet/internal/lexicon"
	"github.com/lockvet/lockvet/internal/syntax"
)

// A publication is the end of a file that is written through a handle: it is committed on every way that
// succeeds, and on no other.
type publication struct {
	*handleScope
	done   []ast.Stmt      // up to the last statement that has to do with the handle
	rest   []ast.Stmt      // what follows them in the block
	closer *ast.DeferStmt  // closes the file, whatever else holds
	flush  []*ast.CallExpr // deferred, in the order they run: they would come after the commit
	first  token.Pos       // the first way out on which the file may be open still, if there is one
	found  bool            // a place to commit
}

// follow proves the uses of the handle, and commits the file on every way that succeeds.
func (sc *handleScope) follow() error {
	if err := inOrder(sc.scanUses, sc.finished); err != nil {
		return err
	}
	p := &publication{handleScope: sc}
	p.divide()
	for s := range syntax.Nodes[*ast.DeferStmt](syntax.List(sc.tail)) {
		p.deferred(s)
	}
	for _, s := range sc.ways(p.done).steps() {
		if sc.err == nil && (s.node == nil || !sc.changed(s.node)) {
			p.step(s)
			p.err = p.at(s.node, p.err)
		}
	}
	if !p.found {
		p.note(Refusal("no place is certain to be reached with the file complete"))
	}
	if p.giveUp(); sc.err != nil {
		return sc.err
	}
	return sc.dropUnused()
}

// divide parts what follows the opening where nothing has to do with the handle any more. What decides by what
// a write returns, its error or its number of bytes, has to do with it.
func (p *publication) divide() {
	n := len(p.tail)
	for n > 0 && !p.related(p.tail[n-1]) && !syntax.Some(p.tail[n-1], p.isRename) {
		n--
	}
	var told []types.Object // what the writes return
	for a := range syntax.Nodes[*ast.AssignStmt](syntax.List(p.tail[:n])) {
		if call := syntax.SoleCall(a); call == nil || !p.writesTo(call) || p.errorOf(a) == nil {
			continue
		}
		for _, lhs := range a.Lhs {
			if obj := p.pass.object(lhs); obj != nil {
				told = append(told, obj)
			}
		}
	}
	for n < len(p.tail) {
		if check, ok := p.tail[n].(*ast.IfStmt); !ok || !p.pass.mentions(check, told...) {
			break
		}
		n++
	}
	p.done, p.rest = p.tail[:n], p.tail[n:]
}

// deferred takes note of a deferred call.
func (p *publication) deferred(s *ast.DeferStmt) {
	lit, isLit := s.Call.Fun.(*ast.FuncLit)
	switch {
	case p.changed(s): // it removed the temporary file
	case syntax.Some(s, p.removesPath):
		p.note(Refusal("a deferred call removes the file"))
	case p.isMethod(s.Call, "Close"), isLit && p.closesFirst(lit):
		if indexOf(p.tail, s) >= 0 {
			p.closer = s
		}
	case p.temp == nil && indexOf(p.tail, s) >= 0 && p.flushes(s.Call):
		p.flush = append([]*ast.CallExpr{s.Call}, p.flush...)
		p.drop(s)
	case !isLit && p.related(s.Call), slices.ContainsFunc(s.Call.Args, func(e ast.Expr) bool { return p.related(e) }):
		p.note(Refusal("a deferred call would use the file after the commit"))
	}
}

// closesFirst reports whether the first that a deferred function does is to close the file.
func (p *publication) closesFirst(lit *ast.FuncLit) bool {
	return syntax.Some(lit, func(call *ast.CallExpr) bool {
		o := p.outcome(call)
		return p.isMethod(call, "Close") && indexOf(lit.Body.List, o.stmt) == 0 &&
			(syntax.PlainCall(o.stmt) == call || o.err != nil)
	})
}

// removesPath reports whether a call removes the file that is written, by its name.
func (p *publication) removesPath(call *ast.CallExpr) bool {
	return p.pass.calls(call, "os", "Remove") && p.isPath(call.Args[0])
}

// step decides what becomes of one node.
func (p *publication) step(s step) {
	switch n := s.node.(type) {
	case nil:
		if s.open {
			p.note(Refusal("the block is left by a jump"))
		}
		return
	case *ast.DeferStmt:
		return
	case *ast.ReturnStmt:
		if p.parents[n] == nil {
			p.end(s)
			return
		}
	case *ast.AssignStmt:
		p.overwrites(n, s)
	case *ast.ExprStmt:
		p.leavesOpen(n, s)
	}
	for call := range p.callsIn(s.node) {
		if p.err == nil {
			p.call(call, s)
		}
	}
	if ret, ok := s.node.(*ast.ReturnStmt); ok && p.err == nil && s.open {
		p.leave(ret, s)
	}
}

// leavesOpen refuses a call behind which the file could not be published any more: the program has ended, or the
// mutex is released and newer content may be there.
func (p *publication) leavesOpen(stmt *ast.ExprStmt, s step) {
	call, ok := stmt.X.(*ast.CallExpr)
	if !ok || !s.open || s.failed {
		return
	}
	if p.pass.calls(call, "os", "Exit") || p.temp == nil && p.pass.letsGo(stmt) && !p.failsAfter(stmt) {
		p.note(refusef("%s comes before the file could be published: have it come behind the last write", p.of(call.Fun)))
	}
}

// overwrites refuses an assignment to a variable that holds an error at which nobody has looked.
func (p *publication) overwrites(a *ast.AssignStmt, s step) {
	for _, lhs := range a.Lhs {
		obj := p.pass.object(lhs)
		if s.pending[obj] && p.pass.Info.Defs[lhs.(*ast.Ident)] == nil && !p.keepsIn(a, obj) {
			p.note(refusef("%s is overwritten before it is checked", obj.Name()))
		}
	}
}

// call decides what becomes of a call: it completes the file, or nothing that it does must be amiss while the file
// is pending.
func (p *publication) call(call *ast.CallExpr, s step) {
	failing := s.failed || p.failsAfter(call)
	switch {
	case p.isMethod(call, "Name"):
	case p.isRename(call):
		p.renamed(call, s)
	case p.isMethod(call, "Close"):
		if s.open && !failing {
			p.close(call, s)
		}
	case p.isMethod(call, "Sync") && s.open && !failing && p.outcome(call).heads() && p.leaving(p.outcome(call)) != nil:
		p.drop(p.statement(call)) // Commit syncs
	case failing && p.removesPath(call) && syntax.PlainCall(p.statement(call)) == call:
		stmt := p.statement(call)
		p.drop(stmt) // the old one stays
		if list := p.siblings(stmt); list[0] != stmt && p.closesIn(list[0]) {
			p.do(rewrite.Hush{Above: list[0]})
		}
	case p.writesTo(call) && (!s.open || s.committed):
		p.note(refusef("%s may use the file after it is closed", p.of(call.Fun)))
	case (s.open || failing) && p.usesPath(call):
		p.note(refusef("%s uses the path before the file is complete", p.of(call.Fun)))
	case s.open && !failing:
		p.note(p.errorKnown(call, s.node))
	}
}

// usesPath reports whether a call looks at the file by its name, or changes it.
func (p *publication) usesPath(call *ast.CallExpr) bool {
	return call != p.open && !p.pass.isQuiet(call) && slices.ContainsFunc(call.Args, p.isPath)
}

// ready refuses a commit at a place where the file may have been committed or closed, or may not be complete.
func (p *publication) ready(at token.Pos, s step) bool {
	switch {
	case s.committed || s.closed:
		p.note(Refusal("the file is closed on only some of the paths"))
	case !p.visible(at):
		p.note(refusef("another %s hides the handle", p.f.Name()))
	case len(s.pending) > 0:
		list := slices.SortedFunc(maps.Keys(s.pending), func(a, b types.Object) int { return int(a.Pos() - b.Pos()) })
		p.note(refusef("%s is not checked before the file is closed", list[0].Name()))
	}
	p.found = true
	return p.err == nil
}

// renamed makes the rename of a temporary file the commit.
func (p *publication) renamed(call *ast.CallExpr, s step) {
	if !s.open || s.failed || p.loops(call) != p.loops(p.open) {
		p.note(Refusal("the rename is not reached on every path that succeeds"))
	}
	if p.ready(call.Pos(), s) {
		p.put(call, p.f.Name()+".Commit()")
	}
}

// close makes a Close the commit. Of a temporary file the rename is, and the Close goes.
func (p *publication) close(call *ast.CallExpr, s step) {
	o := p.outcome(call)
	plain := syntax.PlainCall(o.stmt) == call
	switch {
	case p.temp != nil && !plain && p.leaving(o) == nil:
		p.note(Refusal("the error of Close is not checked at once"))
	case p.temp != nil:
		for _, stmt := range o.stmts() {
			p.drop(stmt)
		}
	case !p.ready(call.Pos(), s):
	case plain:
		p.change(o.stmt, p.commitText(call.Pos()))
	case syntax.SoleCall(o.stmt) == call, o.heads(), o.returned():
		p.before(o.stmt, p.flushText(o.stmt.Pos()))
		p.put(call, p.f.Name()+".Commit()")
	default:
		p.note(Refusal("Close stands where no commit can"))
	}
}

// leave decides what becomes of a return while the file is pending.
func (p *publication) leave(ret *ast.ReturnStmt, s step) {
	if err := p.soleResult(); err != nil && len(ret.Results) == 0 {
		p.leaveNaked(ret, err, s)
		return
	}
	last := ast.Unparen(syntax.Result(ret))
	call, _ := last.(*ast.CallExpr)
	told := p.returnsError() && last != nil && len(ret.Results) == len(p.results)
	succeeds := told && isNil(p.pass.Info, last)
	switch {
	case syntax.Some(ret, p.isRename), call != nil && p.isMethod(call, "Close"): // the commit
	case p.temp != nil, s.failed && !succeeds, told && p.isFailure(last):
		p.leak(ret.Pos())
	case s.failed || !told:
		p.note(Refusal("a return may be a success or a failure"))
	case !succeeds:
		p.commitUnless(ret, last, s)
	case p.ready(ret.Pos(), s):
		p.commitAt(ret)
	}
}

// commitAt has a return of no error commit.
func (p *publication) commitAt(ret *ast.ReturnStmt) {
	last := syntax.Result(ret)
	if len(ret.Results) == 1 {
		p.before(ret, p.flushText(ret.Pos()))
		p.put(last, p.f.Name()+".Commit()")
		return
	}
	p.before(ret, p.commitText(ret.Pos()))
	if !isNil(p.pass.Info, last) {
		p.put(last, "nil")
	}
}

// commitUnless commits at a return if its last result is nil:
//
//	return enc.Encode(v)        if err := enc.Encode(v); err != nil {
//	                                    return err
//	                            }
//	                            return f.Commit()
func (p *publication) commitUnless(ret *ast.ReturnStmt, last ast.Expr, s step) {
	obj := p.pass.object(last)
	delete(s.pending, obj)
	switch {
	case obj == nil && len(ret.Results) > 1, obj != nil && !isError(obj.Type()),
		!p.arePure(ret.Results[:len(ret.Results)-1]):
		p.note(Refusal("a return computes more than its error"))
	case !p.ready(ret.Pos(), s):
	case obj == nil:
		p.carry(ret, unless(rewrite.Carried, "return err")+"\n"+p.flushText(ret.Pos())+"return "+p.f.Name()+".Commit()", last)
	default:
		p.before(ret, "if "+p.of(last)+" != nil {\n"+p.of(ret)+"\n}")
		p.commitAt(ret)
	}
}

// leaveNaked commits at a return without operands, if the result of that name is nil:
//
//	err = enc.Encode(v)         err = enc.Encode(v)
//	return                      if err != nil {
//	                                    return err
//	                            }
//	                            return f.Commit()
func (p *publication) leaveNaked(ret *ast.ReturnStmt, err types.Object, s step) {
	delete(s.pending, err)
	switch {
	case s.failed:
		p.leak(ret.Pos())
	case p.ready(ret.Pos(), s):
		p.before(ret, "if "+err.Name()+" != nil {\nreturn "+err.Name()+"\n}")
		p.change(ret, p.flushText(ret.Pos())+"return "+p.f.Name()+".Commit()")
	}
}

// soleResult is the variable of the only result of the function, if that is an error with a name; nil for none.
func (p *publication) soleResult() types.Object {
	if !p.named || len(p.results) != 1 || !p.returnsError() {
		return nil
	}
	if name := p.ftype.Results.List[0].Names[0]; name.Name != "_" {
		return p.pass.Info.Defs[name]
	}
	return nil
}

// end decides what becomes of the end of what has to do with the handle.
func (p *publication) end(s step) {
	behind := ast.Stmt(p.check)
	if n := len(p.done); n > 0 {
		behind = p.done[n-1]
	}
	ret := syntax.SoleReturn(p.rest)
	last := ast.Expr(nil) // the error that is returned next, and nothing else is done
	if ret != nil && p.returnsError() && len(ret.Results) == len(p.results) {
		last = ast.Unparen(syntax.Result(ret))
	}
	switch {
	case !s.open:
	case p.temp != nil:
		p.note(Refusal("the rename is not reached on every path"))
	case ret != nil && len(ret.Results) == 0 && p.soleResult() != nil:
		p.leaveNaked(ret, p.soleResult(), s)
	case s.failed:
		p.note(p.at(behind, Refusal("the function goes on after an error")))
	case last != nil && p.pass.object(last) != nil && !isNil(p.pass.Info, last):
		p.commitUnless(ret, last, s)
	case !p.ready(behind.End(), s):
	case last != nil && isNil(p.pass.Info, last) && p.arePure(ret.Results):
		p.commitAt(ret)
	case syntax.Some(syntax.List(p.rest), p.letsGo):
		p.note(Refusal("something is released behind the last write, which would be kept where the commit fails: defer that"))
	default:
		p.after(behind, p.commitText(behind.End()))
	}
}

// letsGo reports whether a call closes, unlocks or gives up something.
func (p *publication) letsGo(call *ast.CallExpr) bool {
	return lexicon.LettingGo.MatchString(p.of(call.Fun))
}

// leak notes a way out on which the file may be open.
func (p *publication) leak(at token.Pos) {
	if p.leaks = true; !p.first.IsValid() || at < p.first {
		p.first = at
	}
}

// giveUp has the file closed, without a commit, on the ways that fail.
func (p *publication) giveUp() {
	switch {
	case !p.leaks, p.closer != nil && (!p.first.IsValid() || p.closer.Pos() < p.first):
	case p.loop:
		p.note(Refusal("the file is opened in a loop and not closed on every path of it"))
	default:
		p.after(p.check, "defer "+p.f.Name()+".Close()")
	}
}

// commitText is the text that flushes and commits at a place, and returns the error.
func (p *publication) commitText(at token.Pos) string {
	return p.flushText(at) + p.failing(p.f.Name()+".Commit()")
}

// flushText is the text that flushes, at a place, what deferred calls would have flushed too late.
func (p *publication) flushText(at token.Pos) string {
	text := ""
	for _, call := range p.flush {
		if call.Pos() < at {
			text += p.failing(p.of(call)) + "\n"
		}
	}
	return text
}

// failing is the text that makes a call and returns its error.
func (p *publication) failing(call string) string {
	if !p.returnsError() {
		p.note(p.mute("that the commit failed"))
		return ""
	}
	return unless(call, "return "+p.zeros()+"err")
}
