package prove

import (
	"go/ast"
	"go/token"
	"go/types"
)

// branch follows an if statement.
func (w *walker) branch(s *ast.IfStmt, rest []ast.Stmt, st state, r *controlPath) (state, error) {
	call := soleCall(s.Init)
	switch {
	case call == nil:
	case w.isMethod(call, "Close") && st&open != 0 && !r.failing:
		return w.closeIf(s, call, rest, st, r)
	case w.isMethod(call, "Sync") && w.syncsLast(s, rest, st, r):
		w.drop(s) // Commit syncs
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
func (w *walker) arm(body ast.Stmt, st state, r *controlPath, after objects) (state, error) {
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
func leaves(body ast.Node, out state, r *controlPath) bool {
	return out == 0 && !(r.breaks > 0 && jumps(body))
}

// head follows the statement before the condition of an if, a switch or a for.
func (w *walker) head(init ast.Stmt, st state, r *controlPath) (state, error) {
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
	return some(body, func(_ *ast.BranchStmt) bool { return true })
}

// loop follows a for statement, which must leave the handle as it finds it.
func (w *walker) loop(s *ast.ForStmt, st state, r *controlPath) (state, error) {
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

// rounds follows the body of a loop on the way in, and what is pending behind
// the loop. A condition and a post statement may be nil.
func (w *walker) rounds(body *ast.BlockStmt, cond ast.Expr, post ast.Stmt, st state, in *controlPath) error {
	before := w.pending
	w.pending = w.knowing(before, cond, true)
	out, err := w.list(body.List, st, in)
	if err != nil {
		return err
	}
	if out&^st != 0 {
		return Refusal("the file is closed within a loop")
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
func (w *walker) ranges(s *ast.RangeStmt, st state, r *controlPath) (state, error) {
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
	return some(listOf(list), func(b *ast.BranchStmt) bool { return b.Tok == token.BREAK })
}

// jump follows break, continue, goto and fallthrough.
func (w *walker) jump(s *ast.BranchStmt, st state, r *controlPath) (state, int, error) {
	switch {
	case s.Tok == token.FALLTHROUGH:
		return 0, 0, Refusal("a case falls through while the file is open")
	case s.Tok == token.GOTO:
		return 0, 0, Refusal("a goto stands between opening and closing")
	case s.Label != nil && r.loops == 0, s.Tok == token.CONTINUE && r.loops == 0, s.Tok == token.BREAK && r.breaks == 0:
		return 0, 0, Refusal("the block is left by a jump")
	case s.Label != nil:
		return 0, 0, Refusal("a jump to a label stands between opening and closing")
	case st != r.entry:
		return 0, 0, Refusal("the file is closed within a loop")
	case s.Tok == token.BREAK:
		r.left.add(w.pending)
	default:
		r.again.add(w.pending)
	}
	return 0, 0, nil
}

// breaksAway reports whether a statement may return.
func breaksAway(s ast.Node) bool {
	return some(s, func(_ *ast.ReturnStmt) bool { return true })
}
