package prove

import (
	"go/ast"

	"github.com/lockvet/lockvet/internal/syntax"
)

// A state is what may be true of the handle at a place.
type state uint8

const (
	open      state = 1 << iota // not yet committed or closed
	committed                   // committed
)

// A controlPath is how control came to a place.
type controlPath struct {
	failing bool        // an error has been met
	check   *ast.IfStmt // that of it, nil for another statement
	commit  bool        // it is that of the commit
	closed  bool        // the handle was closed since
	loops   int         // enclosing loops within the block
	breaks  int         // enclosing statements that break leaves, within the block
	entry   state       // at the innermost of these
	left    objects     // pending at a break out of it
	again   objects     // pending at a continue of the innermost loop
}

func (r controlPath) branch() *controlPath { return &r }

// into is the way into the body of a statement that break leaves.
func (r controlPath) into(st state, loop bool) *controlPath {
	r.breaks, r.entry, r.left = r.breaks+1, st, make(objects)
	if loop {
		r.loops, r.again = r.loops+1, make(objects)
	}
	return &r
}

// A walker follows control from the opening to every exit.
type walker struct {
	sc *handleScope
	// pending are the variables that may hold, at the place that is followed,
	// an unchecked error which the handle does not know of.
	pending   objects
	published bool
	// freed says that a mutex was let go of while the file was open, late that it
	// would be published after that: a newer content could be there by then.
	freed, late bool
}

// refuse notes why the file cannot be published, if err says so. What is followed behind it has
// no part in what comes of it.
func (w *walker) refuse(err error) state {
	w.sc.note(err)
	return 0
}

// publish notes that an edit publishes the file.
func (w *walker) publish() {
	w.published = true
	w.late = w.late || w.freed
}

func (w *walker) list(list []ast.Stmt, st state, r *controlPath) state {
	for i := 0; i < len(list) && st != 0 && w.sc.err == nil; i++ {
		next, skip := w.stmt(list, i, st, r)
		st, i = next, i+skip
		if st == open && w.sc.err == nil && w.complete(list, i) {
			w.sc.after(list[i], w.sc.commitText(list[i].End()))
			w.publish()
			st = committed
		}
	}
	return st
}

// stmt follows one statement, and says how many after it are dealt with too.
func (w *walker) stmt(list []ast.Stmt, i int, st state, r *controlPath) (state, int) {
	if w.sc.gone[list[i]] {
		return st, 0
	}
	switch s := list[i].(type) {
	case *ast.ReturnStmt:
		w.leave(s, st, r)
		return 0, 0
	case *ast.BranchStmt:
		w.jump(s, st, r)
		return 0, 0
	case *ast.BlockStmt:
		return w.list(s.List, st, r), 0
	case *ast.LabeledStmt:
		return w.list([]ast.Stmt{s.Stmt}, st, r), 0
	case *ast.IfStmt:
		return w.branch(s, list[i+1:], st, r), 0
	case *ast.ForStmt:
		return w.loop(s, st, r), 0
	case *ast.RangeStmt:
		return w.ranges(s, st, r), 0
	case *ast.SwitchStmt:
		return w.choice(s.Body, s.Init, s.Tag, st, r), 0
	case *ast.TypeSwitchStmt:
		return w.choice(s.Body, s.Init, s.Assign, st, r), 0
	case *ast.SelectStmt:
		return w.choice(s.Body, nil, nil, st, r), 0
	case *ast.DeferStmt:
		w.deferStmt(s, st, r)
		return st, 0
	}
	if call := syntax.PlainCall(list[i]); call != nil {
		return w.plain(list, i, call, st, r)
	}
	if assign, ok := list[i].(*ast.AssignStmt); ok {
		if call := syntax.SoleCall(assign); call != nil && w.sc.isMethod(call, "Close") {
			return w.closeAssign(list, i, assign, call, st, r)
		}
		w.errors(assign, st)
	}
	return w.leaf(list[i], st, r), 0
}

// plain follows a call whose results are dropped.
func (w *walker) plain(list []ast.Stmt, i int, call *ast.CallExpr, st state, r *controlPath) (state, int) {
	stmt, rest := list[i], list[i+1:]
	switch {
	case w.sc.pass.endsProgram(call):
		return 0, 0
	case w.sc.temp != nil && w.sc.changed(stmt):
		return st, 0 // it removed the temporary file
	case w.sc.isMethod(call, "Close"):
		return w.closeStmt(stmt, rest, st, r)
	case w.sc.isCleanup(call):
		if st&open != 0 && !r.failing && !w.failsAfter(rest) {
			w.refuse(refusef("%s closes the handle on a path that succeeds", w.sc.of(call.Fun)))
		}
		r.closed = true
		return st, 0
	case w.sc.pass.calls(call, "os", "Remove") && w.sc.isPath(call.Args[0]):
		if r.failing && (st&open != 0 || r.commit) || st&open != 0 && w.failsAfter(rest) {
			w.sc.drop(stmt)
			return st, 0
		}
		if st&open != 0 && w.sc.isName(call.Args[0]) {
			return w.refuse(Refusal("the file is removed before it is complete")), 0
		}
	}
	if st&open != 0 && !r.failing && w.sc.temp == nil && w.sc.pass.letsGo(stmt) && !w.failsAfter(rest) {
		if err := w.returned(rest); err != nil {
			w.commitUnder(stmt, err)
			return committed, 0
		}
		w.freed = true
	}
	w.droppedAt(call, st)
	return w.leaf(stmt, st, r), 0
}

// droppedAt refuses a call whose error is dropped, if the content may be incomplete then.
func (w *walker) droppedAt(call *ast.CallExpr, st state) {
	if st&open != 0 && (w.sc.pass.callee(call) != nil || w.sc.related(call)) {
		w.refuse(w.sc.dropped(call))
	}
}

// end follows the end of the block.
func (w *walker) end(st state) {
	switch {
	case st&open == 0:
	case st&committed != 0:
		w.refuse(Refusal("the file is closed on only some of the paths"))
	case w.sc.temp != nil:
		w.refuse(Refusal("the rename is not reached on every path"))
	case w.sc.opened != nil:
		w.commitEntered()
	case len(w.pending) > 0:
		w.unchecked()
	default:
		said := len(w.sc.tail)
		for said > 0 && w.sc.harmless(w.sc.tail[said-1]) && !w.sc.related(w.sc.tail[said-1]) {
			said-- // that it is saved
		}
		last := ast.Stmt(w.sc.check)
		if said > 0 {
			last = w.sc.tail[said-1]
		}
		w.sc.after(last, w.sc.commitText(last.End()))
		w.publish()
	}
}

// commitEntered commits at the end of what is done where the file could be opened, if there was no
// error that is returned behind it.
func (w *walker) commitEntered() {
	body, err := w.sc.check.Body, w.sc.opened
	last := len(body.List) - 1
	if last < 0 || len(w.sc.finish) > 0 || !w.sc.returnsError() {
		w.refuse(Refusal("no place is certain to be reached with the file complete"))
		return
	}
	if delete(w.pending, err); len(w.pending) > 0 {
		w.unchecked()
	}
	end := body.List[last].End()
	commit := err.Name() + " = " + w.sc.f.Name() + ".Commit()"
	switch {
	case w.sc.pass.lookup(err.Name(), end) != err:
		commit = w.sc.commitText(end) // and no other error is on its way
		if w.sc.assigned(err, body.Pos(), body.End()) {
			w.refuse(refusef("another %s hides the one that is returned", err.Name()))
		}
	case w.sc.assigned(err, body.Pos(), body.End()):
		commit = "if " + err.Name() + " == nil {\n\t" + commit + "\n}"
	}
	w.sc.after(body.List[last], commit)
	w.publish()
}
