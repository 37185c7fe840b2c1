package fixes

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/lockvet/lockvet/internal/finding"
)

// publishHandle turns
//
//	f, err := os.Create(path)             f, err := safeio.Create(path)
//	if err != nil {                       if err != nil {
//		return err                            return err
//	}                                     }
//	defer f.Close()                       defer f.Close() // discards
//	return json.NewEncoder(f).Encode(v)   if err := json.NewEncoder(f).Encode(v); err != nil {
//	                                              return err
//	                                      }
//	                                      return f.Commit()
//
// Every way out of the block that declares the handle must be known: a success
// commits, anything else leaves the file as it was.
func (s *source) publishHandle(r finding.PublishHandle) (*plan, error) {
	if s.pass.calls(r.Open, "os", "CreateTemp") {
		return nil, refusal("the file is a temporary one")
	}
	sc, err := s.newScene(r.Body, r.Open)
	if err != nil {
		return nil, err
	}
	sc.path, sc.overwrites = r.Open.Args[0], r.Overwrites
	if err := sc.reopen(); err != nil {
		return nil, err
	}
	sc.dropEarlyRemoves()
	sc.locks = r.Locks
	if err := sc.dropLocks(); err != nil {
		return nil, err
	}
	if err := sc.follow(); err != nil {
		return nil, err
	}
	message := "Publish the file with " + s.safeio + ".Create and Commit"
	if len(r.Locks) > 0 {
		message += ", which need no lock"
	}
	return &plan{message: message, edits: sc.edits}, nil
}

// follow proves the uses of the handle and edits its way from the opening to
// every exit.
func (sc *scene) follow() error {
	if err := sc.scanUses(); err != nil {
		return err
	}
	if err := sc.finished(); err != nil {
		return err
	}
	w := &walker{scene: sc, pending: make(objects)}
	st, err := w.list(sc.tail, open, &road{})
	if err != nil {
		return err
	}
	if err := w.end(st); err != nil {
		return err
	}
	if w.late {
		return refusal("a mutex is let go of before the file could be published")
	}
	if !w.published {
		return refusal("no place is certain to be reached with the file complete")
	}
	if sc.loop && (sc.deferred || sc.leaks) {
		return refusal("the file is opened in a loop and not closed on every path of it")
	}
	if sc.leaks && !sc.deferred {
		sc.edits = append(sc.edits, sc.insertAfter(sc.check, "defer "+sc.f.Name()+".Close()"))
	}
	return sc.dropUnused()
}

// put replaces the text of a node.
func (sc *scene) put(n ast.Node, text string) {
	sc.edits = append(sc.edits, sc.replace(n.Pos(), n.End(), text))
}

// dropEarlyRemoves takes away a removal of the target that stands before the
// opening in the same block: the file is replaced, not made anew.
func (sc *scene) dropEarlyRemoves() {
	assign := sc.parents[sc.open].(*ast.AssignStmt)
	for _, stmt := range sc.siblings(assign) {
		if stmt == ast.Stmt(assign) {
			return
		}
		if call := plainCall(stmt); call != nil && sc.pass.calls(call, "os", "Remove") && sc.isPath(call.Args[0]) {
			sc.edits = append(sc.edits, sc.remove(stmt))
		}
	}
}

// plainCall is the call that a statement makes and whose results it drops.
func plainCall(stmt ast.Stmt) *ast.CallExpr {
	switch s := stmt.(type) {
	case *ast.ExprStmt:
		call, _ := s.X.(*ast.CallExpr)
		return call
	case *ast.AssignStmt:
		for _, lhs := range s.Lhs {
			if id, ok := lhs.(*ast.Ident); !ok || id.Name != "_" {
				return nil
			}
		}
		if len(s.Rhs) == 1 {
			call, _ := s.Rhs[0].(*ast.CallExpr)
			return call
		}
	}
	return nil
}

// isPath reports whether an expression is the name that the file is opened
// under.
func (sc *scene) isPath(e ast.Expr) bool {
	if sc.path == nil {
		return false
	}
	if sc.isName(e) {
		return true
	}
	if obj := sc.pass.object(sc.path); obj != nil {
		return sc.pass.object(e) == obj
	}
	return types.ExprString(e) == types.ExprString(sc.path)
}

// A state is what may be true of the handle at a place.
type state uint8

const (
	open    state = 1 << iota // not yet committed or closed
	settled                   // committed
)

// A road is how control came to a place.
type road struct {
	failing bool    // an error has been met
	commit  bool    // it is that of the commit
	closed  bool    // the handle was closed since
	loops   int     // enclosing loops within the block
	breaks  int     // enclosing statements that break leaves, within the block
	entry   state   // at the innermost of these
	left    objects // pending at a break out of it
	again   objects // pending at a continue of the innermost loop
}

func (r road) branch() *road { return &r }

// into is the road into the body of a statement that break leaves.
func (r road) into(st state, loop bool) *road {
	r.breaks, r.entry, r.left = r.breaks+1, st, make(objects)
	if loop {
		r.loops, r.again = r.loops+1, make(objects)
	}
	return &r
}

// A walker follows control from the opening to every exit.
type walker struct {
	*scene
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

func (w *walker) list(list []ast.Stmt, st state, r *road) (state, error) {
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
func (w *walker) stmt(list []ast.Stmt, i int, st state, r *road) (state, int, error) {
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
func (w *walker) plain(list []ast.Stmt, i int, call *ast.CallExpr, st state, r *road) (state, int, error) {
	stmt, rest := list[i], list[i+1:]
	switch {
	case w.pass.endsProgram(call):
		return 0, 0, nil
	case w.temp != nil && w.edited(stmt, w.edits):
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
			w.edits = append(w.edits, w.remove(stmt))
			return st, 0, nil
		}
		if st&open != 0 && w.isName(call.Args[0]) {
			return 0, 0, refusal("the file is removed before it is complete")
		}
	}
	if st&open != 0 && !r.failing && w.temp == nil && w.letsGo(stmt) && !w.failsAfter(rest) {
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

func (sc *scene) isCleanup(call *ast.CallExpr) bool {
	obj := sc.pass.object(call.Fun)
	return obj != nil && sc.cleanups[obj]
}

// failsAfter reports whether what follows in the list ends in a failure.
func (w *walker) failsAfter(rest []ast.Stmt) bool {
	if len(rest) == 0 {
		return false
	}
	switch last := rest[len(rest)-1].(type) {
	case *ast.ReturnStmt:
		for _, s := range rest[:len(rest)-1] {
			if plainCall(s) == nil {
				return false
			}
		}
		return w.returnsError() && len(last.Results) == len(w.results) && w.isFailure(last.Results[len(last.Results)-1])
	case *ast.ExprStmt:
		return len(rest) == 1 && w.pass.endsProgram(last.X)
	}
	return false
}

// returned is the variable whose error the statements return and do nothing else;
// nil if they do anything else, or another error is pending.
func (w *walker) returned(rest []ast.Stmt) types.Object {
	if len(rest) != 1 || len(w.finish) > 0 || !w.returnsError() {
		return nil
	}
	ret, ok := rest[0].(*ast.ReturnStmt)
	if !ok || len(ret.Results) != len(w.results) {
		return nil
	}
	last := len(ret.Results) - 1
	obj, ok := w.pass.object(ret.Results[last]).(*types.Var)
	if !ok || len(w.pending) > 1 || len(w.pending) == 1 && !w.pending[obj] {
		return nil
	}
	if slices.ContainsFunc(ret.Results[:last], func(e ast.Expr) bool { return !w.isPure(e) }) {
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
func (w *walker) commitUnder(stmt ast.Stmt, err types.Object) (state, int, error) {
	text := fmt.Sprintf("if %s == nil {\n\t%s = %s.Commit()\n}", err.Name(), err.Name(), w.f.Name())
	w.edits = append(w.edits, w.insertBefore(stmt, text))
	w.publish()
	return settled, 0, nil
}

// closeStmt follows f.Close() whose error is dropped: the place of the commit,
// unless a failure is on its way.
func (w *walker) closeStmt(stmt ast.Stmt, rest []ast.Stmt, st state, r *road) (state, int, error) {
	if st&open == 0 {
		return st, 0, nil
	}
	if r.failing || w.failsAfter(rest) {
		r.closed = true
		return st, 0, nil
	}
	if w.temp != nil {
		w.edits = append(w.edits, w.remove(stmt))
		return st, 0, nil
	}
	text, err := w.commitText()
	if err != nil {
		return 0, 0, err
	}
	if len(w.pending) == 0 {
		w.put(stmt, strings.ReplaceAll(text, "\n", "\n"+w.indent(stmt)))
		w.publish()
		return settled, 0, nil
	}
	// _, err = io.Copy(f, r)
	// f.Close()
	// if err != nil { return err }
	check, ok := firstIf(rest)
	if !ok || check.Init != nil || check.Else != nil || !w.ends(check.Body.List) || !w.clears(check.Cond) {
		return 0, 0, w.unchecked()
	}
	w.edits = append(w.edits, w.remove(stmt))
	if _, err := w.branch(check, rest[1:], st, r); err != nil {
		return 0, 0, err
	}
	if len(w.pending) > 0 {
		return 0, 0, w.unchecked()
	}
	w.edits = append(w.edits, w.insertAfter(check, text))
	w.publish()
	return settled, 1, nil
}

func firstIf(list []ast.Stmt) (*ast.IfStmt, bool) {
	if len(list) == 0 {
		return nil, false
	}
	s, ok := list[0].(*ast.IfStmt)
	return s, ok
}

// clears reports whether a condition tests a pending error.
func (w *walker) clears(cond ast.Expr) bool {
	obj, failing, ok := w.guard(cond)
	return ok && failing && w.pending[obj]
}

// assign follows an assignment: of the error of Close, or of a write.
func (w *walker) assign(list []ast.Stmt, i int, s *ast.AssignStmt, st state, r *road) (state, int, error) {
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

func soleCall(s ast.Stmt) *ast.CallExpr {
	a, ok := s.(*ast.AssignStmt)
	if !ok || len(a.Rhs) != 1 {
		return nil
	}
	call, _ := ast.Unparen(a.Rhs[0]).(*ast.CallExpr)
	return call
}

// closeAssign follows err = f.Close().
func (w *walker) closeAssign(list []ast.Stmt, i int, s *ast.AssignStmt, call *ast.CallExpr, st state, r *road) (state, int, error) {
	if st&open == 0 {
		return st, 0, nil
	}
	if r.failing || w.failsAfter(list[i+1:]) {
		r.closed = true
		return st, 0, nil
	}
	if w.temp == nil {
		if err := w.commitAt(s, call, list[i+1:], r); err != nil {
			return 0, 0, err
		}
		return settled, 0, nil
	}
	obj := w.pass.object(s.Lhs[0])
	check, ok := firstIf(list[i+1:])
	if !ok || obj == nil || check.Init != nil || check.Else != nil || !w.tests(check.Cond, token.NEQ, obj) || !w.ends(check.Body.List) {
		return 0, 0, refusal("the error of Close is not checked at once")
	}
	w.edits = append(w.edits, w.remove(s), w.remove(check))
	return st, 1, nil
}

// commitAt makes the Close within a statement the commit. An unchecked error
// must get its check first.
func (w *walker) commitAt(stmt ast.Stmt, call *ast.CallExpr, rest []ast.Stmt, r *road) error {
	before, err := w.finishText()
	if err != nil {
		return err
	}
	if len(w.pending) > 0 {
		check, err := w.lateCheck(rest)
		if err != nil {
			return err
		}
		before = check + before
	}
	if before != "" {
		w.edits = append(w.edits, w.insertBefore(stmt, strings.TrimSuffix(before, "\n")))
	}
	w.put(call, w.f.Name()+".Commit()")
	w.publish()
	return nil
}

// lateCheck is the check of a pending error which the function only returns
// after the close:
//
//	_, err := io.Copy(f, r)
//	if cerr := f.Close(); cerr != nil && err == nil { … }
//	return err
func (w *walker) lateCheck(rest []ast.Stmt) (string, error) {
	if len(w.pending) != 1 || len(rest) == 0 {
		return "", w.unchecked()
	}
	ret, ok := rest[len(rest)-1].(*ast.ReturnStmt)
	if !ok || len(ret.Results) != len(w.results) || !w.returnsError() {
		return "", w.unchecked()
	}
	obj := w.pass.object(ret.Results[len(ret.Results)-1])
	if obj == nil || !w.pending[obj] {
		return "", w.unchecked()
	}
	for _, e := range ret.Results[:len(ret.Results)-1] {
		if !w.isPure(e) {
			return "", w.unchecked()
		}
	}
	delete(w.pending, obj)
	text := "if " + obj.Name() + " != nil {\n"
	if !w.deferred {
		text += "\t" + w.f.Name() + ".Close()\n"
	}
	return text + "\t" + w.of(ret) + "\n}\n", nil
}

// branch follows an if statement.
func (w *walker) branch(s *ast.IfStmt, rest []ast.Stmt, st state, r *road) (state, error) {
	call := soleCall(s.Init)
	switch {
	case call == nil:
	case w.isMethod(call, "Close") && st&open != 0 && !r.failing:
		return w.closeIf(s, call, rest, st, r)
	case w.isMethod(call, "Sync") && w.syncsLast(s, rest, st, r):
		w.edits = append(w.edits, w.remove(s)) // Commit syncs
		return st, nil
	}
	renames := call != nil && w.isRename(call)
	st, err := w.head(s.Init, st, r)
	if err != nil {
		return 0, err
	}
	if st, err = w.leaf(s.Cond, st, r); err != nil {
		return 0, err
	}
	_, failing, guarded := w.guard(s.Cond)
	then, other := r.branch(), r.branch()
	if guarded && failing {
		then.failing, then.commit = true, renames
	} else if guarded {
		other.failing, other.commit = true, renames
	}
	before, after := w.pending, make(objects)
	w.pending = w.knowing(before, s.Cond, true)
	out, err := w.arm(s.Body, st, then, after)
	if err == nil {
		err = w.goesOn(s, leaves(s.Body, out, r))
	}
	if err != nil {
		return 0, err
	}
	w.pending = w.knowing(before, s.Cond, false)
	outElse, err := w.arm(s.Else, st, other, after)
	if err != nil {
		return 0, err
	}
	w.pending = after
	if failing {
		return out | outElse, w.compared(s.Cond, leaves(s.Body, out, r))
	}
	return out | outElse, w.compared(s.Cond, leaves(s.Else, outElse, r))
}

// arm follows one of the two ways of an if statement, which may be empty, and
// adds to after what is pending behind it.
func (w *walker) arm(body ast.Stmt, st state, r *road, after objects) (state, error) {
	if body != nil {
		var err error
		if st, err = w.list([]ast.Stmt{body}, st, r); err != nil {
			return 0, err
		}
	}
	if st != 0 {
		after.add(w.pending)
	}
	return st, nil
}

// leaves reports whether a way that ends with a state leaves the block that opens
// the handle.
func leaves(body ast.Node, out state, r *road) bool {
	return out == 0 && !(r.breaks > 0 && jumps(body))
}

// head follows the statement before the condition of an if, a switch or a for.
func (w *walker) head(init ast.Stmt, st state, r *road) (state, error) {
	if init == nil {
		return st, nil
	}
	if a, ok := init.(*ast.AssignStmt); ok {
		if err := w.errors(a, st); err != nil {
			return 0, err
		}
	} else if call := plainCall(init); call != nil {
		if err := w.droppedAt(call, st); err != nil {
			return 0, err
		}
	}
	return w.leaf(init, st, r)
}

// jumps reports whether break or continue is somewhere in a block.
func jumps(body ast.Node) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		_, ok := n.(*ast.BranchStmt)
		found = found || ok
		return !found
	})
	return found
}

// closeIf follows if err := f.Close(); err != nil { … }.
func (w *walker) closeIf(s *ast.IfStmt, call *ast.CallExpr, rest []ast.Stmt, st state, r *road) (state, error) {
	if w.temp != nil {
		if s.Else != nil || !w.ends(s.Body.List) || !w.isPure(s.Cond) {
			return 0, refusal("the error of Close is not checked at once")
		}
		w.edits = append(w.edits, w.remove(s))
		return st, nil
	}
	if err := w.commitAt(s, call, rest, r); err != nil {
		return 0, err
	}
	then := r.branch()
	then.failing, then.commit = true, true
	out, err := w.list(s.Body.List, settled, then)
	if err != nil {
		return 0, err
	}
	if s.Else != nil {
		after, err := w.list([]ast.Stmt{s.Else}, settled, r)
		return out | after, err
	}
	return out | settled, nil
}

// loop follows a for statement, which must leave the handle as it finds it.
func (w *walker) loop(s *ast.ForStmt, st state, r *road) (state, error) {
	st, err := w.head(s.Init, st, r)
	if err != nil {
		return 0, err
	}
	in := r.into(st, true)
	if s.Cond != nil {
		if _, err := w.leaf(s.Cond, st, in); err != nil {
			return 0, err
		}
		_, failing, guarded := w.guard(s.Cond)
		in.failing = in.failing || guarded && failing
	}
	if err := w.rounds(s.Body, s.Cond, s.Post, st, in); err != nil {
		return 0, err
	}
	return st, nil
}

// rounds follows the body of a loop on the road in, and what is pending behind
// the loop. A condition and a post statement may be nil.
func (w *walker) rounds(body *ast.BlockStmt, cond ast.Expr, post ast.Stmt, st state, in *road) error {
	before := w.pending
	w.pending = w.knowing(before, cond, true)
	out, err := w.list(body.List, st, in)
	if err != nil {
		return err
	}
	if out&^st != 0 {
		return refusal("the file is closed within a loop")
	}
	if out == 0 {
		w.pending = make(objects)
	}
	w.pending.add(in.again)
	if _, err := w.head(post, st, in); err != nil {
		return err
	}
	for _, obj := range w.pendingSorted() {
		if !before[obj] {
			return refusef("%s is not checked before the loop goes on", obj.Name())
		}
	}
	w.pending = w.knowing(before, cond, false)
	w.pending.add(in.left)
	return nil
}

// ranges follows a range statement.
func (w *walker) ranges(s *ast.RangeStmt, st state, r *road) (state, error) {
	if _, ok := w.pass.Info.TypeOf(s.X).Underlying().(*types.Signature); ok && st&open != 0 && w.related(s.X) {
		return 0, refusef("%s writes while it is ranged over", w.of(s.X))
	}
	if _, err := w.leaf(s.X, st, r); err != nil {
		return 0, err
	}
	return st, w.rounds(s.Body, nil, nil, st, r.into(st, true))
}

// breaksOut reports whether a break without a label is somewhere in the list.
func breaksOut(list []ast.Stmt) bool {
	found := false
	for _, s := range list {
		ast.Inspect(s, func(n ast.Node) bool {
			if b, ok := n.(*ast.BranchStmt); ok && b.Tok == token.BREAK {
				found = true
			}
			return !found
		})
	}
	return found
}

// jump follows break, continue, goto and fallthrough.
func (w *walker) jump(s *ast.BranchStmt, st state, r *road) (state, int, error) {
	switch {
	case s.Tok == token.FALLTHROUGH:
		return 0, 0, refusal("a case falls through while the file is open")
	case s.Tok == token.GOTO:
		return 0, 0, refusal("a goto stands between opening and closing")
	case s.Label != nil && r.loops == 0, s.Tok == token.CONTINUE && r.loops == 0, s.Tok == token.BREAK && r.breaks == 0:
		return 0, 0, w.abandon(st, r, "the block is left without an error")
	case s.Label != nil:
		return 0, 0, refusal("a jump to a label stands between opening and closing")
	case st != r.entry:
		return 0, 0, refusal("the file is closed within a loop")
	case s.Tok == token.BREAK:
		r.left.add(w.pending)
	default:
		r.again.add(w.pending)
	}
	return 0, 0, nil
}

// abandon follows an exit that must be a failure.
func (w *walker) abandon(st state, r *road, otherwise string) error {
	if st&open == 0 {
		return nil
	}
	if !r.failing && w.temp == nil {
		return refusal(otherwise)
	}
	w.leaks = w.leaks || !r.closed
	return nil
}

// deferStmt follows a deferred call.
func (w *walker) deferStmt(s *ast.DeferStmt, st state, r *road) error {
	if lit, ok := s.Call.Fun.(*ast.FuncLit); ok {
		w.deferredClosure(lit)
		for _, arg := range s.Call.Args {
			if _, err := w.leaf(arg, st, r); err != nil {
				return err
			}
		}
		return nil
	}
	if w.isMethod(s.Call, "Close") || w.isCleanup(s.Call) {
		w.deferred = true
		return nil
	}
	if w.edited(s, w.edits) {
		return nil // it removed the temporary file
	}
	if w.pass.calls(s.Call, "os", "Remove") && w.isPath(s.Call.Args[0]) {
		return refusal("a deferred call removes the file")
	}
	if f, ok := w.finisher(s.Call); ok {
		w.finish = append([]finisher{f}, w.finish...)
		w.edits = append(w.edits, w.remove(s))
		return nil
	}
	for _, arg := range s.Call.Args {
		if w.pass.object(arg) == w.f {
			w.deferred = true // as an interface whose methods end with Close: see argument
			return nil
		}
	}
	if w.related(s.Call) {
		return refusef("the deferred %s would come after the commit", w.of(s.Call.Fun))
	}
	return nil
}

// deferredClosure follows a deferred function literal, of which scanUses has
// proven that it only ends things.
func (w *walker) deferredClosure(lit *ast.FuncLit) {
	var group []finisher
	ast.Inspect(lit.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if w.isMethod(call, "Close") && w.closesAlways(call, lit) {
			w.deferred = true
		}
		if f, ok := w.finisher(call); ok {
			group = append(group, f)
		}
		if w.pass.calls(call, "os", "Remove") && w.isPath(call.Args[0]) {
			w.dropRemove(call)
		}
		return true
	})
	w.finish = append(group, w.finish...)
}

// closesAlways reports whether a call in a deferred function runs whenever the
// function fails: under no condition, or under that of a named error result.
func (w *walker) closesAlways(call *ast.CallExpr, lit *ast.FuncLit) bool {
	child := ast.Node(call)
	for n := w.parents[child]; n != ast.Node(lit.Body); child, n = n, w.parents[n] {
		s, ok := n.(*ast.IfStmt)
		if !ok || child == ast.Node(s.Init) {
			continue
		}
		obj, failing, ok := w.guard(s.Cond)
		if !ok || !failing || obj == nil || child != ast.Node(s.Body) || !w.isResult(obj) {
			return false
		}
	}
	for _, s := range lit.Body.List {
		if s.End() < call.Pos() && breaksAway(s) {
			return false
		}
	}
	return true
}

// breaksAway reports whether a statement may return.
func breaksAway(s ast.Stmt) bool {
	found := false
	ast.Inspect(s, func(n ast.Node) bool {
		_, ok := n.(*ast.ReturnStmt)
		found = found || ok
		return !found
	})
	return found
}

// isResult reports whether a variable is a named result of the function.
func (sc *scene) isResult(obj types.Object) bool {
	results := sc.owners[sc.body].Results
	return results != nil && results.Pos() <= obj.Pos() && obj.Pos() < results.End()
}

// finishText is the text that flushes what deferred calls would have flushed
// too late.
func (sc *scene) finishText() (string, error) {
	if len(sc.finish) == 0 {
		return "", nil
	}
	fail, err := sc.failText()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, f := range sc.finish {
		call := sc.of(f.call)
		if f.then != "" {
			b.WriteString(call + "\n")
			call = f.then
		}
		b.WriteString("if err := " + call + "; err != nil {\n\t" + fail + "\n}\n")
	}
	return b.String(), nil
}

// failText is the statement that returns err.
func (sc *scene) failText() (string, error) {
	if !sc.returnsError() {
		return "", refusal("the function has no error result that could say that the commit failed")
	}
	zeros, err := sc.zeros()
	return "return " + zeros + "err", err
}

// commitText is the text that flushes and commits.
func (sc *scene) commitText() (string, error) {
	before, err := sc.finishText()
	if err != nil {
		return "", err
	}
	fail, err := sc.failText()
	if err != nil {
		return "", err
	}
	return before + "if err := " + sc.f.Name() + ".Commit(); err != nil {\n\t" + fail + "\n}", nil
}

// end follows the end of the block.
func (w *walker) end(st state) error {
	if st&open == 0 {
		return nil
	}
	if st&settled != 0 {
		return refusal("the file is closed on only some of the paths")
	}
	if w.temp != nil {
		return refusal("the rename is not reached on every path")
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
	w.edits = append(w.edits, w.insertAfter(last, text))
	w.publish()
	return nil
}
