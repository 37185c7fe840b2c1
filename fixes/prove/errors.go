package prove

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/lockvet/lockvet/internal/syntax"
)

// objects is a set of variables.
type objects map[types.Object]bool

func (o objects) add(more objects) { maps.Copy(o, more) }

func (o objects) clone() objects {
	c := make(objects)
	c.add(o)
	return c
}

// unchecked refuses for an error that is pending.
func (w *walker) unchecked() state {
	return w.refuse(refusef("%s is not checked before the file is closed", w.pendingSorted()[0].Name()))
}

func (w *walker) pendingSorted() []types.Object {
	return slices.SortedFunc(maps.Keys(w.pending), func(a, b types.Object) int { return int(a.Pos() - b.Pos()) })
}

// lossy reports whether a call writes and can leave the content incomplete
// without the handle knowing: its error must be heard.
func (sc *handleScope) lossy(call *ast.CallExpr) bool {
	return call != sc.open && sc.writesTo(call) && sc.mayFail(call) && !sc.remembered(call) && !sc.isRename(call)
}

// errors notes what becomes of the error of a write.
func (w *walker) errors(s *ast.AssignStmt, st state) {
	call := syntax.SoleCall(s)
	if st&open == 0 {
		return
	} else if call == nil {
		w.moves(s)
		return
	}
	last := w.sc.pass.object(s.Lhs[len(s.Lhs)-1])
	wraps := w.sc.pass.wraps(call)
	if last != nil && w.pending[last] && !(wraps && w.sc.pass.mentions(call, last)) {
		w.refuse(refusef("%s is overwritten before it is checked", last.Name()))
	}
	if wraps && isNamed(last) {
		for obj := range w.pending.clone() {
			if w.sc.pass.mentions(call, obj) {
				w.move(obj, last)
			}
		}
	}
	switch {
	case !w.sc.related(call) || !w.sc.mayFail(call) || call == w.sc.open:
	case !isNamed(last):
		w.refuse(w.sc.dropped(call))
	case !w.sc.remembered(call) && !w.sc.isRename(call):
		w.pending[last] = true
	}
}

// isNamed reports whether what is assigned to a variable can be asked for later.
func isNamed(obj types.Object) bool { return obj != nil && obj.Name() != "_" }

// moves notes the pending errors that an assignment of other than calls hands on
// to other variables.
func (w *walker) moves(s *ast.AssignStmt) {
	if len(s.Lhs) != len(s.Rhs) {
		return
	}
	for i, lhs := range s.Lhs {
		from, to := w.sc.pass.object(s.Rhs[i]), w.sc.pass.object(lhs)
		if to != nil && w.pending[to] && !w.sc.pass.mentions(s.Rhs[i], to) {
			w.refuse(refusef("%s is overwritten before it is checked", to.Name()))
		}
		if from != nil && w.pending[from] && isNamed(to) {
			w.move(from, to)
		}
	}
}

// move makes a check of one variable stand for that of another.
func (w *walker) move(from, to types.Object) {
	delete(w.pending, from)
	w.pending[to] = true
}

// wrapWords begin the names of functions that make an error of those that they
// are given, and none of nil.
var wrapWords = []string{"Errorf", "Join", "Append", "Combine", "Wrap", "WithStack", "WithMessage", "Annotate"}

// wraps reports whether a call makes errors into one.
func (p Pass) wraps(call *ast.CallExpr) bool {
	fn := p.callee(call)
	return fn != nil && isError(p.Info.TypeOf(call)) && slices.ContainsFunc(wrapWords, func(word string) bool {
		return strings.HasPrefix(fn.Name(), word)
	})
}

// knowing is what is left of pending errors where a condition is known. A nil
// condition says nothing.
func (w *walker) knowing(pending objects, cond ast.Expr, holds bool) objects {
	left := pending.clone()
	if cond != nil {
		w.learn(left, cond, holds)
	}
	return left
}

// learn takes out of pending the variables that are nil where a condition holds
// or does not.
func (w *walker) learn(pending objects, cond ast.Expr, holds bool) {
	bin, ok := ast.Unparen(cond).(*ast.BinaryExpr)
	if !ok {
		return
	}
	switch bin.Op {
	case token.EQL, token.NEQ:
		if obj := w.sc.pass.object(bin.X); obj != nil && isNil(w.sc.pass.Info, bin.Y) && (bin.Op == token.EQL) == holds {
			delete(pending, obj)
		}
	case token.LAND, token.LOR:
		if (bin.Op == token.LAND) == holds {
			w.learn(pending, bin.X, holds)
			w.learn(pending, bin.Y, holds)
			return
		}
		w.learnOne(pending, bin.X, bin.Y, holds)
		w.learnOne(pending, bin.Y, bin.X, holds)
	}
}

// learnOne is learn where one of two conditions is as it says, perhaps the other.
// An error that the other asks about too is told from those that are put up with:
//
//	err != nil && !errors.Is(err, io.ErrUnexpectedEOF)
//
// One that gives way to another error is lost with that:
//
//	cerr != nil && err == nil
func (w *walker) learnOne(pending objects, one, other ast.Expr, holds bool) {
	instead, ok := w.nilTest(other, !holds)
	for obj := range pending.clone() {
		switch known := w.knowing(objects{obj: true}, one, holds); {
		case known[obj]:
		case w.sc.pass.mentions(other, obj):
			delete(pending, obj)
		case ok:
			delete(pending, obj)
			pending[instead] = true
		}
	}
}

// nilTest is the error variable that is nil where a condition holds or does not,
// and only there.
func (w *walker) nilTest(cond ast.Expr, holds bool) (types.Object, bool) {
	bin, ok := ast.Unparen(cond).(*ast.BinaryExpr)
	if !ok {
		return nil, false
	}
	obj, failing, ok := w.sc.guard(bin)
	return obj, ok && obj != nil && bin.Op != token.LAND && bin.Op != token.LOR && failing != holds
}

// goesOn fails if the branch for an error of a write that only the statement knows
// does not leave the function, nor hands the error on.
func (w *walker) goesOn(s *ast.IfStmt, leaves bool) {
	obj, failing, ok := w.sc.guard(s.Cond)
	if ok && failing && !leaves && s.Init != nil && w.pending[obj] && s.Init.Pos() <= obj.Pos() && obj.Pos() < s.Init.End() {
		w.refuse(refusef("the function goes on after the error %s of a write", obj.Name()))
	}
}

// compared fails if a condition compares the error of a write where it arises,
// and the branch for that error does not leave the function.
func (w *walker) compared(cond ast.Expr, leaves bool) {
	bin, ok := ast.Unparen(cond).(*ast.BinaryExpr)
	if !ok || leaves {
		return
	}
	if call, ok := ast.Unparen(bin.X).(*ast.CallExpr); ok && w.sc.lossy(call) {
		w.refuse(refusef("the function goes on after the error of %s", w.sc.of(call.Fun)))
	}
}

// heard proves that the error of a write is followed: it is assigned, returned,
// or compared at once.
func (w *walker) heard(call *ast.CallExpr) error {
	if !w.sc.lossy(call) {
		return nil
	}
	e := w.sc.wrapped(call)
	switch p := w.sc.parents[e].(type) {
	case *ast.ReturnStmt:
		renames := syntax.Some(p, func(c *ast.CallExpr) bool { return w.sc.isRename(c) })
		if !renames && e == syntax.Result(p) {
			return nil
		}
	case *ast.AssignStmt:
		if len(p.Rhs) == 1 {
			return nil
		}
	case *ast.ExprStmt:
		return nil
	case *ast.BinaryExpr:
		s, ok := w.sc.parents[p].(*ast.IfStmt)
		if _, _, guarded := w.sc.guard(p); ok && guarded && s.Cond == ast.Expr(p) {
			return nil
		}
	}
	return refusef("it is not certain what becomes of the error of %s", w.sc.of(call.Fun))
}

// wrapped is the outermost expression whose value is the error of a call, or
// made of it.
func (sc *handleScope) wrapped(call *ast.CallExpr) ast.Expr {
	e := ast.Expr(call)
	for {
		switch p := sc.parents[e].(type) {
		case *ast.ParenExpr:
			e = p
			continue
		case *ast.CallExpr:
			if p.Fun != e && sc.pass.wraps(p) {
				e = p
				continue
			}
		}
		return e
	}
}

// literal is the innermost function literal around a node, if any.
func (sc *handleScope) literal(n ast.Node) *ast.FuncLit {
	for ; n != nil; n = sc.parents[n] {
		if lit, ok := n.(*ast.FuncLit); ok {
			return lit
		}
	}
	return nil
}

// loops reports whether a node stands in a loop of its function, or literal.
func (sc *handleScope) loops(n ast.Node) bool {
	for ; n != nil; n = sc.parents[n] {
		switch n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ForStmt, *ast.RangeStmt:
			return true
		}
	}
	return false
}

// keepsError proves that a function literal returns the error of a write in it.
func (sc *handleScope) keepsError(call *ast.CallExpr) error {
	if !sc.lossy(call) {
		return nil
	}
	e := sc.wrapped(call)
	switch p := sc.parents[e].(type) {
	case *ast.ReturnStmt:
		if e == syntax.Result(p) {
			return nil
		}
	case *ast.AssignStmt:
		if made := syntax.SoleCall(p); made != nil && sc.returnsTo(call) && sc.handsOn(sc.outcome(made)) {
			return nil
		}
	}
	return refusef("a function literal may swallow the error of %s", sc.of(call.Fun))
}

// returnsTo reports whether the function literal around a call returns an error.
func (sc *handleScope) returnsTo(call *ast.CallExpr) bool {
	sig, ok := sc.pass.Info.TypeOf(sc.literal(call)).(*types.Signature)
	return ok && sig.Results().Len() > 0 && isError(sig.Results().At(sig.Results().Len()-1).Type())
}
