package prove

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"

	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/syntax"
)

// lockToWrite takes the lock for writing, and lets go of that:
//
//	c.mu.RLock()               c.mu.Lock()
//	defer c.mu.RUnlock()       defer c.mu.Unlock()
//
// Whoever has a lock for writing must not take it again, as readers may: nothing
// that runs under it, and nobody who calls the function under it, does.
func (s *File) lockToWrite(r finding.LockToWrite) (*Proof, error) {
	body := s.declaringAt(r.Lock, r.Lock+1)
	if body == nil {
		return nil, Refusal("the function that takes the lock is not known")
	}
	h := &halves{sc: s.scope(body.Body)}
	if err := h.find(r.Lock); err != nil {
		return nil, err
	}
	if err := h.change(); err != nil {
		return nil, err
	}
	h.sc.note(h.alone(body))
	return h.sc.plan("Take the lock for writing")
}

// halves is a function that takes a lock for reading.
type halves struct {
	sc    *handleScope
	lock  ast.Expr             // as the function spells it
	field types.Object         // the lock
	self  *types.Func          // the function
	reach map[*types.Func]bool // those of the package that it leads to
}

// find finds the lock that is taken at a position.
func (h *halves) find(pos token.Pos) error {
	for call := range syntax.Nodes[*ast.CallExpr](h.sc.body) {
		if call.Pos() <= pos && pos < call.End() {
			if x, name := h.sc.pass.mutex(call); name == "RLock" {
				h.lock = x
			}
		}
	}
	if h.lock == nil {
		return Refusal("the lock is not taken by a call of RLock")
	}
	if h.field = h.sc.lastName(h.lock); h.field == nil || h.field.Exported() || !h.sc.isPure(h.lock) {
		return Refusal("others may take the lock")
	}
	return nil
}

// change makes every call on the lock in the function one for writing.
func (h *halves) change() error {
	for sel := range syntax.Nodes[*ast.SelectorExpr](h.sc.body) {
		switch {
		case h.sc.lastName(sel.X) != h.field:
		case !h.sc.runsAtEnd(sel):
			return Refusal("a function literal takes the lock, too")
		case types.ExprString(sel.X) != types.ExprString(h.lock):
			return Refusal("the function has the lock of another object, too")
		case sel.Sel.Name == "RLock", sel.Sel.Name == "RUnlock":
			h.sc.put(sel.Sel, sel.Sel.Name[1:])
		default:
			return refusef("the function calls %s, too", h.sc.of(sel))
		}
	}
	return nil
}

// alone proves that nothing which the function calls takes the lock, and that
// nobody who takes it calls the function.
func (h *halves) alone(fd *ast.FuncDecl) error {
	self, _ := h.sc.pass.Info.Defs[fd.Name].(*types.Func)
	decls := maps.Collect(h.sc.pass.funcs(h.sc.pass.Files...))
	h.self, h.reach = self, map[*types.Func]bool{}
	if err := h.closed(fd.Body, decls); err != nil {
		return err
	}
	for fn, decl := range decls {
		if fn == self || !h.takes(decl.Body) {
			continue
		}
		if h.reach[fn] {
			return refusef("%s, which runs under the lock, takes it, too", fn.Name())
		}
		if h.calls(h.under(decl.Body), self, decls, map[*types.Func]bool{}) {
			return refusef("%s, which takes the lock, calls the function", fn.Name())
		}
		if called[fn.Name()] {
			return refusef("%s takes the lock, and what runs under it may call that", fn.Name())
		}
	}
	return nil
}

// called are the methods that other packages call of what they are given.
var called = map[string]bool{
	"String": true, "GoString": true, "Error": true, "Format": true, "MarshalJSON": true, "UnmarshalJSON": true, "MarshalText": true,
	"UnmarshalText": true, "MarshalYAML": true, "GobEncode": true, "Write": true, "Read": true, "Close": true, "Len": true, "Less": true,
	"Swap": true, "LogValue": true,
}

// takes reports whether a body takes the lock, of whatever object.
func (h *halves) takes(body ast.Node) bool {
	return syntax.Some(body, func(sel *ast.SelectorExpr) bool {
		return taking[sel.Sel.Name] && h.sc.lastName(sel.X) == h.field
	})
}

// under is what of a body may run under the lock: what stands between the statements that take
// it and those that let go of it in the same lists, or all of it where one has no such counterpart.
func (h *halves) under(body *ast.BlockStmt) ast.Node {
	var spans []ast.Stmt
	takings := 0
	for n := range ast.Preorder(body) {
		if sel, ok := n.(*ast.SelectorExpr); ok && taking[sel.Sel.Name] && h.sc.lastName(sel.X) == h.field {
			takings++
		}
		list := syntax.ListIn(n)
		for i, stmt := range list {
			if !h.acts(stmt, "Lock", "RLock") {
				continue
			}
			rest := list[i+1:]
			end := slices.IndexFunc(rest, func(s ast.Stmt) bool { return h.acts(s, "Unlock", "RUnlock") })
			if end < 0 || syntax.Some(syntax.List(rest[:end]), func(s ast.Stmt) bool { return leavesList(s) }) {
				return body
			}
			spans, takings = append(spans, rest[:end]...), takings-1
		}
	}
	if takings > 0 {
		return body
	}
	return syntax.List(spans)
}

// acts reports whether a statement is a call of one of some methods of the lock.
func (h *halves) acts(stmt ast.Stmt, methods ...string) bool {
	x, method := h.sc.pass.mutex(syntax.PlainCall(stmt))
	return x != nil && h.sc.lastName(x) == h.field && slices.Contains(methods, method)
}

// leavesList reports whether a statement returns, or jumps.
func leavesList(s ast.Stmt) bool {
	switch s.(type) {
	case *ast.ReturnStmt, *ast.BranchStmt:
		return true
	}
	return false
}

// taking are the methods of a mutex that take it.
var taking = map[string]bool{"Lock": true, "RLock": true, "TryLock": true, "TryRLock": true}

// closed notes the functions of the package that a body leads to, and fails if it
// calls one that cannot be told.
func (h *halves) closed(body ast.Node, decls map[*types.Func]*ast.FuncDecl) error {
	for call := range syntax.Nodes[*ast.CallExpr](body) {
		_, lit := ast.Unparen(call.Fun).(*ast.FuncLit)
		if tv := h.sc.pass.Info.Types[call.Fun]; lit || tv.IsType() || tv.IsBuiltin() {
			continue
		}
		fn := h.sc.pass.callee(call)
		switch {
		case fn == nil:
			return refusef("%s is called under the lock, and what it is comes out as the program runs", types.ExprString(call.Fun))
		case fn.Signature().Recv() != nil && types.IsInterface(fn.Signature().Recv().Type()) && fn.Pkg() != nil:
			return refusef("%s, which runs under the lock, is a method of an interface", fn.Name())
		case fn == h.self:
			return refusef("%s is called under its own lock", fn.Name())
		case fn.Pkg() != h.sc.pass.Pkg || h.reach[fn]:
			continue
		case decls[fn] == nil:
			return refusef("%s, which runs under the lock, cannot be seen", fn.Name())
		}
		h.reach[fn] = true
		if err := h.closed(decls[fn].Body, decls); err != nil {
			return err
		}
	}
	return nil
}

// calls reports whether a body calls a function, through others of the package.
func (h *halves) calls(body ast.Node, target *types.Func, decls map[*types.Func]*ast.FuncDecl, seen map[*types.Func]bool) bool {
	return syntax.Some(body, func(id *ast.Ident) bool {
		fn, ok := h.sc.pass.Info.Uses[id].(*types.Func)
		if !ok || seen[fn] {
			return false
		}
		seen[fn] = true
		return fn == target || decls[fn] != nil && h.calls(decls[fn].Body, target, decls, seen)
	})
}
