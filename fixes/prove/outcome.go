package prove

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/syntax"
)

// An outcome is what a function makes of the error of a call where it gets it.
type outcome struct {
	call  *ast.CallExpr
	stmt  ast.Stmt        // of a list, that makes the call
	err   types.Object    // has the error; nil where nothing does
	check *ast.IfStmt     // asks for the error: stmt, by its head, or what follows that
	ret   *ast.ReturnStmt // gives it to the caller: stmt, or what follows that
}

// outcome is that of a call.
func (sc *handleScope) outcome(call *ast.CallExpr) outcome {
	o := outcome{call: call, stmt: sc.statement(call)}
	switch s := o.stmt.(type) {
	case *ast.ReturnStmt:
		if e := syntax.Result(s); e != nil && ast.Unparen(e) == ast.Expr(call) {
			o.ret = s
		}
	case *ast.IfStmt:
		if syntax.SoleCall(s.Init) == call {
			o.err, o.check = sc.errorOf(s.Init), s
		}
	case *ast.AssignStmt:
		rest := sc.rest(s)
		if syntax.SoleCall(s) != call || sc.errorOf(s) == nil || len(rest) == 0 {
			break
		}
		o.err = sc.errorOf(s)
		switch next := rest[0].(type) {
		case *ast.IfStmt:
			if next.Init == nil && sc.pass.mentions(next.Cond, o.err) {
				o.check = next
			}
		case *ast.ReturnStmt:
			if e := syntax.Result(next); e != nil && sc.pass.object(e) == o.err {
				o.ret = next
			}
		}
	}
	return o
}

// dropped reports whether nobody looks at the error.
func (o outcome) dropped() bool { return syntax.PlainCall(o.stmt) == o.call }

// heads reports whether the call stands in the head of its check.
func (o outcome) heads() bool { return o.check != nil && ast.Stmt(o.check) == o.stmt }

// returned reports whether the error is returned as it comes.
func (o outcome) returned() bool { return o.ret != nil && ast.Stmt(o.ret) == o.stmt }

// stmts make the call and ask for its error.
func (o outcome) stmts() []ast.Stmt {
	if o.check == nil || o.heads() {
		return []ast.Stmt{o.stmt}
	}
	return []ast.Stmt{o.stmt, o.check}
}

// exit lists the statements that the error leads to.
func (o outcome) exit() []ast.Stmt {
	switch {
	case o.ret != nil:
		return []ast.Stmt{o.ret}
	case o.check != nil:
		return o.check.Body.List
	}
	return nil
}

// fails reports whether the function leaves the list where there is an error, and asks for
// nothing else.
func (sc *handleScope) fails(o outcome) bool {
	return sc.asks(o) && o.check.Else == nil && sc.ends(o.check.Body.List)
}

// asks reports whether the check asks for an error, and for nothing else.
func (sc *handleScope) asks(o outcome) bool {
	return o.check != nil && sc.tests(o.check.Cond, token.NEQ, o.err)
}

// leaving is the check if the function leaves the list where there is an error; one that the
// call heads may ask for more. It is nil where it does not.
func (sc *handleScope) leaving(o outcome) *ast.IfStmt {
	if sc.fails(o) {
		return o.check
	}
	if !o.heads() || o.check.Else != nil || !sc.isPure(o.check.Cond) || !sc.ends(o.check.Body.List) {
		return nil
	}
	if _, failing, ok := sc.guard(o.check.Cond); !ok || !failing {
		return nil
	}
	return o.check
}

// passesOn reports whether all that is left of a check of an error is to return it.
func (sc *handleScope) passesOn(o outcome) bool {
	if !sc.asks(o) || o.check.Else != nil {
		return false
	}
	ret := syntax.SoleReturn(slices.DeleteFunc(slices.Clone(o.check.Body.List),
		func(s ast.Stmt) bool { return sc.changed(s) }))
	return ret != nil && len(ret.Results) == 1 && sc.pass.object(ret.Results[0]) == o.err
}

// handsOn reports whether the function, or the literal around the call, returns the error
// where there is one, or another.
func (sc *handleScope) handsOn(o outcome) bool {
	exit := o.exit()
	if len(exit) == 0 || o.ret == nil && !sc.asks(o) {
		return false
	}
	e := syntax.Result(exit[len(exit)-1])
	return e != nil && (sc.isFailure(e) || sc.pass.mentions(e, o.err))
}

// errorOf is the variable that an assignment gives the error of its call, nil where it gives
// it to no one.
func (sc *handleScope) errorOf(s ast.Stmt) types.Object {
	a := s.(*ast.AssignStmt)
	if obj := sc.pass.object(a.Lhs[len(a.Lhs)-1]); isNamed(obj) {
		return obj
	}
	return nil
}

// tests reports whether a condition compares the variable with nil.
func (sc *handleScope) tests(cond ast.Expr, op token.Token, obj types.Object) bool {
	bin, ok := ast.Unparen(cond).(*ast.BinaryExpr)
	return ok && obj != nil && bin.Op == op && sc.pass.object(bin.X) == obj && isNil(sc.pass.Info, bin.Y)
}

// guard gives the error variable that a condition tests, and whether the
// condition holds when there is an error. Of a conjunction or disjunction one
// operand suffices: what else is asked does not make the branch a success.
func (sc *handleScope) guard(cond ast.Expr) (obj types.Object, failing, ok bool) {
	switch cond := ast.Unparen(cond).(type) {
	case *ast.BinaryExpr:
		switch cond.Op {
		case token.LAND, token.LOR:
			if obj, failing, ok := sc.guard(cond.X); ok && failing {
				return obj, failing, ok
			}
			if obj, failing, ok := sc.guard(cond.Y); ok && failing {
				return obj, failing, ok
			}
		case token.NEQ, token.EQL:
			if v := sc.pass.object(cond.X); v != nil && isNil(sc.pass.Info, cond.Y) && isError(v.Type()) {
				return v, cond.Op == token.NEQ, true
			}
		}
	case *ast.CallExpr:
		if sc.pass.calls(cond, "errors", "Is", "As") || sc.pass.calls(cond, "os", "IsNotExist", "IsExist", "IsPermission") {
			if v := sc.pass.object(cond.Args[0]); v != nil {
				return v, true, true
			}
		}
	}
	return nil, false, false
}

// endsProgram reports whether an expression is a call that does not return for certain.
func (p Pass) endsProgram(e ast.Expr) bool {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return false
	}
	fn := p.callee(call)
	return p.builtin(call) == "panic" || fn != nil &&
		(known.EndsProgram(fn) == known.Certain || p.Ends != nil && p.Ends(fn))
}

// ends reports whether a list of statements leaves its block for certain.
func (sc *handleScope) ends(list []ast.Stmt) bool {
	if len(list) == 0 {
		return false
	}
	switch s := list[len(list)-1].(type) {
	case *ast.ReturnStmt, *ast.BranchStmt:
		return true
	case *ast.ExprStmt:
		return sc.pass.endsProgram(s.X)
	case *ast.BlockStmt:
		return sc.ends(s.List)
	case *ast.IfStmt:
		if s.Else == nil {
			return false
		}
		return sc.ends(s.Body.List) && sc.ends([]ast.Stmt{s.Else})
	}
	return false
}
