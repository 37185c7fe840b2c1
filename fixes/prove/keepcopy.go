package prove

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/lockvet/lockvet/fixes/rewrite"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/syntax"
)

// keepCopy puts
//
//	_ = safeio.Backup(path) // what is saved next replaces it
//
// where the function goes on without what it cannot decode. It then does what it did.
func (s *File) keepCopy(r finding.KeepCopy) (*Proof, error) {
	p, err := s.copied(r)
	if err != nil && r.Why != "" {
		return nil, Refusal(r.Why)
	}
	return p, err
}

func (s *File) copied(r finding.KeepCopy) (*Proof, error) {
	sc := s.scope(r.Body)
	at := sc.statement(r.Call)
	if at == nil || sc.literal(r.Call) != nil {
		return nil, Refusal("the call stands in a function literal")
	}
	if r.Path == nil || !sc.computes(r.Path) || !sc.sees(at.Pos(), r.Path) || sc.pass.someVar(r.Path, func(v *types.Var) bool { return sc.assigned(v, r.Path.End(), at.Pos()) }) {
		return nil, Refusal("no copy of the file can be kept: the function has no name for its path where it cannot decode it")
	}
	for id := range syntax.Unselected(r.Path) {
		if ast.Expr(id) != r.Path && sc.pass.mentions(r.Call, sc.pass.Info.Uses[id]) && syntax.Some(r.Path, func(sel *ast.SelectorExpr) bool { return sel.Sel.IsExported() && sc.pass.Info.Selections[sel] != nil }) {
			return nil, Refusal("no copy of the file can be kept: what holds its path is decoded into")
		}
	}
	keep := "_ = " + sc.safeio + ".Backup(" + sc.of(r.Path) + ") // what is saved next replaces it"
	o := sc.outcome(r.Call)
	if o.check != nil && len(o.check.Body.List) > 0 && !sc.sees(o.check.Body.List[0].Pos(), r.Path) {
		return nil, Refusal("no copy of the file can be kept: its path is hidden where the function cannot decode it")
	}
	switch {
	case o.dropped() || discarded(o):
		if !isError(sc.pass.Info.TypeOf(r.Call)) || syntax.Some(r.Path, func(id *ast.Ident) bool { return id.Name == "err" }) {
			return nil, Refusal("no copy of the file can be kept: the error has no name")
		}
		sc.carry(o.stmt, "if err := "+rewrite.Carried+"; err != nil {\n"+keep+"\n}", r.Call)
	case o.check == nil:
		return nil, Refusal("no copy of the file can be kept: the error has no name")
	case len(o.check.Body.List) == 0:
		return nil, Refusal("the function does nothing where it cannot decode the file")
	case sc.asks(o):
		sc.before(o.check.Body.List[0], keep)
	case sc.failing(o):
		sc.before(o.check.Body.List[0], "if "+o.err.Name()+" != nil {\n"+keep+"\n}")
	default:
		return nil, Refusal("the function asks for more than the error of decoding the file")
	}
	p, err := sc.plan("Keep a copy of what cannot be decoded")
	if err == nil {
		p.Doubt = "the program goes on without what it cannot read, and a copy leaves a file of its own"
	}
	return p, err
}

// computes reports whether an expression yields the same once more: it is pure, or a call of a
// function of the package that does nothing but return what is.
func (sc *handleScope) computes(e ast.Expr) bool {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok || sc.pureCall(call) {
		return sc.isPure(e)
	}
	decl := sc.pass.declared(sc.pass.callee(call))
	if decl == nil || len(decl.Body.List) != 1 || slices.ContainsFunc(call.Args, func(a ast.Expr) bool { return !sc.isPure(a) }) {
		return false
	}
	ret, ok := decl.Body.List[0].(*ast.ReturnStmt)
	return ok && len(ret.Results) == 1 && sc.isPure(ret.Results[0])
}

// discarded reports whether the error is assigned to nothing, and nothing else is.
func discarded(o outcome) bool {
	a, ok := o.stmt.(*ast.AssignStmt)
	if !ok || syntax.SoleCall(a) != o.call || len(a.Lhs) != 1 {
		return false
	}
	id, ok := a.Lhs[0].(*ast.Ident)
	return ok && id.Name == "_"
}

// failing reports whether the function comes to the body of the check wherever there is an error,
// and for other reasons.
func (sc *handleScope) failing(o outcome) bool {
	or, ok := o.check.Cond.(*ast.BinaryExpr)
	return ok && or.Op == token.LOR && (sc.tests(or.X, token.NEQ, o.err) || sc.tests(or.Y, token.NEQ, o.err))
}
