package prove

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/lockvet/lockvet/fixes/rewrite"
	"github.com/lockvet/lockvet/internal/finding"
)

// lookAgain looks under the lock under which an object is entered.
//
//	t, ok := m[key]                        t, ok := m[key]
//	mu.RUnlock()                           mu.RUnlock()
//	if !ok {                               if !ok {
//	        mu.Lock()                              mu.Lock()
//	        t = new(T)                             if t, ok = m[key]; !ok {
//	        m[key] = t                                     t = new(T)
//	        mu.Unlock()                                    m[key] = t
//	}                                              }
//	return t                                       mu.Unlock()
//
// Where the function returns what it found, it does so once more behind the lock.
func (s *File) lookAgain(r finding.LookAgain) (*Proof, error) {
	fd := s.declaringAt(r.Look, r.Look+1)
	if fd == nil {
		return nil, Refusal("the function is not known")
	}
	sc := s.scope(fd.Body)
	a := &relook{handleScope: sc}
	if err := a.find(r); err != nil {
		return nil, err
	}
	prove := a.returnFound
	if check := a.missing(); check != nil {
		prove = func() (rewrite.Op, error) { return a.wrap(check) }
	}
	op, err := prove()
	if err != nil {
		return nil, err
	}
	return sc.plan("Check again under the lock", op)
}

// A relook is a function that looks, and enters later what it did not find.
type relook struct {
	*handleScope
	look        *ast.AssignStmt
	value, ok   types.Object // what was found; ok is nil where the value is compared with nil
	lock, enter ast.Stmt
}

// find finds the statements.
func (a *relook) find(r finding.LookAgain) error {
	a.look, _ = a.listed(r.Look).(*ast.AssignStmt)
	a.lock, a.enter = a.listed(r.Lock), a.listed(r.Enter)
	if a.look == nil || a.lock == nil || a.enter == nil || len(a.look.Rhs) != 1 {
		return Refusal("what was found has no name")
	}
	if _, ok := ast.Unparen(a.look.Rhs[0]).(*ast.IndexExpr); !ok || !a.isPure(a.look.Rhs[0]) {
		return Refusal("the look is more than an index")
	}
	a.value = a.pass.object(a.look.Lhs[0])
	if len(a.look.Lhs) == 2 {
		a.ok = a.pass.object(a.look.Lhs[1])
	}
	if a.value == nil || a.value.Name() == "_" || a.ok != nil && a.ok.Name() == "_" {
		return Refusal("what was found has no name")
	}
	if a.pass.someVar(a.look.Rhs[0], func(v *types.Var) bool { return a.assigned(v, a.look.Pos(), a.lock.End()) }) {
		return Refusal("the key changes between the look and the lock")
	}
	if plainCall(a.lock) == nil {
		return Refusal("the lock is not taken by a statement of its own")
	}
	return nil
}

// asks reports whether a condition asks nothing but whether something was found;
// found is what it is where it holds.
func (a *relook) asks(cond ast.Expr) (found, ok bool) {
	cond = ast.Unparen(cond)
	if a.ok == nil {
		bin, is := cond.(*ast.BinaryExpr)
		return is && bin.Op == token.NEQ, a.tests(cond, token.NEQ, a.value) || a.tests(cond, token.EQL, a.value)
	}
	if not, is := cond.(*ast.UnaryExpr); is && not.Op == token.NOT {
		return false, a.pass.object(not.X) == a.ok
	}
	return true, a.pass.object(cond) == a.ok
}

// missing is the statement whose block holds the lock and the entry, for what was
// not found; nil for none.
func (a *relook) missing() *ast.IfStmt {
	check, ok := a.parents[a.parents[a.lock]].(*ast.IfStmt)
	if !ok || check.Init != nil || check.Else != nil || a.parents[a.lock] != ast.Node(check.Body) || a.parents[a.enter] != ast.Node(check.Body) {
		return nil
	}
	if found, ok := a.asks(check.Cond); !ok || found {
		return nil
	}
	return check
}

// wrap puts what stands between the lock and the unlock under a second look.
func (a *relook) wrap(check *ast.IfStmt) (rewrite.Op, error) {
	list := check.Body.List
	i := indexOf(list, a.lock)
	from := i + 1
	if from < len(list) {
		if _, deferred := list[from].(*ast.DeferStmt); deferred {
			return nil, Refusal("the lock is released with the function")
		}
	}
	unlock := len(list) - 1
	if unlock <= from || !a.unlocks(list[unlock]) {
		return nil, Refusal("the lock is not released at the end of the block")
	}
	if a.ok != nil && a.usedAfter(a.ok, check.End()) {
		return nil, refusef("%s is read again", a.ok.Name())
	}
	for _, s := range list[from:unlock] {
		if breaksAway(s) || a.declares(s, list[unlock:]) {
			return nil, Refusal("more than the entry is made under the lock")
		}
	}
	if !a.sets() {
		return nil, Refusal("the function goes on with another object than it enters")
	}
	return rewrite.Nest{Stmts: list[from:unlock], Src: a.relooks(" = ", " == nil", "!") + " {\n}"}, nil
}

// unlocks reports whether a statement lets go of the lock.
func (a *relook) unlocks(stmt ast.Stmt) bool {
	call, lock := plainCall(stmt), plainCall(a.lock)
	if call == nil {
		return false
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	other, is := lock.Fun.(*ast.SelectorExpr)
	return ok && is && sel.Sel.Name == "Unlock" && other.Sel.Name == "Lock" && types.ExprString(sel.X) == types.ExprString(other.X)
}

// sets reports whether the variable of what was found is given what is entered.
func (a *relook) sets() bool {
	enter, ok := a.enter.(*ast.AssignStmt)
	return ok && len(enter.Rhs) == 1 && a.pass.object(enter.Rhs[0]) == a.value
}

// declares reports whether a statement declares what others use.
func (a *relook) declares(stmt ast.Stmt, others []ast.Stmt) bool {
	return slices.ContainsFunc(others, func(o ast.Stmt) bool { return a.namesOf(o, []ast.Stmt{stmt}) })
}

// returnFound returns what is there by then, as the function does where the first
// look finds it.
func (a *relook) returnFound() (rewrite.Op, error) {
	var check *ast.IfStmt
	for _, s := range a.rest(a.look) {
		if c, ok := s.(*ast.IfStmt); ok && c.Init == nil && c.Else == nil {
			if found, ok := a.asks(c.Cond); ok && found {
				check = c
			}
			break
		}
	}
	var ret *ast.ReturnStmt
	if check != nil {
		ret = soleReturn(check.Body.List)
	}
	if ret == nil || len(ret.Results) == 0 || a.parents[a.lock] != ast.Node(a.body) || !a.arePure(ret.Results) {
		return nil, Refusal("it is not certain what the function does with what it finds")
	}
	behind, give := a.lock, a.of(ret)
	if rest := a.rest(a.lock); len(rest) > 0 {
		if d, ok := rest[0].(*ast.DeferStmt); ok && a.unlocks(&ast.ExprStmt{X: d.Call}) {
			behind = d
		}
	}
	if behind == a.lock {
		give = strings.Replace(a.of(a.lock), ".Lock()", ".Unlock()", 1) + "\n" + give
	}
	return rewrite.Insert{Behind: behind, Src: a.relooks(" := ", " != nil", "") + " {\n" + give + "\n}"}, nil
}

// relooks is the head of the if statement that looks again: it assigns by one operator, and asks
// the value with another, or what says whether it is there behind a third.
func (a *relook) relooks(assigns, compares, of string) string {
	left, cond := a.value.Name(), a.value.Name()+compares
	if a.ok != nil {
		left, cond = left+", "+a.ok.Name(), of+a.ok.Name()
	}
	return "if " + left + assigns + a.of(a.look.Rhs[0]) + "; " + cond
}

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
	h := &halves{handleScope: s.scope(body.Body)}
	if err := h.find(r.Lock); err != nil {
		return nil, err
	}
	if err := h.change(); err != nil {
		return nil, err
	}
	h.note(h.alone(body))
	return h.plan("Take the lock for writing")
}

// halves is a function that takes a lock for reading.
type halves struct {
	*handleScope
	lock  ast.Expr             // as the function spells it
	field types.Object         // the lock
	self  *types.Func          // the function
	reach map[*types.Func]bool // those of the package that it leads to
}

// find finds the lock that is taken at a position.
func (h *halves) find(pos token.Pos) error {
	for call := range nodes[*ast.CallExpr](h.body) {
		if call.Pos() <= pos && pos < call.End() {
			if x, name := h.pass.mutex(call); name == "RLock" {
				h.lock = x
			}
		}
	}
	if h.lock == nil {
		return Refusal("the lock is not taken by a call of RLock")
	}
	if h.field = h.lastName(h.lock); h.field == nil || h.field.Exported() || !h.isPure(h.lock) {
		return Refusal("others may take the lock")
	}
	return nil
}

// change makes every call on the lock in the function one for writing.
func (h *halves) change() error {
	for sel := range nodes[*ast.SelectorExpr](h.body) {
		switch {
		case h.lastName(sel.X) != h.field:
		case !h.runsAtEnd(sel):
			return Refusal("a function literal takes the lock, too")
		case types.ExprString(sel.X) != types.ExprString(h.lock):
			return Refusal("the function has the lock of another object, too")
		case sel.Sel.Name == "RLock", sel.Sel.Name == "RUnlock":
			h.put(sel.Sel, sel.Sel.Name[1:])
		default:
			return refusef("the function calls %s, too", h.of(sel))
		}
	}
	return nil
}

// alone proves that nothing which the function calls takes the lock, and that
// nobody who takes it calls the function.
func (h *halves) alone(fd *ast.FuncDecl) error {
	self, _ := h.pass.Info.Defs[fd.Name].(*types.Func)
	decls := maps.Collect(h.pass.funcs(h.pass.Files...))
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
	return some(body, func(sel *ast.SelectorExpr) bool {
		return taking[sel.Sel.Name] && h.lastName(sel.X) == h.field
	})
}

// under is what of a body may run under the lock: what stands between the statements that take
// it and those that let go of it in the same lists, or all of it where one has no such counterpart.
func (h *halves) under(body *ast.BlockStmt) ast.Node {
	var spans []ast.Stmt
	takings := 0
	for n := range ast.Preorder(body) {
		if sel, ok := n.(*ast.SelectorExpr); ok && taking[sel.Sel.Name] && h.lastName(sel.X) == h.field {
			takings++
		}
		list := listIn(n)
		for i, stmt := range list {
			if !h.acts(stmt, "Lock", "RLock") {
				continue
			}
			rest := list[i+1:]
			end := slices.IndexFunc(rest, func(s ast.Stmt) bool { return h.acts(s, "Unlock", "RUnlock") })
			if end < 0 || some(listOf(rest[:end]), func(s ast.Stmt) bool { return leavesList(s) }) {
				return body
			}
			spans, takings = append(spans, rest[:end]...), takings-1
		}
	}
	if takings > 0 {
		return body
	}
	return listOf(spans)
}

// acts reports whether a statement is a call of one of some methods of the lock.
func (h *halves) acts(stmt ast.Stmt, methods ...string) bool {
	x, method := h.pass.mutex(plainCall(stmt))
	return x != nil && h.lastName(x) == h.field && slices.Contains(methods, method)
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
	for call := range nodes[*ast.CallExpr](body) {
		_, lit := ast.Unparen(call.Fun).(*ast.FuncLit)
		if tv := h.pass.Info.Types[call.Fun]; lit || tv.IsType() || tv.IsBuiltin() {
			continue
		}
		fn := h.pass.callee(call)
		switch {
		case fn == nil:
			return refusef("%s is called under the lock, and what it is comes out as the program runs", types.ExprString(call.Fun))
		case fn.Signature().Recv() != nil && types.IsInterface(fn.Signature().Recv().Type()) && fn.Pkg() != nil:
			return refusef("%s, which runs under the lock, is a method of an interface", fn.Name())
		case fn == h.self:
			return refusef("%s is called under its own lock", fn.Name())
		case fn.Pkg() != h.pass.Pkg || h.reach[fn]:
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
	return some(body, func(id *ast.Ident) bool {
		fn, ok := h.pass.Info.Uses[id].(*types.Func)
		if !ok || seen[fn] {
			return false
		}
		seen[fn] = true
		return fn == target || decls[fn] != nil && h.calls(decls[fn].Body, target, decls, seen)
	})
}
