package fixes

import (
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
	w := &walker{scene: sc, pending: make(map[types.Object]bool)}
	st, err := w.list(sc.tail, open, &road{})
	if err != nil {
		return err
	}
	if err := w.end(st); err != nil {
		return err
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
	failing bool  // an error has been met
	commit  bool  // it is that of the commit
	closed  bool  // the handle was closed since
	loops   int   // enclosing loops within the block
	breaks  int   // enclosing statements that break leaves, within the block
	entry   state // at the innermost of these
}

func (r road) branch() *road { return &r }

// A walker follows control from the opening to every exit.
type walker struct {
	*scene
	// pending are the variables that hold an unchecked error which the handle
	// does not know of.
	pending   map[types.Object]bool
	published bool
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
		st, err := w.loop(s.Body, st, r, s.Init, s.Cond, s.Post)
		return st, 0, err
	case *ast.RangeStmt:
		st, err := w.loop(s.Body, st, r, s.X)
		return st, 0, err
	case *ast.SwitchStmt:
		return w.choice(s.Body, st, r, s.Init, s.Tag)
	case *ast.TypeSwitchStmt:
		return w.choice(s.Body, st, r, s.Init, s.Assign)
	case *ast.SelectStmt:
		return w.choice(s.Body, st, r)
	case *ast.DeferStmt:
		return st, 0, w.deferStmt(s)
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
		w.published = true
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
	w.published = true
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

func (w *walker) unchecked() error {
	for _, obj := range w.pendingSorted() {
		return refusef("%s is not checked before the file is closed", obj.Name())
	}
	return nil
}

func (w *walker) pendingSorted() []types.Object {
	var objs []types.Object
	for obj := range w.pending {
		objs = append(objs, obj)
	}
	slices.SortFunc(objs, func(a, b types.Object) int { return int(a.Pos() - b.Pos()) })
	return objs
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
	w.published = true
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

// errors notes what becomes of the error of a write.
func (w *walker) errors(s *ast.AssignStmt, st state) error {
	if st&open == 0 {
		return nil
	}
	call := soleCall(s)
	if call == nil {
		for i, rhs := range s.Rhs {
			if obj := w.pass.object(rhs); obj != nil && w.pending[obj] && len(s.Lhs) == len(s.Rhs) {
				if to := w.pass.object(s.Lhs[i]); to != nil {
					w.pending[to] = true
				}
			}
		}
		return nil
	}
	last := w.pass.object(s.Lhs[len(s.Lhs)-1])
	if last != nil && w.pending[last] && !w.pass.mentions(call, last) {
		return refusef("%s is overwritten before it is checked", last.Name())
	}
	if !w.related(call) || !w.mayFail(call) || call == w.open {
		return nil
	}
	if last == nil || last.Name() == "_" {
		return w.dropped(call)
	}
	if !w.remembered(call) && !w.isRename(call) {
		w.pending[last] = true
	}
	return nil
}

// branch follows an if statement.
func (w *walker) branch(s *ast.IfStmt, rest []ast.Stmt, st state, r *road) (state, error) {
	if call := soleCall(s.Init); call != nil && w.isMethod(call, "Close") && st&open != 0 && !r.failing {
		return w.closeIf(s, call, rest, st, r)
	}
	if call := soleCall(s.Init); call != nil && w.isMethod(call, "Sync") && w.syncsLast(s, rest, st, r) {
		w.edits = append(w.edits, w.remove(s)) // Commit syncs
		return st, nil
	}
	renames := false
	if s.Init != nil {
		if a, ok := s.Init.(*ast.AssignStmt); ok {
			call := soleCall(a)
			renames = call != nil && w.isRename(call)
			if err := w.errors(a, st); err != nil {
				return 0, err
			}
		}
		var err error
		if st, err = w.leaf(s.Init, st, r); err != nil {
			return 0, err
		}
	}
	st, err := w.leaf(s.Cond, st, r)
	if err != nil {
		return 0, err
	}
	obj, failing, guarded := w.guard(s.Cond)
	then, other := r.branch(), r.branch()
	if guarded && failing {
		then.failing, then.commit = true, renames
	} else if guarded {
		other.failing, other.commit = true, renames
	}
	var outs [2]state
	if outs[0], err = w.list(s.Body.List, st, then); err != nil {
		return 0, err
	}
	if guarded && w.pending[obj] {
		if err := w.settle(s, obj, failing, outs[0], r); err != nil {
			return 0, err
		}
	}
	outs[1] = st
	if s.Else != nil {
		if outs[1], err = w.list([]ast.Stmt{s.Else}, st, other); err != nil {
			return 0, err
		}
	}
	return outs[0] | outs[1], nil
}

// settle decides what is left of a pending error behind its check.
func (w *walker) settle(s *ast.IfStmt, obj types.Object, failing bool, out state, r *road) error {
	if !failing {
		return nil // still to be checked
	}
	if out == 0 && !(r.breaks > 0 && jumps(s.Body)) {
		delete(w.pending, obj)
		return nil
	}
	// if cerr := w.Close(); cerr != nil && err == nil { err = cerr }
	if len(s.Body.List) == 1 {
		if a, ok := s.Body.List[0].(*ast.AssignStmt); ok && len(a.Lhs) == 1 && w.pass.mentions(a.Rhs[0], obj) {
			if to := w.pass.object(a.Lhs[0]); to != nil && isError(to.Type()) {
				delete(w.pending, obj)
				w.pending[to] = true
				return nil
			}
		}
	}
	return refusef("the function goes on after the error %s of a write", obj.Name())
}

// jumps reports whether break or continue is somewhere in a block.
func jumps(body *ast.BlockStmt) bool {
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

// loop follows a loop, which must leave the handle as it finds it.
func (w *walker) loop(body *ast.BlockStmt, st state, r *road, heads ...ast.Node) (state, error) {
	for _, n := range heads {
		if n == nil {
			continue
		}
		if _, err := w.leaf(n, st, r); err != nil {
			return 0, err
		}
	}
	in := r.branch()
	in.loops, in.breaks, in.entry = r.loops+1, r.breaks+1, st
	out, err := w.list(body.List, st, in)
	if err != nil {
		return 0, err
	}
	if out&^st != 0 {
		return 0, refusal("the file is closed within a loop")
	}
	return st, nil
}

// choice follows the clauses of a switch or select.
func (w *walker) choice(body *ast.BlockStmt, st state, r *road, heads ...ast.Node) (state, int, error) {
	for _, n := range heads {
		if n == nil {
			continue
		}
		if _, err := w.leaf(n, st, r); err != nil {
			return 0, 0, err
		}
	}
	var out state
	exhaustive := false
	for _, c := range body.List {
		in := r.branch()
		in.breaks, in.entry = r.breaks+1, st
		var list []ast.Stmt
		switch c := c.(type) {
		case *ast.CaseClause:
			list = c.Body
			exhaustive = exhaustive || c.List == nil
			for _, e := range c.List {
				if _, failing, ok := w.guard(e); ok && failing {
					in.failing = true
				}
				if _, err := w.leaf(e, st, r); err != nil {
					return 0, 0, err
				}
			}
		case *ast.CommClause:
			list, exhaustive = c.Body, true
			if c.Comm != nil {
				if _, err := w.leaf(c.Comm, st, r); err != nil {
					return 0, 0, err
				}
			}
		}
		o, err := w.list(list, st, in)
		if err != nil {
			return 0, 0, err
		}
		out |= o
		if breaksOut(list) {
			out |= st
		}
	}
	if !exhaustive {
		out |= st
	}
	return out, 0, nil
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
func (w *walker) deferStmt(s *ast.DeferStmt) error {
	if lit, ok := s.Call.Fun.(*ast.FuncLit); ok {
		w.deferredClosure(lit)
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
	w.published = true
	return nil
}
