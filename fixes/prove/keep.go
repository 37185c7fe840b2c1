package prove

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"github.com/lockvet/lockvet/fixes/rewrite"
	"github.com/lockvet/lockvet/internal/finding"
)

// keepLock holds a lock that nothing keeps until the process ends. A function that
// ends with the process closes the open file when it ends, so that it refers to it
// until then:
//
//	f, err := os.Create(path)
//	...
//	if err := lock(f); err != nil {
//	        return err
//	}
//	⋀ defer f.Close()
//
// One that does nothing else than to take the lock has it from safeio, which
// holds it whether or not somebody refers to it.
func (s *File) keepLock(r finding.KeepLock) (*Proof, error) {
	k := &keeping{handleScope: s.scope(r.Body), lock: r.Lock}
	message := "Keep the open file until the process ends"
	take := k.deferClose
	if !r.Endless {
		take, message = func() error { return k.take(r.Alone) }, "Take a lock that is held until the process ends"
	}
	if err := take(); err != nil {
		return nil, err
	}
	return k.plan(message)
}

// A keeping is a function that takes a lock and does not keep it.
type keeping struct {
	*handleScope
	lock *ast.CallExpr
}

// deferClose closes what holds the lock when the function ends.
func (k *keeping) deferClose() error {
	stmt := k.statement(k.lock)
	if k.loops(stmt) || k.literal(stmt) != nil {
		return Refusal("the lock is taken in a loop or a function literal")
	}
	if name, err := k.named(); err != nil || name != "" {
		return err
	}
	f := k.handle()
	if f == nil {
		return Refusal("the open file has no name")
	}
	check, err := k.lockCheck(k.lock)
	if err != nil {
		return err
	}
	k.after(check, k.deferring(f.Name()+".Close()"))
	return nil
}

// named gives a name to what the call hands over and nobody takes, and lets go of
// it when the function ends.
func (k *keeping) named() (string, error) {
	assign, ok := k.parents[k.lock].(*ast.AssignStmt)
	if !ok || assign.Tok != token.DEFINE || len(assign.Lhs) != 2 || soleCall(assign) != k.lock {
		return "", nil
	}
	if id, ok := assign.Lhs[0].(*ast.Ident); !ok || id.Name != "_" {
		return "", nil
	}
	tuple := k.pass.Info.TypeOf(k.lock).(*types.Tuple)
	var name, end string
	switch t := tuple.At(0).Type().Underlying().(type) {
	case *types.Signature:
		if t.Params().Len() > 0 {
			return "", Refusal("the function that lets go wants arguments")
		}
		name = k.free(k.lock, "unlock", "release", "letGo")
		end = name + "()"
	default:
		name = k.free(k.lock, "held", "lockFile", "locked")
		end = name + ".Close()"
		if typeName(tuple.At(0).Type()) != "os.File" {
			end = name + ".Unlock()"
		}
	}
	if name == "" {
		return "", Refusal("there is no free name for the lock")
	}
	err := k.assign(assign, name, end)
	return name, err
}

// assign names the first result of a call whose error is checked, and defers what
// lets go of it to the end.
func (k *keeping) assign(assign *ast.AssignStmt, name, end string) error {
	o := k.outcome(k.lock)
	if !k.fails(o) {
		return Refusal("the error of the lock is not checked at once")
	}
	check, failure := o.check, o.err
	if !o.heads() {
		k.put(assign.Lhs[0], name)
		k.after(check, k.deferring(end))
		return nil
	}
	if k.pass.lookup(failure.Name(), check.Pos()-1) != nil {
		return refusef("another %s stands in the way", failure.Name())
	}
	k.before(check, name+k.from(assign))
	k.do(rewrite.DropInit{If: check})
	k.after(check, k.deferring(end))
	return nil
}

// from is the text of an assignment behind its first name.
func (k *keeping) from(assign *ast.AssignStmt) string {
	return k.between(assign.Lhs[0].End(), assign.End())
}

// handle is the variable of the open file that the call locks.
func (k *keeping) handle() types.Object {
	var f types.Object
	for _, arg := range k.lock.Args {
		for _, v := range k.pass.vars(arg) {
			if typeName(v.Type()) == "os.File" {
				f = v
			}
		}
	}
	return f
}

// take has the lock from safeio:
//
//	f, err := os.OpenFile(path+".lock", flags, perm)      _, err := safeio.Options{LockFile: path + ".lock"}.TryLock(path)
//	if err != nil {                                       if errors.Is(err, safeio.ErrLocked) {
//	        return err                                            return errRunning
//	}                                                     }
//	if err := syscall.Flock(...); err != nil {            if err != nil {
//	        f.Close()                                             return err
//	        return errRunning                             }
//	}
//	return nil                                            return nil
func (k *keeping) take(alone bool) error {
	if !k.pass.calls(k.lock, "syscall", "Flock") && !k.pass.calls(k.lock, "golang.org/x/sys/unix", "Flock") {
		return Refusal("the open file is in an object of another package")
	}
	f := k.handle()
	if f == nil {
		return Refusal("the open file has no name")
	}
	open, check := k.opened(f)
	if open == nil {
		return Refusal("the lock file is not opened in the same function, with its error checked at once")
	}
	path, beside, err := k.target(open.Args[0], alone)
	if err != nil {
		return err
	}
	options := ""
	if beside && k.isPure(open.Args[0]) {
		options = "Options{LockFile: " + k.of(open.Args[0]) + "}."
	} else if beside {
		return Refusal("the path is more than a name")
	}
	stmts, err := k.locked(check)
	if err != nil {
		return err
	}
	if err := k.nothingElse(f, stmts); err != nil {
		return err
	}
	return k.lay(f, open, check, stmts, options, path)
}

// opened finds the call that opens a file, in a statement of the function, and
// the check of its error behind it.
func (k *keeping) opened(f types.Object) (*ast.CallExpr, *ast.IfStmt) {
	for _, s := range k.body.List {
		call := soleCall(s)
		if call == nil || !isDefine(s) || len(s.(*ast.AssignStmt).Lhs) != 2 || k.pass.object(s.(*ast.AssignStmt).Lhs[0]) != f {
			continue
		}
		if o := k.outcome(call); k.fails(o) && k.pass.calls(call, "os", "OpenFile", "Create", "Open") {
			return call, o.check
		}
	}
	return nil, nil
}

// target is the path beside which the file that was locked is the lock file; where
// there is none, and nobody else goes by the lock file, that path itself.
func (k *keeping) target(path ast.Expr, alone bool) (target string, beside bool, err error) {
	if bin, ok := ast.Unparen(path).(*ast.BinaryExpr); ok && bin.Op == token.ADD && k.suffix(bin.Y) == ".lock" {
		return k.of(bin.X), true, nil
	}
	if text := k.suffix(path); strings.HasSuffix(text, ".lock") {
		if base := strings.TrimSuffix(text, ".lock"); base != "" && !strings.HasSuffix(base, "/") {
			return strconv.Quote(base), true, nil
		}
	}
	if call, ok := ast.Unparen(path).(*ast.CallExpr); ok && k.pass.calls(call, "path/filepath", "Join") {
		last := call.Args[len(call.Args)-1]
		if base, ok := strings.CutSuffix(k.suffix(last), ".lock"); ok && base != "" && !strings.HasSuffix(base, "/") {
			return k.between(call.Pos(), last.Pos()) + strconv.Quote(base) + ")", true, nil
		}
	}
	if !alone {
		return "", false, Refusal("who else locks the file would not see a lock of safeio, which is on another one")
	}
	if !k.isPure(path) {
		return "", false, Refusal("the path is more than a name")
	}
	return k.of(path), false, nil
}

// suffix is the text of a literal, empty for any other expression.
func (k *keeping) suffix(e ast.Expr) string {
	lit, ok := ast.Unparen(e).(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return ""
	}
	text, _ := strconv.Unquote(lit.Value)
	return text
}

// locked are the statements of the function behind the check of opening the file:
// that which locks it, with its check, and the return.
func (k *keeping) locked(check *ast.IfStmt) ([]ast.Stmt, error) {
	rest := k.body.List[indexOf(k.body.List, check)+1:]
	no := Refusal("the function does more than to take the lock, so that it may end with it")
	switch len(rest) {
	case 1:
		if ret, ok := rest[0].(*ast.ReturnStmt); ok && len(ret.Results) == 1 && ast.Unparen(ret.Results[0]) == ast.Expr(k.lock) {
			return rest, nil
		}
	case 2:
		ret, ok := rest[1].(*ast.ReturnStmt)
		lock, err := k.lockCheck(k.lock)
		if err != nil {
			return nil, err
		}
		if ok && ast.Stmt(lock) == rest[0] && k.arePure(ret.Results) {
			return rest, nil
		}
	}
	return nil, no
}

// nothingElse proves that the open file is locked and, where it cannot be, closed,
// and used for nothing else.
func (k *keeping) nothingElse(f types.Object, stmts []ast.Stmt) error {
	lock, ok := stmts[0].(*ast.IfStmt)
	for id := range k.pass.usesOf(k.body, f) {
		stmt := k.statement(id)
		if (id.Pos() < k.lock.Pos() || k.lock.End() <= id.Pos()) && (!ok || k.parents[stmt] != ast.Node(lock.Body) || !k.closes(stmt, f)) {
			return refusef("%s is used besides", id.Name)
		}
	}
	return nil
}

// lay lays the edits.
func (k *keeping) lay(f types.Object, open *ast.CallExpr, check *ast.IfStmt, stmts []ast.Stmt, options, path string) error {
	fn, err := k.function()
	if err != nil {
		return err
	}
	assign := k.parents[open].(*ast.AssignStmt)
	failure := k.pass.object(assign.Lhs[1]).Name()
	k.do(rewrite.Say{Above: assign, Comment: "// The lock is held until the process ends.", From: stmts[0]})
	k.change(assign, "_, "+failure+" := "+k.safeio+"."+options+fn+"("+path+")")
	if ret, ok := stmts[0].(*ast.ReturnStmt); ok {
		k.put(ret.Results[0], failure)
		if k.passesOn(k.outcome(open)) {
			k.drop(check)
		}
		return nil
	}
	lock := stmts[0].(*ast.IfStmt)
	k.drop(lock)
	name, _ := k.StdName("errors")
	if name == "" {
		return Refusal("the name errors is taken")
	}
	var body []string
	for _, s := range lock.Body.List {
		if k.closes(s, f) {
			continue
		}
		body = append(body, k.of(s))
	}
	text := "if " + name + ".Is(" + failure + ", " + k.safeio + ".ErrLocked) {\n\t" + strings.Join(body, "\n\t") + "\n}"
	if init, ok := lock.Init.(*ast.AssignStmt); ok && k.pass.object(init.Lhs[0]).Name() != failure && k.pass.mentions(lock.Body, k.pass.object(init.Lhs[0])) {
		return Refusal("the error of the lock has another name than that of opening the file")
	}
	k.before(check, text)
	return nil
}

// closes reports whether a statement does nothing but close the file.
func (k *keeping) closes(stmt ast.Stmt, f types.Object) bool {
	call := plainCall(stmt)
	return call != nil && k.isMethodOf(call, f, "Close")
}

// function is the one of safeio that tries to lock as the call does. One that waits
// would have a second call of the function wait for the first.
func (k *keeping) function() (string, error) {
	tv := k.pass.Info.Types[k.lock.Args[1]]
	if tv.Value == nil {
		return "", Refusal("how the file is locked is not constant")
	}
	how, _ := constant.Int64Val(constant.ToInt(tv.Value))
	bit := func(name string) bool {
		c, ok := k.pass.callee(k.lock).Pkg().Scope().Lookup(name).(*types.Const)
		if !ok {
			return false
		}
		v, _ := constant.Int64Val(constant.ToInt(c.Val()))
		return how&v != 0
	}
	switch {
	case !bit("LOCK_NB"):
		return "", Refusal("a second call of the function would wait for the first, for ever")
	case bit("LOCK_SH"):
		return "TryRLock", nil
	}
	return "TryLock", nil
}
