package prove

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/lockvet/lockvet/fixes/rewrite"
	"github.com/lockvet/lockvet/internal/finding"
)

// keepLock closes what holds a lock when the function ends, which is when the process does, so that
// something refers to it until then:
//
//	f, err := os.Create(path)
//	...
//	if err := lock(f); err != nil {
//	        return err
//	}
//	⋀ defer f.Close()
func (s *File) keepLock(r finding.KeepLock) (*Proof, error) {
	k := &keeping{handleScope: s.scope(r.Body), lock: r.Lock}
	k.note(k.deferClose())
	return k.plan("Keep the open file until the process ends")
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
