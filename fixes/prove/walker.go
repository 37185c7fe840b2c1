package prove

import "go/ast"

// A state is what may be true of the handle at a place.
type state uint8

const (
	open      state = 1 << iota // not yet committed or closed
	committed                   // committed
)

// A controlPath is how control came to a place.
type controlPath struct {
	failing bool    // an error has been met
	commit  bool    // it is that of the commit
	closed  bool    // the handle was closed since
	loops   int     // enclosing loops within the block
	breaks  int     // enclosing statements that break leaves, within the block
	entry   state   // at the innermost of these
	left    objects // pending at a break out of it
	again   objects // pending at a continue of the innermost loop
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
	*handleScope
	// pending are the variables that may hold, at the place that is followed,
	// an unchecked error which the handle does not know of.
	pending   objects
	published bool
	// freed says that a mutex was let go of while the file was open, late that it
	// would be published after that: a newer content could be there by then.
	freed, late bool
}

// publish notes that an edit publishes the file.
func (w *walker) publish() {
	w.published = true
	w.late = w.late || w.freed
}

func (w *walker) list(list []ast.Stmt, st state, r *controlPath) (state, error) {
	for i := 0; i < len(list) && st != 0; i++ {
		next, skip, err := w.stmt(list, i, st, r)
		if err != nil {
			return 0, err
		}
		st, i = next, i+skip
		if st == open && w.complete(list, i) {
			if st, err = w.commitAfter(list[i]); err != nil {
				return 0, err
			}
		}
	}
	return st, nil
}

// stmt follows one statement, and says how many after it are dealt with too.
func (w *walker) stmt(list []ast.Stmt, i int, st state, r *controlPath) (state, int, error) {
	if w.gone[list[i]] {
		return st, 0, nil
	}
	switch s := list[i].(type) {
	case *ast.ReturnStmt:
		return 0, 0, w.leave(s, st, r)
	case *ast.BranchStmt:
		return w.jump(s, st, r)
	case *ast.BlockStmt:
		st, err := w.list(s.List, st, r)
		return st, 0, err
	case *ast.LabeledStmt:
		st, err := w.list([]ast.Stmt{s.Stmt}, st, r)
		return st, 0, err
	case *ast.IfStmt:
		st, err := w.branch(s, list[i+1:], st, r)
		return st, 0, err
	case *ast.ForStmt:
		st, err := w.loop(s, st, r)
		return st, 0, err
	case *ast.RangeStmt:
		st, err := w.ranges(s, st, r)
		return st, 0, err
	case *ast.SwitchStmt:
		st, err := w.choice(s.Body, s.Init, s.Tag, st, r)
		return st, 0, err
	case *ast.TypeSwitchStmt:
		st, err := w.choice(s.Body, s.Init, s.Assign, st, r)
		return st, 0, err
	case *ast.SelectStmt:
		st, err := w.choice(s.Body, nil, nil, st, r)
		return st, 0, err
	case *ast.DeferStmt:
		return st, 0, w.deferStmt(s, st, r)
	}
	if call := plainCall(list[i]); call != nil {
		return w.plain(list, i, call, st, r)
	}
	if assign, ok := list[i].(*ast.AssignStmt); ok {
		return w.assign(list, i, assign, st, r)
	}
	st, err := w.leaf(list[i], st, r)
	return st, 0, err
}

// plain follows a call whose results are dropped.
func (w *walker) plain(list []ast.Stmt, i int, call *ast.CallExpr, st state, r *controlPath) (state, int, error) {
	stmt, rest := list[i], list[i+1:]
	switch {
	case w.pass.endsProgram(call):
		return 0, 0, nil
	case w.temp != nil && w.changed(stmt):
		return st, 0, nil // it removed the temporary file
	case w.isMethod(call, "Close"):
		return w.closeStmt(stmt, rest, st, r)
	case w.isCleanup(call):
		if st&open != 0 && !r.failing && !w.failsAfter(rest) {
			return 0, 0, refusef("%s closes the handle on a path that succeeds", w.of(call.Fun))
		}
		r.closed = true
		return st, 0, nil
	case w.pass.calls(call, "os", "Remove") && w.isPath(call.Args[0]):
		if r.failing && (st&open != 0 || r.commit) || st&open != 0 && w.failsAfter(rest) {
			w.drop(stmt)
			return st, 0, nil
		}
		if st&open != 0 && w.isName(call.Args[0]) {
			return 0, 0, Refusal("the file is removed before it is complete")
		}
	}
	if st&open != 0 && !r.failing && w.temp == nil && w.pass.letsGo(stmt) && !w.failsAfter(rest) {
		if err := w.returned(rest); err != nil {
			return w.commitUnder(stmt, err)
		}
		w.freed = true
	}
	if err := w.droppedAt(call, st); err != nil {
		return 0, 0, err
	}
	st, err := w.leaf(stmt, st, r)
	return st, 0, err
}

func (w *walker) droppedAt(call *ast.CallExpr, st state) error {
	if st&open == 0 || w.pass.callee(call) == nil && !w.related(call) {
		return nil
	}
	return w.dropped(call)
}

// assign follows an assignment: of the error of Close, or of a write.
func (w *walker) assign(list []ast.Stmt, i int, s *ast.AssignStmt, st state, r *controlPath) (state, int, error) {
	call := soleCall(s)
	if call != nil && w.isMethod(call, "Close") {
		return w.closeAssign(list, i, s, call, st, r)
	}
	if err := w.errors(s, st); err != nil {
		return 0, 0, err
	}
	st, err := w.leaf(s, st, r)
	return st, 0, err
}

// end follows the end of the block.
func (w *walker) end(st state) error {
	if st&open == 0 {
		return nil
	}
	if st&committed != 0 {
		return Refusal("the file is closed on only some of the paths")
	}
	if w.temp != nil {
		return Refusal("the rename is not reached on every path")
	}
	if len(w.pending) > 0 {
		return w.unchecked()
	}
	text, err := w.commitText()
	if err != nil {
		return err
	}
	last := ast.Stmt(w.check)
	if len(w.tail) > 0 {
		last = w.tail[len(w.tail)-1]
	}
	w.after(last, text)
	w.publish()
	return nil
}
