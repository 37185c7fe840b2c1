package prove

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/syntax"
)

// scanUses proves that the handle, and whatever writes through it, stays in
// the block and is only used as *safeio.File can be.
func (sc *handleScope) scanUses() error {
	for changed := true; changed; {
		changed = sc.findWrappers()
	}
	closed := sc.closesIn(sc.body)
	err := syntax.First(sc.body, func(n ast.Node) error { return sc.at(n, sc.scanUse(n)) })
	if err == nil && !closed && !sc.onlyWritten() {
		err = Refusal("the handle is not closed in the block that opens it")
	}
	sc.leaks = sc.leaks || !closed
	return err
}

// scanUse proves so of one node.
func (sc *handleScope) scanUse(n ast.Node) error {
	switch n := n.(type) {
	case *ast.Ident:
		switch obj := sc.pass.Info.Uses[n]; {
		case obj == nil || slices.ContainsFunc(sc.idle, func(c *ast.CallExpr) bool { return syntax.Inside(n, c) }):
		case obj == sc.f:
			return sc.handleUse(n)
		case sc.wrappers[obj]:
			return sc.wrapperUse(n)
		}
	case *ast.CallExpr:
		if n != sc.open && sc.related(n) && canWrite(sc.pass.Info.TypeOf(n)) {
			return sc.stays(n)
		}
	case *ast.AssignStmt:
		return sc.shortLived(n)
	}
	return nil
}

// shortLived proves that an assignment gives nothing that writes through the handle to what was there before.
func (sc *handleScope) shortLived(n *ast.AssignStmt) error {
	for i, lhs := range n.Lhs {
		rhs := n.Rhs[min(i, len(n.Rhs)-1)]
		writes := canWrite(sc.pass.Info.TypeOf(lhs)) || len(n.Lhs) == len(n.Rhs) && canWrite(sc.pass.Info.TypeOf(rhs))
		if rhs == ast.Expr(sc.open) || !writes || !sc.related(rhs) {
			continue
		}
		obj := sc.pass.object(lhs)
		if id, ok := lhs.(*ast.Ident); !ok || id.Name != "_" && obj.Pos() < sc.open.Pos() {
			return refusef("it is not certain when %s writes to the handle", sc.of(lhs))
		}
	}
	return nil
}

// onlyWritten reports whether the handle goes to no functions but those of which is known that they
// write to it, or make an encoder of it.
func (sc *handleScope) onlyWritten() bool {
	return syntax.Every(sc.body, func(call *ast.CallExpr) bool {
		_, ok := known.Lookup(sc.pass.callee(call))
		return ok || !slices.ContainsFunc(call.Args, func(arg ast.Expr) bool { return sc.pass.object(arg) == sc.f })
	})
}

// related reports whether a node can write through the handle.
func (sc *handleScope) related(n ast.Node) bool {
	return syntax.Some(n, func(id *ast.Ident) bool {
		obj := sc.pass.Info.Uses[id]
		return obj != nil && (obj == sc.f || sc.wrappers[obj])
	})
}

// findWrappers marks the variables that are made from the handle or from
// another wrapper and have a way to write.
func (sc *handleScope) findWrappers() (changed bool) {
	mark := func(lhs ast.Expr) {
		obj := sc.pass.object(lhs)
		if obj == nil || obj == sc.f || obj.Name() == "_" || sc.wrappers[obj] {
			return
		}
		if canWrite(obj.Type()) {
			sc.wrappers[obj] = true
			changed = true
		}
	}
	ast.Inspect(sc.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, lhs := range n.Lhs {
				rhs := n.Rhs[min(i, len(n.Rhs)-1)]
				if rhs != ast.Expr(sc.open) && sc.related(rhs) {
					mark(lhs)
				}
			}
		case *ast.ValueSpec:
			for i, name := range n.Names {
				if len(n.Values) > 0 && sc.related(n.Values[min(i, len(n.Values)-1)]) {
					mark(name)
				}
			}
		}
		return true
	})
	return changed
}

func (sc *handleScope) closesIn(n ast.Node) bool {
	return syntax.Some(n, func(call *ast.CallExpr) bool { return sc.isMethod(call, "Close") })
}

// isMethod reports whether a call is f.name(…).
func (sc *handleScope) isMethod(call *ast.CallExpr, name string) bool {
	return sc.isMethodOf(call, sc.f, name)
}

// isMethodOf reports whether a call is obj.name(…).
func (sc *handleScope) isMethodOf(call *ast.CallExpr, obj types.Object, name string) bool {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	return ok && sel.Sel.Name == name && sc.pass.object(sel.X) == obj
}

// writerWords begin the names of methods through which something is written.
var writerWords = []string{"Write", "Encode", "Flush", "Close", "Print", "Append", "Create", "ReadFrom"}

// canWrite reports whether a value of the type may write to what it was made
// from.
func canWrite(t types.Type) bool {
	if t == nil || isError(t) {
		return false
	}
	if tuple, ok := t.(*types.Tuple); ok {
		return slices.ContainsFunc(slices.Collect(tuple.Variables()), func(v *types.Var) bool { return canWrite(v.Type()) })
	}
	if _, ok := t.Underlying().(*types.Signature); ok {
		return true
	}
	set := types.NewMethodSet(t)
	if _, ok := t.Underlying().(*types.Interface); !ok {
		if _, ptr := t.Underlying().(*types.Pointer); !ptr {
			set = types.NewMethodSet(types.NewPointer(t))
		}
	}
	for i := range set.Len() {
		name := set.At(i).Obj().Name()
		if slices.ContainsFunc(writerWords, func(word string) bool { return strings.HasPrefix(name, word) }) {
			return true
		}
	}
	return false
}

// handleUse proves one use of the handle.
func (sc *handleScope) handleUse(id *ast.Ident) error {
	if err := sc.closures(id, true); err != nil {
		return err
	}
	switch p := sc.parents[id].(type) {
	case *ast.SelectorExpr:
		if call, ok := sc.parents[p].(*ast.CallExpr); ok && call.Fun == ast.Expr(p) && handleMethods[p.Sel.Name] {
			return nil
		}
		return refusef("%s has no counterpart in package safeio", sc.of(p))
	case *ast.CallExpr:
		if sc.takes(p, id) && !sc.keeps(p) {
			return nil
		}
		return refusef("the handle escapes to %s", sc.of(p.Fun))
	case *ast.AssignStmt:
		if syntax.SoleCall(p) == sc.open {
			return nil
		}
	}
	return refusef("the handle %s goes elsewhere", id.Name)
}

// takes reports whether a parameter that gets the handle takes *safeio.File, too: an interface of methods that
// both have.
func (sc *handleScope) takes(call *ast.CallExpr, arg ast.Expr) bool {
	sig, ok := sc.pass.Info.TypeOf(call.Fun).(*types.Signature)
	i := slices.Index(call.Args, arg)
	if !ok || i < 0 {
		return false
	}
	last := sig.Params().Len() - 1
	t := sig.Params().At(min(i, last)).Type()
	if sig.Variadic() && i >= last {
		t = t.(*types.Slice).Elem()
	}
	iface, ok := t.Underlying().(*types.Interface)
	if !ok || iface.NumMethods() == 0 {
		return false
	}
	for m := range iface.Methods() {
		if !handleMethods[m.Name()] || m.Name() == "Close" {
			return false
		}
	}
	return true
}

// keeperWords begin the names of functions that hold on to a writer which they
// are given, to write to it later.
var keeperWords = []string{"Set", "Start", "Register", "Attach", "Redirect", "Install", "Init", "Hook", "Add",
	"Capture"}

// keeps reports whether a function may hold on to its argument.
func (sc *handleScope) keeps(call *ast.CallExpr) bool {
	fn := sc.pass.callee(call)
	return fn != nil && slices.ContainsFunc(keeperWords, func(w string) bool { return strings.HasPrefix(fn.Name(), w) })
}

// wrapperUse proves one use of a variable that writes through the handle.
func (sc *handleScope) wrapperUse(id *ast.Ident) error {
	if err := sc.closures(id, false); err != nil {
		return err
	}
	return sc.stays(id)
}

// stays proves that what writes through the handle does not leave the function where it stands:
// a variable, or what a call makes of the handle.
func (sc *handleScope) stays(e ast.Expr) error {
	switch p := sc.parents[e].(type) {
	case *ast.CallExpr:
		if p.Fun != e && sc.keeps(p) {
			return refusef("%s may keep the handle", sc.of(p.Fun))
		}
	case *ast.ParenExpr, *ast.ReturnStmt, *ast.SendStmt, *ast.CompositeLit, *ast.KeyValueExpr, *ast.RangeStmt:
		return refusef("it is not certain when %s writes to the handle", sc.of(e))
	}
	return nil
}

// closures proves that a use stands in no goroutine, and in no function literal but a deferred one that closes the
// handle.
func (sc *handleScope) closures(id *ast.Ident, handle bool) error {
	sel, _ := sc.parents[id].(*ast.SelectorExpr)
	closes := handle && sel != nil && (sel.Sel.Name == "Close" || sel.Sel.Name == "Name")
	for n := ast.Node(id); n != nil && n != ast.Node(sc.body); n = sc.parents[n] {
		_, goes := n.(*ast.GoStmt)
		if _, lit := n.(*ast.FuncLit); goes || lit && !(closes && sc.runsAtEnd(id)) {
			return refusef("a goroutine or a function literal uses %s", id.Name)
		}
	}
	return nil
}

// mayFail reports whether a call yields an error.
func (sc *handleScope) mayFail(call *ast.CallExpr) bool {
	switch t := sc.pass.Info.TypeOf(call).(type) {
	case *types.Tuple:
		return t.Len() > 0 && isError(t.At(t.Len()-1).Type())
	default:
		return isError(t)
	}
}

// rememberers are the types of package-level writers whose errors are those of
// what they write to. *safeio.File keeps its first error until Commit, so
// their errors may be dropped.
var rememberers = map[string]bool{
	"bufio.Writer": true, "text/tabwriter.Writer": true, "encoding/csv.Writer": true,
	"compress/gzip.Writer": true, "compress/zlib.Writer": true, "compress/flate.Writer": true,
}

// remembered reports whether the handle keeps whatever error the call gives.
func (sc *handleScope) remembered(call *ast.CallExpr) bool {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	if sc.pass.calls(call, "fmt", "Fprint", "Fprintf", "Fprintln") || sc.pass.calls(call, "io", "WriteString") {
		to := sc.pass.object(call.Args[0])
		return to != nil && (to == sc.f || rememberers[typeName(to.Type())])
	}
	obj := sc.pass.object(sel.X)
	if obj == nil {
		return false
	}
	if obj == sc.f {
		return sel.Sel.Name != "ReadFrom" && sel.Sel.Name != "Chmod"
	}
	return rememberers[typeName(obj.Type())] && sel.Sel.Name != "ReadFrom"
}

// typeName is the path and name of a type or of what it points to.
func typeName(t types.Type) string {
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	named, ok := t.(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return ""
	}
	return named.Obj().Pkg().Path() + "." + named.Obj().Name()
}

// flushed are the methods behind which buffered writers of the standard library hold nothing back.
var flushed = map[string]string{
	"bufio.Writer":                "Flush",
	"text/tabwriter.Writer":       "Flush",
	"compress/gzip.Writer":        "Close",
	"compress/zlib.Writer":        "Close",
	"compress/flate.Writer":       "Close",
	"archive/tar.Writer":          "Close",
	"archive/zip.Writer":          "Close",
	"mime/multipart.Writer":       "Close",
	"mime/quotedprintable.Writer": "Close",
}

// finished fails if a buffered writer is never flushed.
func (sc *handleScope) finished() error {
	for obj := range sc.wrappers {
		if flushed[typeName(obj.Type())] != "" &&
			!syntax.Some(sc.body, func(call *ast.CallExpr) bool { return sc.flushes(call) && sc.receiver(call) == obj }) {
			return Refusal("what writes to the handle is never flushed")
		}
	}
	return nil
}

// flushes reports whether a call is that behind which a buffered writer holds nothing back.
func (sc *handleScope) flushes(call *ast.CallExpr) bool {
	obj := sc.receiver(call)
	return sc.wrappers[obj] && sc.isMethodOf(call, obj, flushed[typeName(obj.Type())])
}
