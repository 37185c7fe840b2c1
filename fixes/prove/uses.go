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
	uses := func() error {
		return syntax.First(sc.body, func(id *ast.Ident) error {
			switch obj := sc.pass.Info.Uses[id]; {
			case obj == nil || slices.ContainsFunc(sc.locks, func(c *ast.CallExpr) bool { return syntax.Inside(id, c) }):
			case obj == sc.f:
				return sc.handleUse(id)
			case sc.wrappers[obj]:
				return sc.wrapperUse(id)
			}
			return nil
		})
	}
	made := func() error {
		return syntax.First(sc.body, func(call *ast.CallExpr) error {
			if call == sc.open || !sc.related(call) || !canWrite(sc.pass.Info.TypeOf(call)) {
				return nil
			}
			return sc.stays(call, sc.of(call.Fun)+"(…)")
		})
	}
	return inOrder(uses, sc.shortLived, made)
}

// shortLived proves that the file is complete when the block ends: the handle
// is closed here, or nobody can have kept it, and nothing that writes through it was there
// before.
func (sc *handleScope) shortLived() error {
	closed := false
	var err error
	ast.Inspect(sc.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			closed = closed || sc.isMethod(n, "Close")
		case *ast.AssignStmt:
			for i, lhs := range n.Lhs {
				rhs := n.Rhs[min(i, len(n.Rhs)-1)]
				if rhs == ast.Expr(sc.open) || !sc.related(rhs) || !canWrite(sc.pass.Info.TypeOf(lhs)) {
					continue
				}
				if obj := sc.pass.object(lhs); err == nil && (obj == nil || obj.Name() != "_" && obj.Pos() < sc.open.Pos()) {
					err = refusef("%s, which writes to the handle, may outlive it", sc.of(lhs))
				}
			}
		}
		return true
	})
	if err == nil && !closed {
		if !sc.onlyWritten() {
			err = Refusal("the handle is not closed in the block that opens it")
		}
		sc.leaks = true
	}
	return err
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
	mark := func(lhs ast.Expr, rhs ast.Expr) {
		obj := sc.pass.object(lhs)
		if obj == nil || obj == sc.f || obj.Name() == "_" || sc.wrappers[obj] || sc.cleanups[obj] {
			return
		}
		if lit, ok := rhs.(*ast.FuncLit); ok {
			if sc.closesIn(lit) {
				sc.cleanups[obj] = true
			} else {
				sc.wrappers[obj] = true
			}
			changed = true
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
					mark(lhs, rhs)
				}
			}
		case *ast.ValueSpec:
			for i, name := range n.Names {
				if len(n.Values) > 0 && sc.related(n.Values[min(i, len(n.Values)-1)]) {
					mark(name, n.Values[min(i, len(n.Values)-1)])
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
	name := sc.f.Name()
	if err := sc.closures(id, true); err != nil {
		return err
	}
	switch p := sc.parents[id].(type) {
	case *ast.SelectorExpr:
		call, ok := sc.parents[p].(*ast.CallExpr)
		if !ok || call.Fun != ast.Expr(p) {
			return refusef("%s.%s is used as a value", name, p.Sel.Name)
		}
		if !handleMethods[p.Sel.Name] {
			return refusef("a pending file has no %s", p.Sel.Name)
		}
		return nil
	case *ast.CallExpr:
		return sc.argument(p, id, name)
	case *ast.AssignStmt:
		if syntax.SoleCall(p) == sc.open {
			return nil
		}
	case *ast.BinaryExpr:
		if isNil(sc.pass.Info, p.Y) || isNil(sc.pass.Info, p.X) {
			return nil
		}
	case *ast.ReturnStmt:
		return Refusal("the handle is returned")
	}
	return refusef("the handle %s is stored", name)
}

// argument proves that a parameter which gets the handle takes *safeio.File
// too: an interface of methods that both have.
func (sc *handleScope) argument(call *ast.CallExpr, arg ast.Expr, name string) error {
	callee := sc.of(call.Fun)
	sig, ok := sc.pass.Info.TypeOf(call.Fun).(*types.Signature)
	if !ok {
		return refusef("the handle %s is converted", name)
	}
	if err := sc.keeps(call); err != nil {
		return err
	}
	i, last := slices.Index(call.Args, arg), sig.Params().Len()-1
	if i < 0 {
		return refusef("the handle escapes to %s", callee)
	}
	t := sig.Params().At(min(i, last)).Type()
	if sig.Variadic() && i >= last {
		t = t.(*types.Slice).Elem()
	}
	return sc.takes(t, callee)
}

// keeperWords begin the names of functions that hold on to a writer which they
// are given, to write to it later.
var keeperWords = []string{"Set", "Start", "Register", "Attach", "Redirect", "Install", "Init", "Hook", "Add",
	"Capture"}

// keeps fails if a function may hold on to its argument.
func (sc *handleScope) keeps(call *ast.CallExpr) error {
	fn := sc.pass.callee(call)
	if fn != nil && slices.ContainsFunc(keeperWords, func(w string) bool { return strings.HasPrefix(fn.Name(), w) }) {
		return refusef("%s may keep the handle", sc.of(call.Fun))
	}
	return nil
}

// takes proves that a parameter of the type can hold *safeio.File.
func (sc *handleScope) takes(t types.Type, what string) error {
	iface, ok := t.Underlying().(*types.Interface)
	if !ok || iface.NumMethods() == 0 {
		return refusef("the handle escapes to %s as %s", what, types.TypeString(t, types.RelativeTo(sc.pass.Pkg)))
	}
	for i := range iface.NumMethods() {
		switch m := iface.Method(i).Name(); {
		case !handleMethods[m]:
			return refusef("%s takes an interface with %s, which a pending file has not", what, m)
		case m == "Close":
			return refusef("%s may close the handle", what)
		}
	}
	return nil
}

// wrapperUse proves one use of a variable that writes through the handle.
func (sc *handleScope) wrapperUse(id *ast.Ident) error {
	if err := sc.closures(id, false); err != nil {
		return err
	}
	obj := sc.pass.Info.Uses[id]
	if v, ok := obj.(*types.Var); ok && (v.IsField() || v.Parent() == sc.pass.Pkg.Scope()) {
		return refusef("%s, which writes to the handle, outlives the function", id.Name)
	}
	return sc.stays(id, id.Name)
}

// stays proves that what writes through the handle does not leave the function where it stands:
// a variable, or what a call makes of the handle.
func (sc *handleScope) stays(e ast.Expr, name string) error {
	switch p := sc.parents[e].(type) {
	case *ast.ParenExpr:
		return sc.stays(p, name)
	case *ast.CallExpr:
		if p.Fun != e {
			return sc.keeps(p)
		}
	case *ast.ReturnStmt:
		return refusef("%s, which writes to the handle, is returned", name)
	case *ast.AssignStmt:
		for i, rhs := range p.Rhs {
			if rhs != e || len(p.Lhs) != len(p.Rhs) {
				continue
			}
			if _, ok := p.Lhs[i].(*ast.Ident); !ok {
				return refusef("%s, which writes to the handle, is stored", name)
			}
		}
	case *ast.SendStmt, *ast.CompositeLit, *ast.KeyValueExpr:
		return refusef("%s, which writes to the handle, is stored", name)
	}
	return nil
}

// closures proves that a use stands in no goroutine, and in no function literal but one that closes the handle: a
// deferred one, or one that a variable has.
func (sc *handleScope) closures(id *ast.Ident, handle bool) error {
	sel, _ := sc.parents[id].(*ast.SelectorExpr)
	closes := handle && sel != nil && (sel.Sel.Name == "Close" || sel.Sel.Name == "Name")
	for n := ast.Node(id); n != nil && n != ast.Node(sc.body); n = sc.parents[n] {
		switch n := n.(type) {
		case *ast.GoStmt:
			return refusef("a goroutine uses %s", id.Name)
		case *ast.FuncLit:
			_, assigned := sc.parents[n].(*ast.AssignStmt)
			if !closes || !assigned && !sc.runsAtEnd(id) {
				return refusef("a function literal uses %s", id.Name)
			}
		}
	}
	return nil
}

// dropped fails if a call whose error is not looked at can leave the content
// incomplete without the handle knowing.
func (sc *handleScope) dropped(call *ast.CallExpr) error {
	if !sc.related(call) || !sc.mayFail(call) || sc.remembered(call) {
		return nil
	}
	return refusef("the error of %s is dropped, so the content may be incomplete", sc.of(call.Fun))
}

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

// A finisher is a call after which a buffered writer holds nothing back.
type finisher struct {
	call *ast.CallExpr
	// then is what tells whether it failed: the call itself, or another method.
	then string
	// once: a second call is an error or writes again.
	once bool
}

type finishing struct {
	method, then   string
	optional, once bool
}

// finishers are the calls that end buffered writers of the standard library.
// Unless once, they may run again without effect.
// An optional one is called by the type's other methods too.
var finishers = map[string]finishing{
	"bufio.Writer":                {method: "Flush"},
	"text/tabwriter.Writer":       {method: "Flush"},
	"encoding/csv.Writer":         {method: "Flush", then: "Error", optional: true},
	"compress/gzip.Writer":        {method: "Close"},
	"compress/zlib.Writer":        {method: "Close"},
	"compress/flate.Writer":       {method: "Close"},
	"archive/tar.Writer":          {method: "Close"},
	"archive/zip.Writer":          {method: "Close", once: true},
	"encoding/xml.Encoder":        {method: "Close", optional: true},
	"mime/multipart.Writer":       {method: "Close", once: true},
	"mime/quotedprintable.Writer": {method: "Close", once: true},
}

// ending is the writer that a call ends, with what is known of its type; nil for other calls.
func (sc *handleScope) ending(call *ast.CallExpr) (ast.Expr, finishing) {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return nil, finishing{}
	}
	row := finishers[typeName(sc.pass.Info.TypeOf(sel.X))]
	if row.method != sel.Sel.Name {
		return nil, finishing{}
	}
	return sel.X, row
}

func (sc *handleScope) finisher(call *ast.CallExpr) (finisher, bool) {
	x, row := sc.ending(call)
	obj := sc.pass.object(x)
	if obj == nil || !sc.wrappers[obj] {
		return finisher{}, false
	}
	f := finisher{call: call, once: row.once}
	if row.then != "" {
		f.then = obj.Name() + "." + row.then + "()"
	}
	return f, true
}

// finished fails if a buffered writer is never flushed.
func (sc *handleScope) finished() error {
	done := make(objects)
	for call := range syntax.Nodes[*ast.CallExpr](sc.body) {
		if x, _ := sc.ending(call); x != nil {
			done[sc.pass.object(x)] = true
		}
	}
	first := types.Object(nil)
	for obj := range sc.wrappers {
		row, ok := finishers[typeName(obj.Type())]
		if ok && !row.optional && !done[obj] && (first == nil || obj.Pos() < first.Pos()) {
			first = obj
		}
	}
	if first != nil {
		return refusef("%s is never flushed", first.Name())
	}
	return nil
}
