package prove

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/syntax"
)

// An absence is what a call yields where the file that it loads is not there.
type absence int

const (
	noLoad      absence = iota // it loads none
	notTold                    // no error: a missing file is an empty one
	asItIs                     // an error that matches fs.ErrNotExist
	unknownLoad                // nobody knows
)

// absent is what a call yields where the file is not there that it loads, by itself or by
// functions of the package.
func (s *File) absent(call *ast.CallExpr) absence { return s.absentBelow(call, make(objects)) }

func (s *File) absentBelow(call *ast.CallExpr, seen objects) absence {
	fn := s.pass.callee(call)
	switch {
	case fn == nil:
		return noLoad
	case s.pass.calls(call, "os", "ReadFile", "Open", "OpenFile"), s.pass.calls(call, "io/ioutil", "ReadFile"):
		return asItIs
	case fn.Pkg() != s.pass.Pkg || seen[fn]:
		return noLoad
	}
	seen[fn] = true
	decl := s.pass.declared(fn)
	if decl == nil {
		return unknownLoad // it is a method of an interface, or stands in assembly
	}
	var load *ast.CallExpr
	found := noLoad
	for inner := range syntax.Nodes[*ast.CallExpr](decl.Body) {
		if a := s.absentBelow(inner, seen); a != noLoad && found != noLoad {
			found = unknownLoad // it loads several, or one in several ways
		} else if a != noLoad {
			load, found = inner, a
		}
	}
	if found == asItIs {
		return s.scopeOf(decl.Body, decl.Type).passesAbsence(load)
	}
	return found
}

// passesAbsence is what a function yields where a call of it yields that there is no file.
func (sc *handleScope) passesAbsence(call *ast.CallExpr) absence {
	o := sc.outcome(call)
	failure, checks := o.err, sc.rest(o.stmt)
	switch {
	case o.returned() && len(o.ret.Results) == 1:
		return asItIs
	case o.heads():
		checks = []ast.Stmt{o.stmt}
	}
	if failure == nil || sc.literal(call) != nil {
		return unknownLoad
	}
	for _, stmt := range checks {
		check, ok := stmt.(*ast.IfStmt)
		switch {
		case !ok || check.Init != nil && check.Init != sc.parents[call]:
			return unknownLoad
		case sc.asksMissing(check.Cond, failure):
			return sc.yields(check.Body.List, failure)
		case sc.tests(check.Cond, token.NEQ, failure):
			if first, ok := syntax.FirstIf(check.Body.List); ok && first.Init == nil && sc.asksMissing(first.Cond, failure) {
				return sc.yields(first.Body.List, failure)
			}
			return sc.yields(check.Body.List, failure)
		}
	}
	return unknownLoad
}

// yields is what statements that end in a return make of an error that says that there is no
// file.
func (sc *handleScope) yields(list []ast.Stmt, failure types.Object) absence {
	ret := syntax.SoleReturn(list)
	if ret == nil {
		return unknownLoad
	}
	switch e := ast.Unparen(syntax.Result(ret)).(type) {
	case *ast.Ident:
		if isNil(sc.pass.Info, e) {
			return notTold
		}
		if sc.pass.object(e) == failure {
			return asItIs
		}
	case *ast.CallExpr:
		if w, wraps := sc.wrapping(e); wraps && w.verb == "%w" && sc.pass.mentions(e, failure) {
			return asItIs
		}
	}
	return unknownLoad
}

// asksMissing reports whether an expression asks whether an error says that there is no file.
func (sc *handleScope) asksMissing(e ast.Expr, failure types.Object) bool {
	return sc.askedFor(e, failure) == notExist
}

const notExist = "ErrNotExist"

// askedFor is the name of the error that an expression asks another to be; empty for none.
func (sc *handleScope) askedFor(e ast.Expr, failure types.Object) string {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok || len(call.Args) == 0 || sc.pass.object(call.Args[0]) != failure {
		return ""
	}
	if sc.pass.calls(call, "os", "IsNotExist") {
		return notExist
	}
	if !known.Is(sc.pass.callee(call), "errors.Is") || len(call.Args) != 2 {
		return ""
	}
	if sel, ok := call.Args[1].(*ast.SelectorExpr); ok {
		return sel.Sel.Name
	}
	id, _ := call.Args[1].(*ast.Ident)
	return id.String()
}

// missingText is the condition that an error called name says more than that there is no file.
func (s *File) missingText(name string) (string, error) {
	errors, _ := s.StdName("errors")
	pkg, added := s.StdName("os")
	if fs, adds := s.StdName("io/fs"); pkg == "" || added && fs != "" && !adds {
		pkg = fs
	}
	if errors == "" || pkg == "" {
		return "", Refusal("the name errors, os or fs is taken")
	}
	return "!" + errors + ".Is(" + name + ", " + pkg + ".ErrNotExist)", nil
}
