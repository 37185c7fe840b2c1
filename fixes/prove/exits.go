package prove

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/lockvet/lockvet/fixes/rewrite"
)

// leave follows a return statement.
func (w *walker) leave(s *ast.ReturnStmt, st state, r *controlPath) error {
	if st&open == 0 {
		_, err := w.leaf(s, st, r)
		return err
	}
	if st&committed != 0 {
		return Refusal("the file is closed on only some of the paths to a return")
	}
	if !w.visible(s.Pos()) {
		return refusef("another %s hides the handle at a return", w.f.Name())
	}
	var last ast.Expr
	if n := len(s.Results); n > 0 {
		last = ast.Unparen(s.Results[n-1])
	}
	if call, ok := last.(*ast.CallExpr); ok && w.isMethod(call, "Close") && !r.failing && w.temp == nil {
		return w.publishReturn(s, call)
	}
	out, err := w.leaf(s, st, r)
	if err != nil {
		return err
	}
	if out&committed != 0 { // the rename
		return w.beforeReturn(s)
	}
	if r.failing {
		return w.failingReturn(last, r)
	}
	if w.temp != nil {
		w.leaks = w.leaks || !r.closed
		return nil
	}
	if !w.returnsError() {
		return Refusal("a return may be a success or a failure")
	}
	if last == nil {
		return w.bareReturn(s)
	}
	if len(s.Results) != len(w.results) {
		return Refusal("a return passes on all results of a call")
	}
	if w.isFailure(last) {
		w.leaks = w.leaks || !r.closed
		return nil
	}
	if r.closed {
		return Refusal("the file is closed before a return that may be a success")
	}
	if isNil(w.pass.Info, last) {
		return w.successReturn(s, last)
	}
	return w.unknownReturn(s, last)
}

func (w *walker) failingReturn(last ast.Expr, r *controlPath) error {
	if w.temp == nil && w.returnsError() && last != nil && isNil(w.pass.Info, last) {
		return Refusal("the function returns nil after an error")
	}
	w.leaks = w.leaks || !r.closed
	return nil
}

// publishReturn turns return f.Close() into return f.Commit().
func (w *walker) publishReturn(s *ast.ReturnStmt, call *ast.CallExpr) error {
	if err := w.beforeReturn(s); err != nil {
		return err
	}
	w.put(call, w.f.Name()+".Commit()")
	w.publish()
	return nil
}

// beforeReturn puts the deferred flushes before a return that commits.
func (w *walker) beforeReturn(s *ast.ReturnStmt) error {
	if len(w.pending) > 0 {
		return w.unchecked()
	}
	text, err := w.finishText()
	if err == nil && text != "" {
		w.before(s, strings.TrimSuffix(text, "\n"))
	}
	return err
}

// successReturn turns return nil into return f.Commit().
func (w *walker) successReturn(s *ast.ReturnStmt, last ast.Expr) error {
	w.publish()
	if len(s.Results) == 1 && w.unwritten() == "err" {
		if err := w.beforeReturn(s); err != nil {
			return err
		}
		w.put(last, w.f.Name()+".Commit()")
		return nil
	}
	if len(w.pending) > 0 {
		return w.unchecked()
	}
	text, err := w.commitText()
	if err != nil {
		return err
	}
	w.before(s, text)
	return nil
}

// bareReturn commits if the named error is nil.
func (w *walker) bareReturn(s *ast.ReturnStmt) error {
	if !w.named {
		return Refusal("a return may be a success or a failure")
	}
	fields := w.ftype.Results.List
	names := fields[len(fields)-1].Names
	name := names[len(names)-1].Name
	if name == "_" {
		return Refusal("the error result has no name")
	}
	obj := w.pass.Info.Defs[names[len(names)-1]]
	for p := range w.pending {
		if p != obj {
			return w.unchecked()
		}
	}
	var text string
	for _, f := range w.finish {
		if f.then != "" {
			return Refusal("a bare return would have to flush first")
		}
		text += "if " + name + " == nil {\n\t" + name + " = " + w.of(f.call) + "\n}\n"
	}
	text += "if " + name + " == nil {\n\t" + name + " = " + w.f.Name() + ".Commit()\n}"
	w.before(s, text)
	w.publish()
	return nil
}

// unknownReturn commits if what is returned turns out to be nil.
func (w *walker) unknownReturn(s *ast.ReturnStmt, last ast.Expr) error {
	others := w.between(s.Pos()+token.Pos(len("return")), last.Pos())
	if !w.arePure(s.Results[:len(s.Results)-1]) {
		return Refusal("a return computes more than its error")
	}
	obj := w.pass.object(last)
	for p := range w.pending {
		if p != obj {
			return w.unchecked()
		}
	}
	if obj != nil {
		return w.variableReturn(s, last, obj, others)
	}
	text, err := w.publishing(others)
	if err != nil {
		return err
	}
	w.carry(s, "if err := "+rewrite.Carried+"; err != nil {\nreturn"+others+"err\n}\n"+text, last)
	w.publish()
	return nil
}

// publishing is the text that flushes, commits and returns.
func (w *walker) publishing(others string) (string, error) {
	if strings.TrimSpace(others) == "" && w.unwritten() == "err" {
		before, err := w.finishText()
		return before + "return " + w.f.Name() + ".Commit()", err
	}
	text, err := w.commitText()
	return text + "\nreturn" + others + "nil", err
}

// variableReturn turns return err into a check of err and a commit.
func (w *walker) variableReturn(s *ast.ReturnStmt, last ast.Expr, obj types.Object, others string) error {
	if !isError(obj.Type()) {
		return Refusal("the function returns an error of its own type")
	}
	check := "if " + w.of(last) + " != nil {\n\treturn" + others + w.of(last) + "\n}\n"
	w.publish()
	if len(s.Results) == 1 && w.unwritten() == "err" {
		before, err := w.finishText()
		if err != nil {
			return err
		}
		w.before(s, strings.TrimSuffix(check+before, "\n"))
		w.put(last, w.f.Name()+".Commit()")
		return nil
	}
	text, err := w.commitText()
	if err != nil {
		return err
	}
	w.before(s, check+text)
	w.put(last, "nil")
	return nil
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
func (w *walker) leaf(n ast.Node, st state, r *controlPath) (state, error) {
	var err error
	ast.Inspect(n, func(n ast.Node) bool {
		if err != nil {
			return false
		}
		if lit, ok := n.(*ast.FuncLit); ok && w.closesIn(lit) {
			return false // a cleanup: see scanUses
		}
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if st&open != 0 {
			if err = w.heard(call); err != nil {
				return false
			}
		}
		switch {
		case w.isRename(call):
			st, err = w.renamed(call, st, r)
		case w.isMethod(call, "Close"):
			if st&open != 0 && !r.failing {
				err = Refusal("Close stands where no commit can")
			}
			r.closed = true
		case w.isMethod(call, "Name"):
		case st&open == 0 && w.writesTo(call):
			err = refusef("%s uses the file after it is closed", w.of(call.Fun))
		case st&open != 0 && w.temp == nil:
			err = w.pathUse(call, r)
		}
		return true
	})
	return st, err
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
func (w *walker) renamed(call *ast.CallExpr, st state, r *controlPath) (state, error) {
	if st != open || r.failing || r.loops > 0 {
		return 0, Refusal("the rename is not reached on every path that succeeds")
	}
	if len(w.pending) > 0 {
		return 0, w.unchecked()
	}
	if _, returned := w.statement(call).(*ast.ReturnStmt); len(w.finish) > 0 && !returned {
		return 0, Refusal("what is written is flushed after the rename")
	}
	if !w.visible(call.Pos()) {
		return 0, refusef("another %s hides the handle at the rename", w.f.Name())
	}
	w.put(call, w.f.Name()+".Commit()")
	w.publish()
	return committed, nil
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
	if call == w.open {
		return nil
	}
	for i, arg := range call.Args {
		if !w.isPath(arg) {
			continue
		}
		if i == 0 && w.pass.calls(call, "os", "Chmod") {
			w.wrap(call, w.f.Name()+".Chmod("+rewrite.Carried+")", call.Args[1])
			return nil
		}
		fn := w.pass.callee(call)
		ofOS := fn == nil || fn.Pkg() != nil && (fn.Pkg().Path() == "os" || fn.Pkg().Path() == "io/ioutil")
		if w.pass.isQuiet(call) || r.failing && !ofOS {
			continue
		}
		return refusef("%s uses the path before the file is complete", w.of(call.Fun))
	}
	return nil
}
