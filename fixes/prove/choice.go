package prove

import (
	"go/ast"
	"go/types"
	"slices"
)

// choice follows a switch or select. The tag is that of a switch or the
// assignment of a type switch; both it and init may be nil.
func (w *walker) choice(body *ast.BlockStmt, init ast.Stmt, tag ast.Node, st state, r *controlPath) (state, error) {
	st, err := w.head(init, st, r)
	if err != nil {
		return 0, err
	}
	if tag != nil {
		if st, err = w.leaf(tag, st, r); err != nil {
			return 0, err
		}
	}
	cases, rest := w.cases(body, tag)
	out, after := state(0), make(objects)
	exhaustive := false
	for i, c := range body.List {
		in := r.into(st, false)
		w.pending = cases[i].pending
		in.failing = in.failing || cases[i].failing
		list, err := w.clause(c, st, r)
		if err != nil {
			return 0, err
		}
		exhaustive = exhaustive || isDefault(c)
		o, err := w.list(list, st, in)
		if err != nil {
			return 0, err
		}
		if o != 0 {
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
	return out, nil
}

// clause follows what a clause asks, and gives its statements.
func (w *walker) clause(c ast.Stmt, st state, r *controlPath) ([]ast.Stmt, error) {
	switch c := c.(type) {
	case *ast.CaseClause:
		for _, e := range c.List {
			if _, err := w.leaf(e, st, r); err != nil {
				return nil, err
			}
		}
		return c.Body, nil
	case *ast.CommClause:
		if c.Comm == nil {
			return c.Body, nil
		}
		_, err := w.leaf(c.Comm, st, r)
		return c.Body, err
	}
	return nil, nil
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
	_, isVar := w.pass.object(e).(*types.Var)
	anError := isError(w.pass.Info.TypeOf(e))
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
			delete(known.pending, w.pass.object(e))
		}
		cases[i] = known
	}
	return cases
}

func (w *walker) listsNil(c ast.Stmt) bool {
	clause, ok := c.(*ast.CaseClause)
	return ok && slices.ContainsFunc(clause.List, func(e ast.Expr) bool { return isNil(w.pass.Info, e) })
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
			_, failing, ok := w.guard(e)
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
