package prove

import (
	"go/ast"
	"go/token"
	"go/types"
	"iter"
	"slices"
	"strings"

	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/syntax"
)

// callsIn are the calls of a node, outside of function literals.
func (sc *handleScope) callsIn(n ast.Node) iter.Seq[*ast.CallExpr] {
	return func(yield func(*ast.CallExpr) bool) {
		more := true
		ast.Inspect(n, func(n ast.Node) bool {
			if _, ok := n.(*ast.FuncLit); ok || !more {
				return false
			}
			if call, ok := n.(*ast.CallExpr); ok {
				more = yield(call)
			}
			return more
		})
	}
}

// lossy reports whether a call writes and can leave the content incomplete without the handle knowing: its
// error must be looked at.
func (sc *handleScope) lossy(call *ast.CallExpr) bool {
	return call != sc.open && sc.writesTo(call) && sc.mayFail(call) && !sc.remembered(call) && !sc.isRename(call)
}

// heard is the lossy call whose error an assignment gives to a variable; nil for none.
func (sc *handleScope) heard(a *ast.AssignStmt) *ast.CallExpr {
	call := syntax.SoleCall(a)
	for call != nil && !sc.lossy(call) && sc.pass.wraps(call) {
		i := slices.IndexFunc(call.Args, func(e ast.Expr) bool { _, ok := ast.Unparen(e).(*ast.CallExpr); return ok })
		if i < 0 {
			return nil
		}
		call = ast.Unparen(call.Args[i]).(*ast.CallExpr)
	}
	if call == nil || sc.errorOf(a) == nil || !sc.lossy(call) {
		return nil
	}
	return call
}

// keepsIn reports whether what an assignment gives a variable is made of the error that it holds.
func (sc *handleScope) keepsIn(a *ast.AssignStmt, err types.Object) bool {
	call := syntax.SoleCall(a)
	return call != nil && sc.pass.wraps(call) && sc.pass.mentions(call, err)
}

// errorKnown proves that it is known what becomes of the error of a call in a node: it is assigned or returned, or
// the handle remembers it.
func (sc *handleScope) errorKnown(call *ast.CallExpr, n ast.Node) error {
	sure := !sc.lossy(call)
	switch n := n.(type) {
	case *ast.AssignStmt:
		sure = sure || sc.heard(n) == call
	case *ast.ReturnStmt:
		sure = sure || sc.wrapped(call) == syntax.Result(n) && !syntax.Some(n, sc.isRename)
	}
	if !sure {
		return refusef("the error of %s may be dropped, and the content be incomplete", sc.of(call.Fun))
	}
	return nil
}

// isNamed reports whether what is assigned to a variable can be asked for later.
func isNamed(obj types.Object) bool { return obj != nil && obj.Name() != "_" }

// wrapWords begin the names of functions that make an error of those that they are given, and none of nil.
var wrapWords = []string{"Errorf", "Join", "Append", "Combine", "Wrap", "WithStack", "WithMessage", "Annotate"}

// wraps reports whether a call makes errors into one.
func (p Pass) wraps(call *ast.CallExpr) bool {
	fn := p.callee(call)
	return fn != nil && isError(p.Info.TypeOf(call)) && slices.ContainsFunc(wrapWords, func(word string) bool {
		return strings.HasPrefix(fn.Name(), word)
	})
}

// wrapped is the outermost expression whose value is the error of a call, or made of it.
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

// runsAtEnd reports whether a node stands in no function literal but one that is deferred.
func (sc *handleScope) runsAtEnd(n ast.Node) bool {
	lit := sc.literal(n)
	if lit == nil {
		return true
	}
	call, _ := sc.parents[lit].(*ast.CallExpr)
	d, deferred := sc.parents[call].(*ast.DeferStmt)
	return deferred && d.Call.Fun == ast.Expr(lit)
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

// failures are the functions whose error result is never nil, or that are asked for an error only where there
// is one.
var failures = map[string][]string{
	"errors":  {"New"},
	"fmt":     {"Errorf"},
	"context": {"Cause"},
}

// isFailure reports whether an expression is certain to be an error.
func (sc *handleScope) isFailure(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.CallExpr:
		for pkg, names := range failures {
			if sc.pass.calls(e, pkg, names...) {
				return true
			}
		}
		fn := sc.pass.callee(e)
		return fn != nil && fn.FullName() == "(context.Context).Err"
	case *ast.UnaryExpr:
		_, lit := e.X.(*ast.CompositeLit)
		return e.Op == token.AND && lit
	case *ast.CompositeLit:
		return true
	case *ast.Ident, *ast.SelectorExpr:
		id, ok := e.(*ast.Ident)
		if sel, isSel := e.(*ast.SelectorExpr); isSel {
			id, ok = sel.Sel, true
		}
		v, isVar := sc.pass.Info.Uses[id].(*types.Var)
		return ok && isVar && v.Pkg() != nil && v.Parent() == v.Pkg().Scope()
	}
	return false
}

// failsAfter reports whether a statement is followed by calls that drop their errors, and then by a failure.
func (sc *handleScope) failsAfter(n ast.Node) bool {
	rest := sc.rest(sc.statement(n))
	if len(rest) == 0 {
		return false
	}
	last := len(rest) - 1
	if end, ok := rest[last].(*ast.ExprStmt); ok {
		return last == 0 && sc.pass.endsProgram(end.X)
	}
	ret, ok := rest[last].(*ast.ReturnStmt)
	return ok && sc.returnsError() && len(ret.Results) == len(sc.results) && sc.isFailure(syntax.Result(ret)) &&
		!slices.ContainsFunc(rest[:last], func(s ast.Stmt) bool { return syntax.PlainCall(s) == nil })
}

// writesTo reports whether a call has the handle or a wrapper, and not only the handle's name.
func (sc *handleScope) writesTo(call *ast.CallExpr) bool {
	if sc.related(call.Fun) {
		return true
	}
	return slices.ContainsFunc(call.Args, func(arg ast.Expr) bool {
		if inner, ok := ast.Unparen(arg).(*ast.CallExpr); ok {
			return !sc.isName(inner) && sc.writesTo(inner)
		}
		return sc.related(arg)
	})
}

func (sc *handleScope) isRename(call *ast.CallExpr) bool {
	return sc.temp != nil && call == sc.temp.rename
}

// quiet are the packages whose functions do no more with a path than print or take it apart.
var quiet = map[string]bool{
	"fmt": true, "errors": true, "log": true, "log/slog": true, "path": true,
	"path/filepath": true, "strings": true, "strconv": true,
}

// logWords begin the names of functions that log.
var logWords = []string{"Print", "Log", "Debug", "Info", "Warn", "Error", "Trace", "Fatal"}

func (p Pass) isQuiet(call *ast.CallExpr) bool {
	fn := p.callee(call)
	if fn == nil {
		return false
	}
	if fn.Pkg() == nil || quiet[fn.Pkg().Path()] {
		return true
	}
	return slices.ContainsFunc(logWords, func(word string) bool { return strings.HasPrefix(fn.Name(), word) })
}

// touchesFiles reports whether a call does something to a file: files that are written one after the other are
// in place one after the other.
func (p Pass) touchesFiles(call *ast.CallExpr) bool {
	fn := p.callee(call)
	if fn == nil || fn.Pkg() == nil || fn.Signature().Recv() != nil {
		return false
	}
	return known.ActsOnFiles(fn) || fn.Pkg().Path() == "os/exec" ||
		p.calls(call, "os", "Chmod", "Chown", "Chtimes", "StartProcess")
}
