package prove

import (
	"go/ast"
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
	k.note(take())
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
func (k *keeping) named() (name string, err error) {
	assign, ok := k.parents[k.lock].(*ast.AssignStmt)
	if !ok || assign.Tok != token.DEFINE || len(assign.Lhs) != 2 || k.of(assign.Lhs[0]) != "_" {
		return "", nil
	}
	var end string
	switch t := k.pass.Info.TypeOf(k.lock).(*types.Tuple).At(0).Type(); u := t.Underlying().(type) {
	case *types.Signature:
		if u.Params().Len() > 0 {
			return "", Refusal("the function that releases the lock takes arguments")
		}
		name, end = k.free(k.lock, "unlock", "release", "letGo"), "()"
	default:
		name, end = k.free(k.lock, "held", "lockFile", "locked"), ".Close()"
		if typeName(t) != "os.File" {
			end = ".Unlock()"
		}
	}
	o := k.outcome(k.lock)
	switch {
	case name == "":
		return "", Refusal("there is no free name for the lock")
	case !k.fails(o):
		return "", Refusal("the error of the lock is not checked at once")
	case !o.heads():
		k.put(assign.Lhs[0], name)
	case k.pass.lookup(o.err.Name(), o.check.Pos()-1) != nil:
		return "", refusef("another %s stands in the way", o.err.Name())
	default:
		k.before(o.check, name+k.between(assign.Lhs[0].End(), assign.End()))
		k.do(rewrite.DropInit{If: o.check})
	}
	k.after(o.check, k.deferring(name+end))
	return name, nil
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
	for _, s := range k.body.List {
		call := soleCall(s)
		if call == nil || !k.pass.calls(call, "os", "OpenFile", "Create", "Open") || k.pass.object(s.(*ast.AssignStmt).Lhs[0]) != f {
			continue
		}
		if sc, err := k.newHandleScope(k.body, call); err == nil {
			k.handleScope = sc
		}
	}
	if k.open == nil {
		return Refusal("the lock file is not opened in the same function, with its error checked at once")
	}
	path, beside, err := k.target(k.open.Args[0], alone)
	if err != nil {
		return err
	}
	options := ""
	if beside {
		options = "Options{LockFile: " + k.of(k.open.Args[0]) + "}."
	}
	if !k.isPure(k.open.Args[0]) {
		return Refusal("the path is more than a name")
	}
	if err := k.nothingElse(); err != nil {
		return err
	}
	return k.lay(options, path)
}

// target is the path beside which the file that was locked is the lock file; where
// there is none, and nobody else goes by the lock file, that path itself.
func (k *keeping) target(path ast.Expr, alone bool) (target string, beside bool, err error) {
	if bin, ok := ast.Unparen(path).(*ast.BinaryExpr); ok && bin.Op == token.ADD && k.suffix(bin.Y) == ".lock" {
		return k.of(bin.X), true, nil
	}
	name, before, after := ast.Unparen(path), "", ""
	if call, ok := name.(*ast.CallExpr); ok && k.pass.calls(call, "path/filepath", "Join") {
		name = call.Args[len(call.Args)-1]
		before, after = k.between(call.Pos(), name.Pos()), ")"
	}
	if base, ok := strings.CutSuffix(k.suffix(name), ".lock"); ok && base != "" && !strings.HasSuffix(base, "/") {
		return before + strconv.Quote(base) + after, true, nil
	}
	if !alone {
		return "", false, Refusal("who else locks the file would not see a lock of safeio, which is on another one")
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

// nothingElse proves that the function does no more behind the opening of the file than to lock
// it, close it where it cannot be locked, and return.
func (k *keeping) nothingElse() error {
	o := k.outcome(k.lock)
	check := k.leaving(o)
	switch {
	case len(k.tail) == 1 && o.returned() && len(o.ret.Results) == 1:
	case len(k.tail) != 2 || !endsInReturn(k.tail) || o.stmt != k.tail[0]:
		return Refusal("the function does more than to take the lock, so that it may end with it")
	case check == nil || !o.heads():
		return Refusal("the error of the lock is not checked at once")
	case !k.arePure(k.tail[1].(*ast.ReturnStmt).Results):
		return Refusal("the function does more than to take the lock, so that it may end with it")
	}
	for id := range k.pass.usesOf(k.body, k.f) {
		if stmt := k.statement(id); !inside(id, k.lock) && (check == nil || k.parents[stmt] != ast.Node(check.Body) || !k.closes(stmt)) {
			return refusef("%s is used besides", id.Name)
		}
	}
	return nil
}

// lay lays the edits.
func (k *keeping) lay(options, path string) error {
	fn, err := k.function()
	if err != nil {
		return err
	}
	assign, o := k.parents[k.open].(*ast.AssignStmt), k.outcome(k.lock)
	failure := k.errorOf(assign).Name()
	k.do(rewrite.Say{Above: assign, Comment: "// The lock is held until the process ends.", From: o.stmt})
	k.change(assign, "_, "+failure+" := "+k.safeio+"."+options+fn+"("+path+")")
	if o.returned() {
		k.put(o.ret.Results[0], failure)
		if k.passesOn(k.outcome(k.open)) {
			k.drop(k.check)
		}
		return nil
	}
	k.drop(o.check)
	name, _ := k.StdName("errors")
	if name == "" {
		return Refusal("the name errors is taken")
	}
	if o.err != nil && o.err.Name() != failure && k.pass.mentions(o.check.Body, o.err) {
		return Refusal("the error of the lock has another name than that of opening the file")
	}
	text := "if " + name + ".Is(" + failure + ", " + k.safeio + ".ErrLocked) {"
	for _, s := range o.check.Body.List {
		if !k.closes(s) {
			text += "\n\t" + k.of(s)
		}
	}
	k.before(k.check, text+"\n}")
	return nil
}

// closes reports whether a statement does nothing but close the file.
func (k *keeping) closes(stmt ast.Stmt) bool {
	call := plainCall(stmt)
	return call != nil && k.isMethod(call, "Close")
}

// function is the one of safeio that tries to lock as the call does. One that waits
// would have a second call of the function wait for the first.
func (k *keeping) function() (string, error) {
	how, bit, ok := k.pass.flags(k.lock, k.lock.Args[1])
	if !ok {
		return "", Refusal("how the file is locked is not constant")
	}
	switch {
	case how&bit("LOCK_NB") == 0:
		return "", Refusal("a second call of the function would wait for the first, for ever")
	case how&bit("LOCK_SH") != 0:
		return "TryRLock", nil
	}
	return "TryLock", nil
}
