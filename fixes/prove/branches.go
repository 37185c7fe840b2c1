package prove

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/lockvet/lockvet/internal/syntax"
)

// branch follows an if statement.
func (w *walker) branch(s *ast.IfStmt, rest []ast.Stmt, st state, r *controlPath) state {
	call := syntax.SoleCall(s.Init)
	switch {
	case call == nil:
	case w.sc.isMethod(call, "Close") && st&open != 0 && !r.failing:
		return w.closeIf(s, call, rest, st, r)
	case w.sc.isMethod(call, "Sync") && w.syncsLast(s, rest, st, r):
		w.sc.drop(s) // Commit syncs
		return st
	}
	renames := call != nil && w.sc.isRename(call)
	st = w.leaf(s.Cond, w.head(s.Init, st, r), r)
	_, failing, guarded := w.sc.guard(s.Cond)
	then, other := r.branch(), r.branch()
	if guarded && failing {
		then.failing, then.commit, then.check = true, renames, s
	} else if guarded {
		other.failing, other.commit = true, renames
	}
	before, after := w.pending, make(objects)
	w.pending = w.knowing(before, s.Cond, true)
	out := w.arm(s.Body, st, then, after)
	if w.sc.err != nil {
		return 0
	}
	w.goesOn(s, leaves(s.Body, out, r))
	w.pending = w.knowing(before, s.Cond, false)
	outElse := w.arm(s.Else, st, other, after)
	if w.sc.err != nil {
		return 0
	}
	w.pending = after
	if failing {
		w.compared(s.Cond, leaves(s.Body, out, r))
	} else {
		w.compared(s.Cond, leaves(s.Else, outElse, r))
	}
	return out | outElse
}

// ofWrite is the error of a write to the handle that an if statement checks, and does one thing about; nil
// for any other.
func (w *walker) ofWrite(s *ast.IfStmt) types.Object {
	if s == nil || len(s.Body.List) != 1 || !syntax.Some(w.sc.body, func(call *ast.CallExpr) bool {
		return (w.sc.isMethod(call, "Write") || w.sc.isMethod(call, "WriteString")) && w.sc.outcome(call).check == s
	}) {
		return nil
	}
	err, _, _ := w.sc.guard(s.Cond)
	return err
}

// arm follows one of the two ways of an if statement, which may be empty, and
// adds to after what is pending behind it.
func (w *walker) arm(body ast.Stmt, st state, r *controlPath, after objects) state {
	if body != nil {
		st = w.list([]ast.Stmt{body}, st, r)
	}
	if st != 0 {
		after.add(w.pending)
	}
	return st
}

// leaves reports whether a way that ends with a state leaves the block that opens
// the handle.
func leaves(body ast.Node, out state, r *controlPath) bool {
	return out == 0 && !(r.breaks > 0 && syntax.Some(body, func(_ *ast.BranchStmt) bool { return true }))
}

// head follows the statement before the condition of an if, a switch or a for.
func (w *walker) head(init ast.Stmt, st state, r *controlPath) state {
	if init == nil {
		return st
	}
	if a, ok := init.(*ast.AssignStmt); ok {
		w.errors(a, st)
	} else if call := syntax.PlainCall(init); call != nil {
		w.droppedAt(call, st)
	}
	return w.leaf(init, st, r)
}

// loop follows a for statement, which must leave the handle as it finds it.
func (w *walker) loop(s *ast.ForStmt, st state, r *controlPath) state {
	st = w.head(s.Init, st, r)
	in := r.into(st, true)
	if s.Cond != nil {
		w.leaf(s.Cond, st, in)
		_, failing, guarded := w.sc.guard(s.Cond)
		in.failing = in.failing || guarded && failing
	}
	w.rounds(s.Body, s.Cond, s.Post, st, in)
	return st
}

// rounds follows the body of a loop on the way in, and what is pending behind
// the loop. A condition and a post statement may be nil.
func (w *walker) rounds(body *ast.BlockStmt, cond ast.Expr, post ast.Stmt, st state, in *controlPath) {
	before := w.pending
	w.pending = w.knowing(before, cond, true)
	out := w.list(body.List, st, in)
	if out&^st != 0 {
		w.refuse(Refusal("the file is closed within a loop"))
	}
	if out == 0 {
		w.pending = make(objects)
	}
	w.pending.add(in.again)
	w.head(post, st, in)
	for _, obj := range w.pendingSorted() {
		if !before[obj] {
			w.refuse(refusef("%s is not checked before the loop goes on", obj.Name()))
		}
	}
	w.pending = w.knowing(before, cond, false)
	w.pending.add(in.left)
}

// ranges follows a range statement.
func (w *walker) ranges(s *ast.RangeStmt, st state, r *controlPath) state {
	if _, ok := w.sc.pass.Info.TypeOf(s.X).Underlying().(*types.Signature); ok && st&open != 0 && w.sc.related(s.X) {
		w.refuse(refusef("%s writes while it is ranged over", w.sc.of(s.X)))
	}
	w.leaf(s.X, st, r)
	w.rounds(s.Body, nil, nil, st, r.into(st, true))
	return st
}

// breaksOut reports whether a break without a label is somewhere in the list.
func breaksOut(list []ast.Stmt) bool {
	return syntax.Some(syntax.List(list), func(b *ast.BranchStmt) bool { return b.Tok == token.BREAK })
}

// jump follows break, continue, goto and fallthrough.
func (w *walker) jump(s *ast.BranchStmt, st state, r *controlPath) {
	switch {
	case s.Tok == token.FALLTHROUGH:
		w.refuse(Refusal("a case falls through while the file is open"))
	case s.Tok == token.GOTO:
		w.refuse(Refusal("a goto stands between opening and closing"))
	case s.Label != nil && r.loops == 0, s.Tok == token.CONTINUE && r.loops == 0, s.Tok == token.BREAK && r.breaks == 0:
		if st&open == 0 {
			return
		}
		w.refuse(Refusal("the block is left by a jump"))
	case s.Label != nil:
		w.refuse(Refusal("a jump to a label stands between opening and closing"))
	case st != r.entry:
		w.refuse(Refusal("the file is closed within a loop"))
	case s.Tok == token.BREAK:
		r.left.add(w.pending)
	default:
		r.again.add(w.pending)
	}
}

// choice follows a switch or select. The tag is that of a switch or the
// assignment of a type switch; both it and init may be nil.
func (w *walker) choice(body *ast.BlockStmt, init ast.Stmt, tag ast.Node, st state, r *controlPath) state {
	st = w.head(init, st, r)
	if tag != nil {
		st = w.leaf(tag, st, r)
	}
	cases, rest := w.cases(body, tag)
	out, after := state(0), make(objects)
	exhaustive := false
	for i, c := range body.List {
		in := r.into(st, false)
		w.pending = cases[i].pending
		in.failing = in.failing || cases[i].failing
		w.clause(c, st, r)
		exhaustive = exhaustive || isDefault(c)
		list := syntax.ListIn(c)
		if o := w.list(list, st, in); o != 0 {
			out |= o
			after.add(w.pending)
		}
		if breaksOut(list) {
			out |= st
			after.add(in.left)
		}
	}
	if !exhaustive {
		out |= st
		after.add(rest)
	}
	w.pending = after
	return out
}

// clause follows what a clause asks.
func (w *walker) clause(c ast.Stmt, st state, r *controlPath) {
	switch c := c.(type) {
	case *ast.CaseClause:
		for _, e := range c.List {
			w.leaf(e, st, r)
		}
	case *ast.CommClause:
		if c.Comm != nil {
			w.leaf(c.Comm, st, r)
		}
	}
}

// isDefault reports whether one of the clauses before it and this one is taken
// for certain: it is the default, or of a select.
func isDefault(c ast.Stmt) bool {
	clause, ok := c.(*ast.CaseClause)
	return !ok || clause.List == nil
}

// A case is what is known at the beginning of a clause.
type caseOf struct {
	failing bool    // an error has been met
	pending objects // what is still unchecked
}

// cases is what the clauses of a switch know of errors, and what is pending where
// none of them is taken.
func (w *walker) cases(body *ast.BlockStmt, tag ast.Node) ([]caseOf, objects) {
	if e := tagged(tag); e != nil {
		return w.casesOf(e, body, tag), w.pending
	}
	return w.conditions(body)
}

// tagged is what a switch with a tag, or a type switch, tells apart.
func tagged(tag ast.Node) ast.Expr {
	switch tag := tag.(type) {
	case ast.Expr:
		return tag
	case *ast.ExprStmt:
		return tag.X.(*ast.TypeAssertExpr).X
	case *ast.AssignStmt:
		return tag.Rhs[0].(*ast.TypeAssertExpr).X
	}
	return nil
}

// casesOf is cases of a switch that compares e. Besides a case nil the default is
// certain to have an error, and so is every type.
func (w *walker) casesOf(e ast.Expr, body *ast.BlockStmt, tag ast.Node) []caseOf {
	_, values := tag.(ast.Expr)
	_, isVar := w.sc.pass.object(e).(*types.Var)
	anError := isError(w.sc.pass.Info.TypeOf(e))
	hasNil := false
	for _, c := range body.List {
		hasNil = hasNil || w.listsNil(c)
	}
	cases := make([]caseOf, len(body.List))
	for i, c := range body.List {
		known := caseOf{pending: w.pending.clone()}
		switch {
		case isDefault(c):
			known.failing = anError && hasNil
		case !w.listsNil(c):
			known.failing = anError && !values
		case len(c.(*ast.CaseClause).List) == 1 && isVar:
			delete(known.pending, w.sc.pass.object(e))
		}
		cases[i] = known
	}
	return cases
}

func (w *walker) listsNil(c ast.Stmt) bool {
	clause, ok := c.(*ast.CaseClause)
	return ok && slices.ContainsFunc(clause.List, func(e ast.Expr) bool { return isNil(w.sc.pass.Info, e) })
}

// conditions is cases of a switch without a tag, or of a select.
func (w *walker) conditions(body *ast.BlockStmt) ([]caseOf, objects) {
	rest := caseOf{pending: w.pending.clone()}
	cases := make([]caseOf, len(body.List))
	for i, c := range body.List {
		clause, ok := c.(*ast.CaseClause)
		if !ok {
			cases[i].pending = rest.pending.clone()
			continue
		}
		cases[i] = caseOf{rest.failing, rest.pending.clone()}
		for _, e := range clause.List {
			_, failing, ok := w.sc.guard(e)
			cases[i].failing = cases[i].failing || ok && failing
			rest.failing = rest.failing || ok && !failing
			if len(clause.List) == 1 {
				cases[i].pending = w.knowing(rest.pending, e, true)
			}
			rest.pending = w.knowing(rest.pending, e, false)
		}
	}
	for i, c := range body.List { // the default may stand anywhere
		if clause, ok := c.(*ast.CaseClause); ok && clause.List == nil {
			cases[i] = caseOf{rest.failing, rest.pending.clone()}
		}
	}
	return cases, rest.pending
}
