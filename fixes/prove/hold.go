package prove

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/lockvet/lockvet/fixes/rewrite"
	"github.com/lockvet/lockvet/internal/finding"
)

// holdLock turns a file that keeps others out by being there into a lock:
//
//	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL, 0o600)     held, err := safeio.TryLock(path)
//	if os.IsExist(err) {                                          if errors.Is(err, safeio.ErrLocked) {
//	        if stale(path) {
//	                os.Remove(path)
//	        }
//	        continue                                                      continue
//	}                                                             }
//	f.Close()
//	defer os.Remove(path)                                         defer held.Unlock()
//
// What looks at the file, writes it and takes a stale one away is dropped. The
// function goes on to wait, give up and report as it did. Where that cannot be,
// the other end state is planned.
func (s *File) holdLock(r finding.HoldLock) (*Proof, error) {
	p, err := s.holds(r)
	return s.proveOr(p, err, r.Else)
}

func (s *File) holds(r finding.HoldLock) (*Proof, error) {
	h := &holding{handleScope: s.scope(r.Body), take: "TryLock", gone: map[ast.Stmt]bool{}, spoken: map[ast.Stmt]bool{}, vars: objects{}}
	h.open = r.Make
	looking, write := func() error { return h.looking(r.Looks) }, func() error { h.write(); return nil }
	h.note(inOrder(h.making, h.unprobed, h.remaking, looking, h.writing, h.releasing, h.asking, h.leftovers, write, h.dropUnused))
	return h.plan("Take a lock that ends with the process, with " + s.safeio + "." + h.take + "; builds from before do not see it")
}

// A holding is a function that makes a file to keep others out.
type holding struct {
	*handleScope
	stmt   ast.Stmt     // that makes the file
	fail   string       // the name of the error of making it
	failed types.Object // that error, nil where it is declared anew
	take   string       // the function of safeio that takes the lock
	held   string       // the name of the lock
	errors string       // the name of package errors

	// again is the statement that makes the file a second time, nil for none.
	again *ast.IfStmt

	// gone are the statements that are dropped, each with all that is in it; vars
	// are the variables that they set.
	gone map[ast.Stmt]bool
	vars objects
	// spoken are those of them whose comment above speaks of what stays.
	spoken map[ast.Stmt]bool
	// retries says that it goes round again where it finds the file before it makes
	// it.
	retries bool
	// refusal is what the function does where another has the lock; at is where it
	// stands, nil for directly behind the taking of it.
	refusal string
	at      ast.Stmt
}

// making finds the statement that makes the file.
func (h *holding) making() error {
	p := h.pass
	if !p.calls(h.open, "os", "OpenFile", "Create") && !p.writesFile(h.open) {
		return Refusal("the lock file is not made by a call of package os")
	}
	h.first()
	h.path = ast.Unparen(h.open.Args[0])
	if !h.isPure(h.path) || p.someVar(h.path, func(v *types.Var) bool { return h.assigned(v, h.open.Pos(), h.body.End()) }) {
		return Refusal("the path of the lock file may change")
	}
	if h.errors, _ = h.StdName("errors"); h.errors == "" {
		return Refusal("the name errors is taken")
	}
	if h.held = h.free(h.open, "held", "locked", "fileLock"); h.held == "" {
		return Refusal("there is no free name for the lock")
	}
	h.stmt = h.statement(h.open)
	if p.writesFile(h.open) {
		return h.written()
	}
	if soleCall(h.stmt) != h.open || !isDefine(h.stmt) {
		return Refusal("the open file is not declared where it is made")
	}
	assign := h.stmt.(*ast.AssignStmt)
	file, _ := assign.Lhs[0].(*ast.Ident)
	h.f, h.failed = p.Info.Defs[file], h.errorOf(assign)
	if h.failed == nil || h.f == nil {
		return Refusal("the error of making the lock file is dropped")
	}
	h.fail = h.failed.Name()
	return nil
}

// first goes back from a second attempt to make the file, once a stale one is out
// of the way, to the first:
//
//	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL, 0o600)
//	if err != nil {
//	        ...
//	        f, err = os.OpenFile(path, os.O_CREATE|os.O_EXCL, 0o600)
func (h *holding) first() {
	again, ok := h.statement(h.open).(*ast.AssignStmt)
	if !ok || again.Tok != token.ASSIGN || soleCall(again) != h.open || len(again.Lhs) != 2 {
		return
	}
	for n := h.parents[again]; n != nil; n = h.parents[n] {
		check, ok := n.(*ast.IfStmt)
		list := h.siblings(check)
		if i := indexOf(list, check); ok && i > 0 {
			call := soleCall(list[i-1])
			if call != nil && h.pass.calls(call, "os", "OpenFile") && h.of(call) == h.of(h.open) && h.pass.object(list[i-1].(*ast.AssignStmt).Lhs[0]) == h.pass.object(again.Lhs[0]) {
				h.open, h.again = call, check
				return
			}
		}
	}
}

// remaking puts how the function gives up in the place of all that it does where
// the file is there, if that is to make it again or to give up.
func (h *holding) remaking() error {
	if h.again == nil {
		return nil
	}
	if h.again.Init != nil || h.again.Else != nil || h.failed == nil || !h.tests(h.again.Cond, token.NEQ, h.failed) {
		return Refusal("it is made again where more than an error is asked for")
	}
	text := ""
	err := first(h.again.Body, func(n ast.Node) error {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.GoStmt, *ast.DeferStmt, *ast.SelectStmt, *ast.BranchStmt, *ast.ForStmt, *ast.RangeStmt:
			return Refusal("more is done where the file is there than to make it again")
		case *ast.ReturnStmt:
			if h.namesOf(n, h.again.Body.List) {
				return Refusal("what it returns where another has the lock tells what the file holds")
			} else if text != "" && text != h.of(n) {
				return Refusal("it gives up in several ways where another has the lock")
			}
			text = h.of(n)
		case *ast.CallExpr:
			switch {
			case n == h.open, h.pass.calls(n, "os", "OpenFile") && h.isPath(n.Args[0]):
			case h.pass.isQuiet(n) && !h.pureCall(n):
				return Refusal("it says more where another has the lock")
			default:
				return h.isLook(n, objects{})
			}
		}
		return nil
	})
	if err == nil && text == "" {
		err = Refusal("it is not certain what it does where another has the lock")
	}
	if err != nil {
		return err
	}
	list := h.again.Body.List
	for _, stmt := range list {
		h.gone[stmt] = true
	}
	h.do(rewrite.Change{Stmts: list, Src: text, Gone: rewrite.About(rewrite.Anything)})
	return nil
}

// unprobed proves that no other function which only asks for a file names this one
// as the function does: by the same text, constant, field or function.
func (h *holding) unprobed() error {
	texts, objs := map[string]bool{}, objects{}
	spelled := ast.Node(h.path)
	if value := h.value(h.pass.object(h.path)); value != nil {
		spelled = value
	}
	for n := range ast.Preorder(spelled) {
		switch n := n.(type) {
		case *ast.BasicLit:
			texts[n.Value] = true
		case *ast.Ident:
			obj := h.pass.Info.Uses[n]
			if _, pkg := obj.(*types.PkgName); pkg || obj == nil || obj.Pkg() != h.pass.Pkg {
				break
			}
			at := ast.Expr(n)
			if sel, ok := h.parents[n].(*ast.SelectorExpr); ok && sel.Sel == n {
				at = sel
			}
			if v, isVar := obj.(*types.Var); !isVar || obj.Parent() == h.pass.Pkg.Scope() || v.IsField() && h.isPath(at) {
				objs[obj] = true
			}
		}
	}
	spells := func(n ast.Node) bool {
		lit, isLit := n.(*ast.BasicLit)
		id, isIdent := n.(*ast.Ident)
		return isLit && texts[lit.Value] || isIdent && objs[h.pass.Info.Uses[id]]
	}
	probes := func(call *ast.CallExpr) bool { return h.pass.calls(call, "os", "Stat", "Lstat") }
	for fn, fd := range h.pass.funcs(h.pass.Files...) {
		if fd.Body != h.declaring(h.open) && some(fd.Body, probes) && some(fd.Body, spells) && !h.pass.mentions(h.body, fn) {
			return refusef("%s asks for the file, and would not see a lock", fd.Name.Name)
		}
	}
	return nil
}

// written finds the check of a call that makes the file and writes it.
func (h *holding) written() error {
	_, fail, err := h.names()
	if err != nil {
		return err
	}
	h.fail = fail
	assign, ok := h.parents[h.open].(*ast.AssignStmt)
	if !ok || len(assign.Lhs) != 1 || assign.Tok != token.DEFINE {
		return Refusal("the error of making the lock file is not checked at once")
	}
	if ast.Stmt(assign) != h.stmt && !h.headsDefining(h.outcome(h.open)) {
		return Refusal("the error of making the lock file is not checked at once")
	}
	return nil
}

// removal reports whether a call removes the lock file.
func (h *holding) removal(call *ast.CallExpr) bool {
	return h.pass.calls(call, "os", "Remove", "RemoveAll") && h.isPath(call.Args[0])
}

// dropped reports whether a node is in a statement that is dropped.
func (h *holding) dropped(n ast.Node) bool {
	for ; n != nil; n = h.parents[n] {
		if stmt, ok := n.(ast.Stmt); ok && h.gone[stmt] {
			return true
		}
	}
	return false
}

// remaining calls f for each node that is not dropped, until f fails.
func (h *holding) remaining(f func(n ast.Node) error) (err error) {
	return first(h.body, func(n ast.Node) error {
		if h.dropped(n) {
			return nil
		}
		return f(n)
	})
}

// releasing makes every removal of the file that is left an unlock.
func (h *holding) releasing() error {
	n := 0
	err := h.remaining(func(n2 ast.Node) error {
		call, ok := n2.(*ast.CallExpr)
		if !ok || !h.removal(call) {
			return nil
		}
		n++
		switch block := h.parents[h.stmt]; {
		case call.Pos() < h.stmt.End():
			return Refusal("the file is removed before it is made")
		case !inside(call, block):
			return h.deferEarlier(call)
		}
		h.put(call, h.held+".Unlock()")
		return nil
	})
	if err == nil && n == 0 {
		return Refusal("nothing in this function releases it, and nothing that it returns could hold the lock")
	}
	return err
}

// deferEarlier defers the unlock where the lock is had, in the place of a deferred
// removal right behind the loop that waits for it:
//
//	if err == nil {               if err == nil {
//	        break                         defer held.Unlock()
//	}                                     break
//	...                           }
//	}                             ...
//	defer os.Remove(path)         }
func (h *holding) deferEarlier(call *ast.CallExpr) error {
	no := Refusal("the file is removed where the lock is not known")
	stmt, ok := h.statement(call).(*ast.DeferStmt)
	if !ok || stmt.Call != call {
		return no
	}
	list := h.siblings(stmt)
	i := indexOf(list, stmt)
	if i < 1 || !inside(h.stmt, list[i-1]) {
		return no
	}
	brk := h.soleBreak(list[i-1])
	if brk == nil {
		return no
	}
	check, ok := h.parents[h.parents[brk]].(*ast.IfStmt)
	if !ok || check.Init != nil || h.failed == nil || !h.tests(check.Cond, token.EQL, h.failed) {
		return no
	}
	h.gone[stmt] = true
	h.before(brk, h.deferring(h.held+".Unlock()"))
	return nil
}

// soleBreak is the only statement that leaves a loop for what follows it.
func (h *holding) soleBreak(loop ast.Stmt) *ast.BranchStmt {
	if f, ok := loop.(*ast.ForStmt); !ok || f.Cond != nil {
		return nil
	}
	var found []*ast.BranchStmt
	for b := range nodes[*ast.BranchStmt](loop) {
		if b.Tok != token.CONTINUE {
			found = append(found, b)
		}
	}
	if len(found) != 1 || found[0].Label != nil {
		return nil
	}
	for n := h.parents[found[0]]; n != ast.Node(loop); n = h.parents[n] {
		switch n.(type) {
		case *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt, *ast.ForStmt, *ast.RangeStmt:
			return nil
		}
	}
	return found[0]
}

// asking makes every question whether the file exists already one whether another
// has the lock.
func (h *holding) asking() error {
	asked := false
	err := h.remaining(func(n ast.Node) error {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) == 0 || h.failed == nil || h.pass.object(call.Args[0]) != h.failed {
			return nil
		}
		if h.pass.calls(call, "os", "IsExist") || h.pass.calls(call, "errors", "Is") && slices.Contains([]string{"ErrExist", "EEXIST"}, h.pass.stdError(call.Args[1])) {
			h.put(call, h.isLocked())
			asked = true
		}
		return nil
	})
	if err == nil && h.retries && !asked {
		return Refusal("it looks again while the file is there, and would give up")
	}
	return err
}

// isLocked is the question whether another has the lock.
func (h *holding) isLocked() string {
	return h.errors + ".Is(" + h.fail + ", " + h.safeio + ".ErrLocked)"
}

// stdError is the name of the error of the file system that an expression is, empty for others.
func (p Pass) stdError(e ast.Expr) string {
	sel, ok := ast.Unparen(e).(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	if obj := p.Info.Uses[sel.Sel]; obj != nil && obj.Pkg() != nil && slices.Contains([]string{"os", "io/fs", "syscall", "golang.org/x/sys/unix"}, obj.Pkg().Path()) {
		return obj.Name()
	}
	return ""
}

// leftovers proves that nothing that stays needs what is dropped: the file at the
// path, or the variables.
func (h *holding) leftovers() error {
	return h.remaining(func(n ast.Node) error {
		if id, ok := n.(*ast.Ident); ok {
			if obj := h.pass.Info.Uses[id]; obj != nil && (obj == h.f || h.vars[obj]) && !h.changed(id) {
				return refusef("%s is used besides", id.Name)
			}
		}
		e, ok := n.(ast.Expr)
		if !ok || !h.isPath(e) || e == h.path || h.changed(e) {
			return nil
		}
		return h.pathUse(e)
	})
}

// pathUse proves that a use of the path does not lead to the file.
func (h *holding) pathUse(e ast.Expr) error {
	if id, ok := e.(*ast.Ident); ok && h.pass.Info.Defs[id] != nil {
		return nil
	}
	switch p := h.parents[e].(type) {
	case *ast.AssignStmt:
		if !slices.Contains(p.Lhs, e) {
			return Refusal("the path of the lock file is kept under another name")
		}
		return nil
	case *ast.CallExpr:
		if h.pass.isQuiet(p) || h.pureCall(p) {
			return nil
		}
		return refusef("%s gets the path of the lock file, too", h.of(p.Fun))
	case *ast.BinaryExpr, *ast.SelectorExpr:
		return nil
	case *ast.KeyValueExpr: // of an error, or of what its address is
		t := h.pass.Info.TypeOf(h.parents[p].(*ast.CompositeLit))
		if iface := errorType.Underlying().(*types.Interface); types.Implements(t, iface) || types.Implements(types.NewPointer(t), iface) {
			return nil
		}
	}
	return Refusal("the path of the lock file is handed on")
}

// write lays the edits.
func (h *holding) write() {
	for stmt := range h.gone {
		if !h.dropped(h.parents[stmt]) && stmt != h.at && !(h.again != nil && h.parents[stmt] == ast.Node(h.again.Body)) {
			h.do(rewrite.Drop{Stmt: stmt, Gone: h.idle(stmt)})
		}
	}
	refuse := ""
	if h.refusal != "" {
		refuse = "if " + h.isLocked() + " {\n\t" + h.refusal + "\n}"
	}
	if h.at != nil {
		h.change(h.at, refuse)
		refuse = ""
	}
	arg := h.open.Args[0]
	take := h.safeio + "." + h.take + "(" + rewrite.Carried + ")"
	switch stmt := h.stmt.(type) {
	case *ast.IfStmt:
		h.do(rewrite.Insert{Before: stmt, Src: h.held + ", " + h.fail + " := " + take + "\n" + refuse, Carry: arg}, rewrite.DropInit{If: stmt, But: arg})
	case *ast.AssignStmt:
		if len(stmt.Lhs) == 1 {
			h.carry(stmt, h.held+", "+h.fail+" := "+take, arg)
		} else {
			h.put(stmt.Lhs[0], h.held)
			h.wrap(h.open, take, arg)
		}
		if refuse != "" {
			h.after(stmt, refuse)
		}
	}
}

// writing drops what writes the file and closes it, with the checks of the errors.
func (h *holding) writing() error {
	if h.f == nil {
		return nil
	}
	var uses []*ast.Ident
	for id := range nodes[*ast.Ident](h.body) {
		if h.pass.Info.Uses[id] == h.f && !h.dropped(id) {
			uses = append(uses, id)
		}
	}
	for _, id := range uses {
		if h.dropped(id) {
			continue
		}
		if err := h.use(id); err != nil {
			return err
		}
	}
	return nil
}

// use drops one use of the open file.
func (h *holding) use(id *ast.Ident) error {
	call := h.callOf(id)
	if call == nil {
		return Refusal("the open file is handed on")
	}
	if h.isName(call) {
		if remove, ok := h.parents[call].(*ast.CallExpr); !ok || !h.removal(remove) {
			h.put(call, h.of(h.path))
		}
		return nil
	}
	o, closes := h.outcome(call), h.isMethod(call, "Close")
	switch s := o.stmt.(type) {
	case *ast.ReturnStmt:
		if o.returned() && closes {
			h.put(call, "nil")
			return nil
		}
	case *ast.DeferStmt:
		if s.Call == call && closes {
			return h.dropWrite(s)
		}
	case *ast.ExprStmt, *ast.AssignStmt, *ast.IfStmt:
		return h.dropWrite(s)
	}
	return Refusal("the open file is handed on")
}

// callOf is the call that uses the open file: a method of it, or a function that
// writes to it.
func (h *holding) callOf(id *ast.Ident) *ast.CallExpr {
	switch p := h.parents[id].(type) {
	case *ast.SelectorExpr:
		if call, ok := h.parents[p].(*ast.CallExpr); ok && call.Fun == ast.Expr(p) {
			return call
		}
	case *ast.CallExpr:
		if h.pass.calls(p, "fmt", "Fprint", "Fprintf", "Fprintln") || h.pass.calls(p, "io", "WriteString") {
			return p
		}
		if h.pass.calls(p, "encoding/json", "NewEncoder") {
			if sel, ok := h.parents[p].(*ast.SelectorExpr); ok {
				call, _ := h.parents[sel].(*ast.CallExpr)
				return call
			}
		}
	}
	return nil
}

// dropWrite drops a statement that writes or closes the file, and the check of its
// error.
func (h *holding) dropWrite(stmt ast.Stmt) error {
	if err := h.isWrite(stmt); err != nil {
		return err
	}
	h.gone[stmt] = true
	assign, ok := stmt.(*ast.AssignStmt)
	if !ok {
		return nil
	}
	for _, lhs := range assign.Lhs {
		obj := h.pass.object(lhs)
		switch {
		case obj == nil || obj.Name() == "_":
			continue
		case !isError(obj.Type()):
			return refusef("%s is kept of writing the file", obj.Name())
		}
		if err := h.dropCheckOf(obj, assign); err != nil {
			return err
		}
		if id, ok := lhs.(*ast.Ident); ok && h.pass.Info.Defs[id] != nil {
			h.vars[obj] = true
		}
	}
	return nil
}

// dropCheckOf drops the check of an error of writing the file: the next statement,
// others that write it aside.
func (h *holding) dropCheckOf(obj types.Object, assign *ast.AssignStmt) error {
	for _, next := range h.rest(assign) {
		check, ok := next.(*ast.IfStmt)
		switch {
		case ok && check.Init == nil && h.pass.mentions(check.Cond, obj):
			if !h.tests(check.Cond, token.NEQ, obj) {
				return Refusal("the function goes on where the file cannot be written")
			}
			h.gone[next] = true
			return h.isWrite(check)
		case !h.pass.mentions(next, h.f) && !h.gone[next]:
			return refusef("%s is not checked at once", obj.Name())
		}
	}
	return refusef("%s is not checked at once", obj.Name())
}

// isWrite proves that a statement does nothing but write the file, close it,
// and give up with the file removed.
func (h *holding) isWrite(stmt ast.Stmt) error {
	if s, ok := stmt.(*ast.IfStmt); ok && (s.Else != nil || !h.ends(s.Body.List)) {
		return Refusal("the function goes on where the file cannot be written")
	}
	return first(stmt, func(n ast.Node) error {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.GoStmt, *ast.SendStmt:
			return Refusal("more is done than to write the file")
		case *ast.CallExpr:
			fn := h.pass.callee(n)
			known := fn == nil || fn.Pkg() == nil || fn.Pkg().Path() == "encoding/json" || fn.Pkg().Path() == "time" || fn.Pkg().Path() == "io"
			if !known && !h.pureCall(n) && !h.removal(n) && !h.pass.isQuiet(n) && !h.pass.mentions(n, h.f) {
				return refusef("%s is called to write the file", h.of(n.Fun))
			}
		}
		return nil
	})
}
