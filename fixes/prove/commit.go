package prove

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/lockvet/lockvet/fixes/rewrite"
	"github.com/lockvet/lockvet/internal/pattern"
	"github.com/lockvet/lockvet/internal/syntax"
)

// A publication is the end of a file that is written through a handle: it is committed on every way that
// succeeds, and on no other.
type publication struct {
	*handleScope
	done  []ast.Stmt  // up to the last statement that has to do with the handle
	rest  []ast.Stmt  // what follows them in the block
	first token.Pos   // the first way out on which the file is neither committed nor closed
	found bool        // a place to commit
	quits *ast.IfStmt // the check of a write in which the function ends, and which gets a return; nil for none
}

// follow proves the uses of the handle, and commits the file on every way that succeeds.
func (sc *handleScope) follow() error {
	if err := inOrder(sc.scanUses, sc.finished); err != nil {
		return err
	}
	p := &publication{handleScope: sc}
	p.divide()
	p.quit()
	for s := range syntax.Nodes[*ast.DeferStmt](syntax.List(sc.tail)) {
		p.deferred(s)
	}
	w := sc.ways(p.done)
	for _, s := range w.steps() {
		if sc.err == nil && (s.node == nil || !sc.changed(s.node)) {
			p.step(s)
		}
	}
	switch {
	case sc.err != nil:
		return sc.err
	case !p.found:
		return Refusal("no place is certain to be reached with the file complete")
	}
	if err := p.giveUp(); err != nil {
		return err
	}
	return sc.dropUnused()
}

// divide parts what follows the opening where nothing has to do with the handle any more. What decides by the
// error of a write belongs to that.
func (p *publication) divide() {
	n := len(p.tail)
	for n > 0 && !p.related(p.tail[n-1]) && !p.usesPath(p.tail[n-1]) {
		n--
	}
	var errs []types.Object
	for a := range syntax.Nodes[*ast.AssignStmt](syntax.List(p.tail[:n])) {
		if call := syntax.SoleCall(a); call != nil && p.writesTo(call) && p.errorOf(a) != nil {
			errs = append(errs, p.errorOf(a))
		}
	}
	for n < len(p.tail) && decides(p.tail[n]) && p.pass.mentions(p.tail[n], errs...) {
		n++
	}
	if p.temp == nil && p.returnsError() && p.mayFailFirst(p.tail[n:]) {
		n = len(p.tail)
	}
	p.done, p.rest = p.tail[:n], p.tail[n:]
}

// quit has a function without results that ends in logging the error of a write return there: the commit follows.
func (p *publication) quit() {
	n := len(p.done) - 1
	if n < 0 || len(p.rest) > 0 || len(p.results) > 0 || indexOf(p.body.List, p.done[n]) != len(p.body.List)-1 {
		return
	}
	last, ok := p.done[n].(*ast.IfStmt)
	if !ok || !p.logs(last) || len(last.Body.List) == 0 || p.temp != nil {
		return
	}
	if !syntax.Some(syntax.List(p.tail), func(call *ast.CallExpr) bool {
		o := p.outcome(call)
		return o.check == last && p.lossy(call) && p.asks(o)
	}) {
		return
	}
	p.quits = last
	ret, body, check := &ast.ReturnStmt{Return: last.Body.Rbrace}, *last.Body, *last
	p.after(body.List[len(body.List)-1], "return")
	body.List, check.Body = append(slices.Clip(body.List), ret), &body
	p.parents[ret] = check.Body
	p.done = append(slices.Clone(p.done[:n]), &check)
}

// mayFailFirst reports whether the file may be committed behind statements: one of them can fail, and then leaves
// the old file, and none acts on files or on what the path is made of, which was in place there.
func (p *publication) mayFailFirst(list []ast.Stmt) bool {
	if n := len(list); n == 0 || p.areHarmless(list[:n-1]) && (p.harmless(list[n-1]) || syntax.EndsInReturn(list)) {
		return false
	}
	roots := objects{}
	for _, v := range p.pass.vars(p.path) {
		roots[v] = true
		if made := p.value(v); made != nil {
			for _, of := range p.pass.vars(made) {
				roots[of] = true
			}
		}
	}
	names := slices.Collect(maps.Keys(roots))
	return !syntax.Some(syntax.List(list), func(call *ast.CallExpr) bool {
		mutex, _ := p.pass.mutex(call)
		if mutex != nil || p.pass.builtin(call) != "" || p.pureCall(call) || p.pass.isQuiet(call) {
			return false
		}
		return p.pass.touchesFiles(call) || p.pass.mentions(call, names...)
	})
}

// decides reports whether a statement is one that tells cases apart.
func decides(s ast.Stmt) bool {
	switch s.(type) {
	case *ast.IfStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt:
		return true
	}
	return false
}

// usesPath reports whether a statement sets the mode of the file by its name, or removes or renames it.
func (p *publication) usesPath(s ast.Stmt) bool {
	return syntax.Some(s, func(call *ast.CallExpr) bool {
		return p.isRename(call) || p.temp == nil && p.pass.calls(call, "os", "Chmod", "Remove") && p.isPath(call.Args[0])
	})
}

// deferred takes note of a deferred call.
func (p *publication) deferred(s *ast.DeferStmt) {
	if lit, ok := s.Call.Fun.(*ast.FuncLit); ok {
		for call := range syntax.Nodes[*ast.CallExpr](lit.Body) {
			if p.isMethod(call, "Close") && p.closesAlways(call, lit) && indexOf(p.tail, s) >= 0 {
				p.closer = s
			}
			if p.pass.calls(call, "os", "Remove") && p.isPath(call.Args[0]) {
				p.note(p.dropRemove(call))
			}
		}
		if slices.ContainsFunc(s.Call.Args, func(e ast.Expr) bool { return p.related(e) }) {
			p.note(Refusal("a deferred function is given the handle, or what writes to it"))
		}
		return
	}
	f, finishes := p.finisher(s.Call)
	switch {
	case p.isMethod(s.Call, "Close") || p.isCleanup(s.Call):
		if indexOf(p.tail, s) >= 0 {
			p.closer = s
		}
	case p.changed(s): // it removed the temporary file
	case p.pass.calls(s.Call, "os", "Remove") && p.isPath(s.Call.Args[0]):
		p.note(Refusal("a deferred call removes the file"))
	case finishes && indexOf(p.tail, s) >= 0:
		p.finish = append([]finisher{f}, p.finish...)
		p.drop(s)
	case p.related(s.Call):
		p.note(refusef("the deferred %s would come after the commit", p.of(s.Call.Fun)))
	}
}

// closesAlways reports whether a call in a deferred function runs whenever the function fails: under no
// condition, or under that of a named error result.
func (p *publication) closesAlways(call *ast.CallExpr, lit *ast.FuncLit) bool {
	child := ast.Node(call)
	for n := p.parents[child]; n != ast.Node(lit.Body); child, n = n, p.parents[n] {
		s, ok := n.(*ast.IfStmt)
		if !ok || child == ast.Node(s.Init) {
			continue
		}
		obj, failing, ok := p.guard(s.Cond)
		if !ok || !failing || obj == nil || child != ast.Node(s.Body) || !p.isResult(obj) {
			return false
		}
	}
	return !slices.ContainsFunc(lit.Body.List, func(s ast.Stmt) bool {
		return s.End() < call.Pos() && syntax.Some(s, func(*ast.ReturnStmt) bool { return true })
	})
}

// step decides what becomes of one node.
func (p *publication) step(s step) {
	switch n := s.node.(type) {
	case nil:
		if s.open && !s.failed {
			p.note(Refusal("the block is left by a jump"))
		} else if s.open {
			p.leak(p.check.End())
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
	case ast.Expr:
		if _, ranged := p.parents[n].(*ast.RangeStmt); ranged && p.related(n) && isFunc(p.pass.Info.TypeOf(n)) {
			p.note(refusef("%s writes while it is ranged over", p.of(n)))
		}
	case *ast.ExprStmt:
		if call, ok := n.X.(*ast.CallExpr); ok && s.open && !s.failed && p.pass.calls(call, "os", "Exit") {
			p.note(Refusal("the program ends while the file is open"))
		}
		p.unlocks(n, s)
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

// unlocks refuses a mutex that is released before the file is published: newer content could be there by then.
func (p *publication) unlocks(stmt ast.Stmt, s step) {
	if s.open && !s.failed && p.temp == nil && p.pass.letsGo(stmt) && !p.failsAfter(stmt) {
		p.note(Refusal("a mutex is released before the file could be published: release it behind the last write"))
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
	case p.isRename(call):
		p.renamed(call, s)
	case p.isMethod(call, "Close"):
		if s.open && !failing {
			p.close(call, s)
		}
	case p.isCleanup(call):
		if s.open && !failing {
			p.note(refusef("%s closes the handle on a path that succeeds", p.of(call.Fun)))
		}
	case p.isMethod(call, "Sync") && s.open && !failing && p.outcome(call).heads() && p.leaving(p.outcome(call)) != nil:
		p.drop(p.statement(call)) // Commit syncs
	case p.isMethod(call, "Name"):
	case p.pass.calls(call, "os", "Remove") && p.isPath(call.Args[0]) && !p.changed(call):
		p.removes(call, s.open, failing)
	case p.writesTo(call) && !s.open:
		p.note(refusef("%s uses the file after it is closed", p.of(call.Fun)))
	case !s.open:
	case p.writesTo(call) && s.committed:
		p.note(Refusal("the file is closed within a loop"))
	case !failing && p.lossy(call) && syntax.PlainCall(p.statement(call)) == call && isError(p.pass.Info.TypeOf(call)):
		p.carry(p.statement(call), unless(rewrite.Carried, p.failText()), call) // the error was dropped
		p.leak(call.Pos())
	default:
		if !failing {
			p.note(p.errorKnown(call, s.node))
		}
		if p.temp == nil {
			p.note(p.pathUse(call, failing))
		}
	}
}

// removes takes a removal of the file away where it is given up: the old one stays.
func (p *publication) removes(call *ast.CallExpr, open, failing bool) {
	switch {
	case failing && syntax.PlainCall(p.statement(call)) == call:
		p.drop(p.statement(call))
	case failing:
		p.note(Refusal("the error of removing the file is used"))
	case open:
		p.note(Refusal("the file is removed before it is complete"))
	}
}

// ready refuses a commit at a place where the file may have been committed, or may not be complete.
func (p *publication) ready(at token.Pos, s step) bool {
	switch {
	case s.committed:
		p.note(Refusal("the file is closed on only some of the paths"))
	case !p.visible(at):
		p.note(refusef("another %s hides the handle", p.f.Name()))
	case len(s.pending) > 0:
		p.note(p.unchecked(s))
	}
	p.found = true
	return p.err == nil
}

// unchecked refuses for an error at which nobody has looked.
func (p *publication) unchecked(s step) error {
	list := slices.SortedFunc(maps.Keys(s.pending), func(a, b types.Object) int { return int(a.Pos() - b.Pos()) })
	return refusef("%s is not checked before the file is closed", list[0].Name())
}

// renamed makes the rename of a temporary file the commit.
func (p *publication) renamed(call *ast.CallExpr, s step) {
	if !s.open || s.failed || p.loops(call) != p.loops(p.open) {
		p.note(Refusal("the rename is not reached on every path that succeeds"))
	}
	if p.ready(call.Pos(), s) {
		p.before(p.statement(call), p.finishText(call.Pos()))
		p.put(call, p.f.Name()+".Commit()")
	}
}

// close makes a Close the commit. Of a temporary file the rename is, and the Close goes.
func (p *publication) close(call *ast.CallExpr, s step) {
	stmt := p.statement(call)
	if p.temp != nil {
		o := p.outcome(call)
		if !o.dropped() && p.leaving(o) == nil {
			p.note(Refusal("the error of Close is not checked at once"))
			return
		}
		for _, stmt := range o.stmts() {
			p.drop(stmt)
		}
		return
	}
	if !p.ready(call.Pos(), s) {
		return
	}
	switch n := s.node.(type) {
	case *ast.ExprStmt:
		if syntax.PlainCall(stmt) == call {
			p.change(stmt, p.commitText(stmt.Pos()))
			return
		}
	case *ast.AssignStmt:
		if syntax.SoleCall(n) == call {
			if p.errorOf(n) == nil { // _ = f.Close()
				p.change(stmt, p.commitText(stmt.Pos()))
				return
			}
			p.before(stmt, p.finishText(stmt.Pos()))
			p.put(call, p.f.Name()+".Commit()")
			return
		}
	case *ast.ReturnStmt:
		if ast.Unparen(syntax.Result(n)) == ast.Expr(call) {
			p.before(n, p.finishText(n.Pos()))
			p.put(call, p.f.Name()+".Commit()")
			return
		}
	}
	p.note(Refusal("Close stands where no commit can"))
}

// leave decides what becomes of a return while the file is pending.
func (p *publication) leave(ret *ast.ReturnStmt, s step) {
	last := ast.Unparen(syntax.Result(ret))
	call, _ := last.(*ast.CallExpr)
	switch {
	case p.temp != nil && !syntax.Some(ret, p.isRename):
		p.leak(ret.Pos())
	case p.temp != nil: // the rename is the commit
	case s.failed:
		if p.returnsError() && last != nil && isNil(p.pass.Info, last) {
			p.note(Refusal("the function returns nil after an error"))
		}
		p.leak(ret.Pos())
	case call != nil && p.isMethod(call, "Close"): // the commit
	case call != nil && p.isMethod(call, "Sync"):
		if p.ready(ret.Pos(), s) {
			p.before(ret, p.finishText(ret.Pos()))
			p.put(call, p.f.Name()+".Commit()")
		}
	case !p.returnsError():
		p.note(Refusal("a return may be a success or a failure"))
	case last == nil || len(ret.Results) != len(p.results):
		p.note(Refusal("a return may be a success or a failure"))
	case p.isFailure(last):
		p.leak(ret.Pos())
	case s.closed:
		p.note(Refusal("the file is closed before a return that may be a success"))
	case isNil(p.pass.Info, last):
		if p.ready(ret.Pos(), s) {
			p.commitAt(ret)
		}
	default:
		p.commitUnless(ret, last, s)
	}
}

// commitAt has a return of no error commit.
func (p *publication) commitAt(ret *ast.ReturnStmt) {
	if len(ret.Results) == 1 {
		p.before(ret, p.finishText(ret.Pos()))
		p.put(ret.Results[0], p.f.Name()+".Commit()")
		return
	}
	p.before(ret, p.commitText(ret.Pos()))
	if last := syntax.Result(ret); !isNil(p.pass.Info, last) {
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
	others := p.between(ret.Pos()+token.Pos(len("return")), last.Pos())
	obj := p.pass.object(last)
	delete(s.pending, obj)
	switch {
	case !p.arePure(ret.Results[:len(ret.Results)-1]):
		p.note(Refusal("a return computes more than its error"))
	case obj != nil && !isError(obj.Type()):
		p.note(Refusal("the function returns an error of its own type"))
	case !p.ready(ret.Pos(), s):
	case obj != nil:
		p.before(ret, "if "+p.of(last)+" != nil {\n\treturn"+others+p.of(last)+"\n}")
		p.commitAt(ret)
	case len(ret.Results) == 1:
		p.carry(ret, unless(rewrite.Carried, "return err")+"\n"+
			p.lines(p.finishText(ret.Pos()))+"return "+p.f.Name()+".Commit()", last)
	default:
		p.carry(ret, unless(rewrite.Carried, "return"+others+"err")+"\n"+p.commitText(ret.Pos())+"\nreturn"+others+"nil",
			last)
	}
}

// end decides what becomes of the end of what has to do with the handle.
func (p *publication) end(s step) {
	ret := syntax.SoleReturn(p.rest)
	last := ast.Expr(nil) // the error that is returned next, and nothing else is done
	if ret != nil && p.returnsError() && len(ret.Results) == len(p.results) {
		last = ast.Unparen(syntax.Result(ret))
	}
	switch {
	case !s.open:
	case p.temp != nil:
		p.note(Refusal("the rename is not reached on every path"))
	case s.failed:
		p.note(Refusal("the function goes on after an error"))
	case s.closed:
		p.note(Refusal("the file is closed on only some of the paths"))
	case last != nil && s.pending[p.pass.object(last)]:
		p.commitUnless(ret, last, s)
	case !p.ready(p.tailEnd(), s):
	case last != nil && isNil(p.pass.Info, last) && p.arePure(ret.Results):
		p.commitAt(ret)
	case len(p.done) == 0:
		p.after(p.check, p.commitText(p.check.End()))
	default:
		p.after(p.done[len(p.done)-1], p.commitText(p.tailEnd()))
	}
}

// tailEnd is the end of what has to do with the handle.
func (p *publication) tailEnd() token.Pos {
	if len(p.done) == 0 {
		return p.check.End()
	}
	return p.done[len(p.done)-1].End()
}

// leak notes a way out on which the file may be open.
func (p *publication) leak(at token.Pos) {
	if !p.first.IsValid() || at < p.first {
		p.first = at
	}
	p.leaks = true
}

// giveUp has the file closed, without a commit, on the ways that fail.
func (p *publication) giveUp() error {
	switch {
	case !p.leaks || p.closer != nil && (!p.first.IsValid() || p.closer.Pos() < p.first):
		return nil
	case p.loop && p.closer == nil:
		return Refusal("the file is opened in a loop and not closed on every path of it")
	case p.closer == nil:
		p.after(p.check, "defer "+p.f.Name()+".Close()")
		return nil
	case p.closesAlone(p.closer):
		p.after(p.check, p.of(p.closer))
		p.drop(p.closer)
		return nil
	}
	return Refusal("it may return before the deferred call that closes the file, and leave the temporary one: " +
		"move that up")
}

// closesAlone reports whether a deferred call does nothing but close the file and say so, and can stand right behind the
// opening as well.
func (p *publication) closesAlone(s *ast.DeferStmt) bool {
	return syntax.Every(s, func(call *ast.CallExpr) bool {
		return call == s.Call || p.isMethod(call, "Close") || p.pass.isQuiet(call)
	}) && !p.isCleanup(s.Call) && !p.pass.someVar(s, func(v *types.Var) bool { return p.check.End() <= v.Pos() && v.Pos() < s.Pos() })
}

// pathUse proves that a call does not look at the file by its name while it is incomplete. What used to set its
// mode by name does so through the handle.
func (p *publication) pathUse(call *ast.CallExpr, failing bool) error {
	for i, arg := range call.Args {
		fn := p.pass.callee(call)
		elsewhere := fn != nil && (fn.Pkg() == nil || fn.Pkg().Path() != "os" && fn.Pkg().Path() != "io/ioutil")
		switch {
		case call == p.open || !p.isPath(arg):
		case i == 0 && p.pass.calls(call, "os", "Chmod"):
			p.wrap(call, p.f.Name()+".Chmod("+rewrite.Carried+")", call.Args[1])
			return nil
		case p.pass.isQuiet(call) || failing && elsewhere:
		default:
			return refusef("%s uses the path before the file is complete", p.of(call.Fun))
		}
	}
	return nil
}

// finishText is the text that flushes, at a place, what deferred calls would have flushed too late.
func (p *publication) finishText(at token.Pos) string {
	var list []string
	for _, f := range p.finish {
		if at < f.call.Pos() {
			continue
		}
		call := p.of(f.call)
		if f.then != "" {
			list = append(list, call)
			call = f.then
		}
		list = append(list, unless(call, p.failText()))
	}
	return strings.Join(list, "\n")
}

// commitText is the text that flushes and commits at a place.
func (p *publication) commitText(at token.Pos) string {
	return p.lines(p.finishText(at)) + unless(p.f.Name()+".Commit()", p.failText())
}

// lines is text that ends in a new line, if there is any.
func (p *publication) lines(text string) string {
	if text == "" {
		return ""
	}
	return text + "\n"
}

// failText is the statement that returns err; where the function returns none, it is what the function does where
// it cannot write.
func (p *publication) failText() string {
	if p.returnsError() {
		return "return " + p.zeros() + "err"
	}
	for call := range syntax.Nodes[*ast.CallExpr](syntax.List(p.tail)) {
		if o := p.outcome(call); call != p.open && p.writesTo(call) && o.check != nil && (p.fails(o) || o.check == p.quits) &&
			p.sayable(o) {
			return p.withName(o.check.Body.List, o.err, "err")
		}
	}
	if o := p.outcome(p.open); len(p.results) == 0 && p.pass.mentions(o.check.Body, o.err) && p.sayable(o) {
		return saidOfSaving(p.withName(o.check.Body.List, o.err, "err"))
	}
	p.note(p.mute("that the commit failed"))
	return ""
}

// saidOfSaving is code that reports that a file could not be opened, as that which reports that it could not be saved.
func saidOfSaving(src string) string {
	for _, text := range quoted.FindAllString(src) {
		src = strings.Replace(src, text, saving.Replace(text), 1)
	}
	return src
}

var (
	quoted = pattern.New(`"[^"]*"|` + "`[^`]*`")
	saving = strings.NewReplacer("opening", "saving", "open", "save", "creating", "saving", "create", "save",
		"Opening", "Saving", "Open", "Save", "Creating", "Saving", "Create", "Save")
)

func isFunc(t types.Type) bool {
	_, ok := t.Underlying().(*types.Signature)
	return ok
}
