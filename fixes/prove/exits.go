package prove

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/lockvet/lockvet/fixes/rewrite"
	"github.com/lockvet/lockvet/internal/syntax"
)

// leave follows a return statement.
func (w *walker) leave(s *ast.ReturnStmt, st state, r *controlPath) {
	if st&open == 0 {
		w.leaf(s, st, r)
		return
	}
	last := ast.Unparen(syntax.Result(s))
	closing, _ := last.(*ast.CallExpr)
	switch {
	case st&committed != 0:
		w.refuse(Refusal("the file is closed on only some of the paths to a return"))
	case !w.sc.visible(s.Pos()):
		w.refuse(refusef("another %s hides the handle at a return", w.sc.f.Name()))
	case closing != nil && (w.sc.isMethod(closing, "Close") || w.sc.isMethod(closing, "Sync")) && !r.failing && w.sc.temp == nil:
		w.beforeReturn(s)
		w.commits(closing)
		w.publish()
		return
	}
	out := w.leaf(s, st, r)
	switch {
	case w.sc.err != nil:
	case out&committed != 0: // the rename
		w.beforeReturn(s)
	case r.failing && w.sc.temp == nil && w.sc.returnsError() && last != nil && isNil(w.sc.pass.Info, last):
		if err := w.ofWrite(r.check); err != nil {
			w.sc.put(last, err.Name()) // nobody would hear that the old file is left
			w.leaks(r)
		} else {
			w.refuse(Refusal("the function returns nil after an error"))
		}
	case r.failing || w.sc.temp != nil:
		w.leaks(r)
	case !w.sc.returnsError():
		w.refuse(Refusal("a return may be a success or a failure"))
	case last == nil:
		w.bareReturn(s)
	case len(s.Results) != len(w.sc.results):
		w.passOn(s)
	case w.sc.isFailure(last):
		w.leaks(r)
	case r.closed:
		w.refuse(Refusal("the file is closed before a return that may be a success"))
	case isNil(w.sc.pass.Info, last):
		if len(w.pending) > 0 {
			w.unchecked()
		}
		w.publishAt(s, last, "")
	default:
		w.unknownReturn(s, last)
	}
}

// beforeReturn puts the deferred flushes before a return that commits.
func (w *walker) beforeReturn(s *ast.ReturnStmt) {
	if len(w.pending) > 0 {
		w.unchecked()
	}
	if text := w.sc.finishText(); text != "" {
		w.sc.before(s, strings.TrimSuffix(text, "\n"))
	}
}

// publishAt has a return whose last result is nil, or is nil behind a check, commit.
func (w *walker) publishAt(s *ast.ReturnStmt, last ast.Expr, check string) {
	w.publish()
	if len(s.Results) == 1 && w.sc.unwritten() == "err" {
		if text := check + w.sc.finishText(); text != "" {
			w.sc.before(s, strings.TrimSuffix(text, "\n"))
		}
		w.sc.put(last, w.sc.f.Name()+".Commit()")
		return
	}
	w.sc.before(s, check+w.sc.commitText(s.Pos()))
	if check != "" {
		w.sc.put(last, "nil")
	}
}

// bareReturn commits if the named error is nil.
func (w *walker) bareReturn(s *ast.ReturnStmt) {
	if !w.sc.named {
		w.refuse(Refusal("a return may be a success or a failure"))
		return
	}
	fields := w.sc.ftype.Results.List
	names := fields[len(fields)-1].Names
	id := names[len(names)-1]
	if id.Name == "_" {
		w.refuse(Refusal("the error result has no name"))
	}
	w.pendingBut(w.sc.pass.Info.Defs[id])
	text := ""
	then := func(does string) string { return "if " + id.Name + " == nil {\n\t" + id.Name + " = " + does + "\n}" }
	for _, f := range w.sc.finish {
		if f.then != "" {
			w.refuse(Refusal("a bare return would have to flush first"))
		}
		text += then(w.sc.of(f.call)) + "\n"
	}
	w.sc.before(s, text+then(w.sc.f.Name()+".Commit()"))
	w.publish()
}

// pendingBut refuses where an error other than one is pending.
func (w *walker) pendingBut(obj types.Object) {
	for p := range w.pending {
		if p != obj {
			w.unchecked()
		}
	}
}

// unknownReturn commits if what is returned turns out to be nil.
func (w *walker) unknownReturn(s *ast.ReturnStmt, last ast.Expr) {
	others := w.sc.between(s.Pos()+token.Pos(len("return")), last.Pos())
	if !w.sc.arePure(s.Results[:len(s.Results)-1]) {
		w.refuse(Refusal("a return computes more than its error"))
	}
	obj := w.sc.pass.object(last)
	w.pendingBut(obj)
	switch {
	case obj == nil && strings.TrimSpace(others) == "" && w.sc.unwritten() == "err":
		w.sc.carry(s, "if err := "+rewrite.Carried+"; err != nil {\nreturn"+others+"err\n}\n"+w.sc.finishText()+"return "+w.sc.f.Name()+".Commit()", last)
		w.publish()
	case obj == nil:
		w.sc.carry(s, "if err := "+rewrite.Carried+"; err != nil {\nreturn"+others+"err\n}\n"+w.sc.commitText(token.NoPos)+"\nreturn"+others+"nil", last)
		w.publish()
	case !isError(obj.Type()):
		w.refuse(Refusal("the function returns an error of its own type"))
	default:
		w.publishAt(s, last, "if "+w.sc.of(last)+" != nil {\n\treturn"+others+w.sc.of(last)+"\n}\n")
	}
}

// passOn commits if the call whose results are returned has succeeded:
//
//	return io.Copy(f, r)        n, err := io.Copy(f, r)
//	                            if err != nil {
//	                                    return n, err
//	                            }
//	                            if err := f.Commit(); err != nil {
//	                                    return 0, err
//	                            }
//	                            return n, nil
func (w *walker) passOn(s *ast.ReturnStmt) {
	call, _ := ast.Unparen(syntax.Result(s)).(*ast.CallExpr)
	if call == nil || w.sc.named || len(w.sc.results) != 2 {
		w.refuse(Refusal("a return passes on all results of a call"))
		return
	}
	w.pendingBut(nil)
	names := []string{"result", "value"}
	if b, ok := w.sc.results[0].Underlying().(*types.Basic); ok && b.Info()&types.IsInteger != 0 {
		names = []string{"n", "written", "size"}
	}
	name := w.sc.free(call, names...)
	if name == "" {
		w.refuse(Refusal("there is no free name for what is returned"))
		return
	}
	w.sc.carry(s, name+", err := "+rewrite.Carried+"\nif err != nil {\nreturn "+name+", err\n}\n"+w.sc.commitText(token.NoPos)+"\nreturn "+name+", nil", call)
	w.publish()
}

// failures are the functions whose error result is never nil, or that are
// asked for an error only where there is one.
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

// leaf follows a statement or expression without control flow of its own.
func (w *walker) leaf(n ast.Node, st state, r *controlPath) state {
	ast.Inspect(n, func(n ast.Node) bool {
		if lit, ok := n.(*ast.FuncLit); w.sc.err != nil || ok && w.sc.closesIn(lit) {
			return false // a cleanup: see scanUses
		}
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if st&open != 0 {
			w.refuse(w.heard(call))
		}
		switch {
		case w.sc.err != nil:
		case w.sc.isRename(call):
			st = w.renamed(call, st, r)
		case w.sc.isMethod(call, "Close"):
			if st&open != 0 && !r.failing {
				w.refuse(Refusal("Close stands where no commit can"))
			}
			r.closed = true
		case w.sc.isMethod(call, "Name"):
		case st&open == 0 && w.sc.writesTo(call):
			w.refuse(refusef("%s uses the file after it is closed", w.sc.of(call.Fun)))
		case st&open != 0 && w.sc.temp == nil:
			w.refuse(w.pathUse(call, r))
		}
		return true
	})
	return st
}

// writesTo reports whether a call has the handle or a carrier, and not only
// the handle's name.
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

// renamed makes the rename the commit.
func (w *walker) renamed(call *ast.CallExpr, st state, r *controlPath) state {
	_, returned := w.sc.statement(call).(*ast.ReturnStmt)
	switch {
	case st != open || r.failing || r.loops > 0:
		return w.refuse(Refusal("the rename is not reached on every path that succeeds"))
	case len(w.pending) > 0:
		return w.unchecked()
	case len(w.sc.finish) > 0 && !returned:
		return w.refuse(Refusal("what is written is flushed after the rename"))
	case !w.sc.visible(call.Pos()):
		return w.refuse(refusef("another %s hides the handle at the rename", w.sc.f.Name()))
	}
	w.sc.put(call, w.sc.f.Name()+".Commit()")
	w.publish()
	return committed
}

func (sc *handleScope) isRename(call *ast.CallExpr) bool {
	return sc.temp != nil && call == sc.temp.rename
}

// quiet are the packages whose functions do no more with a path than print or
// take it apart.
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

// pathUse proves that a call does not look at the file by its name while it is
// incomplete. What used to set its mode by name does so through the handle.
func (w *walker) pathUse(call *ast.CallExpr, r *controlPath) error {
	if call == w.sc.open {
		return nil
	}
	for i, arg := range call.Args {
		if !w.sc.isPath(arg) {
			continue
		}
		if i == 0 && w.sc.pass.calls(call, "os", "Chmod") {
			w.sc.wrap(call, w.sc.f.Name()+".Chmod("+rewrite.Carried+")", call.Args[1])
			return nil
		}
		fn := w.sc.pass.callee(call)
		ofOS := fn == nil || fn.Pkg() != nil && (fn.Pkg().Path() == "os" || fn.Pkg().Path() == "io/ioutil")
		if w.sc.pass.isQuiet(call) || r.failing && !ofOS {
			continue
		}
		return refusef("%s uses the path before the file is complete", w.sc.of(call.Fun))
	}
	return nil
}

// leaks notes that the function is left at the end of a way on which the file may be open.
func (w *walker) leaks(r *controlPath) {
	if !r.closed {
		w.sc.leaks, w.sc.early = true, w.sc.early || !w.sc.deferred
	}
}
