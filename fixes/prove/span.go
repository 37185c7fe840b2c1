package prove

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"

	"github.com/lockvet/lockvet/fixes/rewrite"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/lexicon"
	"github.com/lockvet/lockvet/internal/syntax"
)

// spanLock puts
//
//	lock, err := safeio.Lock(path)
//	if err != nil {
//		return err
//	}
//	defer lock.Unlock()
//
// in front of the statement that loads a file, or of the one around it that has the save behind it in its
// block. The function returns the error of the save, so it can return that of the lock.
func (s *File) spanLock(r finding.SpanLock) (*Proof, error) {
	sp := &span{sc: s.scope(r.Body), remedy: r}
	if !sp.sc.returnsError() {
		return nil, Refusal("the function returns no error, and could not report that the lock cannot be acquired")
	}
	if err := inOrder(sp.find, sp.mayFail); err != nil {
		return nil, err
	}
	text := sp.text()
	if text == "" {
		return nil, Refusal("the packages and names that taking a lock needs are not to be had there")
	}
	sp.sc.do(rewrite.Insert{Src: text, Before: sp.stmt, Above: true})
	return sp.sc.plan("Hold a lock between processes from the load to the save")
}

// A span is a load and a save that a lock is to be held around.
type span struct {
	sc     *handleScope
	remedy finding.SpanLock
	stmt   ast.Stmt // in front of which the lock is taken
	path   string
}

// find finds the statement in front of which the lock is taken, where the path is known already.
func (sp *span) find() error {
	for n := ast.Node(sp.remedy.Load); n != nil; n = sp.sc.parents[n] {
		switch stmt := n.(type) {
		case *ast.ForStmt, *ast.RangeStmt, *ast.LabeledStmt:
			return Refusal("the file is loaded in a loop")
		case ast.Stmt:
			list := sp.sc.siblings(stmt)
			if i := indexOf(list, stmt); sp.stmt == nil && i >= 0 && at(list[i:], sp.remedy.Save.Pos()) >= 0 {
				sp.stmt = stmt
			}
		}
	}
	if sp.stmt == nil || !sp.locate() {
		return Refusal("the save does not follow the load, or its path is not known in front of that")
	}
	return nil
}

// locate reports whether the path is the same in front of the statement.
func (sp *span) locate() bool {
	expr, err := parser.ParseExpr(sp.remedy.Path)
	if err != nil {
		return false
	}
	tv, err := types.Eval(sp.sc.pass.Fset, sp.sc.pass.Pkg, sp.stmt.Pos(), sp.remedy.Path)
	if err != nil {
		return false
	}
	for id := range syntax.Unselected(expr) {
		if !sp.fixed(id.Name) {
			return false
		}
	}
	sp.path = sp.remedy.Path
	if !types.Identical(types.Default(tv.Type), types.Typ[types.String]) {
		sp.path = "string(" + sp.path + ")"
	}
	return true
}

// fixed reports whether a name means the same, with the same value, where the lock is taken and where the
// file is loaded.
func (sp *span) fixed(name string) bool {
	from, to := sp.stmt.Pos(), sp.remedy.Load.Pos()
	obj := sp.sc.pass.lookup(name, from)
	return obj != nil && obj == sp.sc.pass.lookup(name, to) && !sp.sc.assigned(obj, from, to)
}

// mayFail proves that the function can wait for the lock, and return where it is not to be had: it returns there
// already where it cannot save the file, keeps nothing that it would have released, saves in the end, and ends.
func (sp *span) mayFail() error {
	save, list := sp.sc.outcome(sp.remedy.Save), sp.sc.siblings(sp.stmt)
	before := list[indexOf(list, sp.stmt):]
	switch {
	case syntax.Some(sp.sc.body, func(loop *ast.ForStmt) bool { return loop.Cond == nil && loop.Pos() > sp.stmt.Pos() }):
		return Refusal("it may go on for ever with the lock")
	case !save.returned() && !sp.sc.handsOn(save),
		slices.ContainsFunc(before[:at(before, sp.remedy.Save.Pos())], sp.needless),
		syntax.Some(sp.sc.body, sp.releases),
		sp.remedy.Absent && sp.tellsMissing(),
		sp.rehearses():
		return Refusal("the function may end well without a save, go on where it could not save the file or release " +
			"something later, and only its author can say what it does where the lock cannot be acquired")
	}
	return nil
}

// needless reports whether a statement returns that all is well where something holds that was known before
// the file was loaded.
func (sp *span) needless(stmt ast.Stmt) bool {
	check, ok := stmt.(*ast.IfStmt)
	if !ok || check.Init != nil || sp.sc.pass.someVar(check.Cond, func(v *types.Var) bool {
		return sp.stmt.Pos() <= v.Pos() && v.Pos() < sp.sc.body.End()
	}) {
		return false
	}
	list := check.Body.List
	return syntax.EndsInReturn(list) && syntax.Result(list[len(list)-1]) != nil &&
		isNil(sp.sc.pass.Info, syntax.Result(list[len(list)-1]))
}

// releases reports whether a call behind the load releases something that the function had before it.
func (sp *span) releases(call *ast.CallExpr) bool {
	if call.Pos() < sp.remedy.Load.End() || !lexicon.LettingGo.MatchString(sp.sc.of(call.Fun)) {
		return false
	}
	mutex, _ := sp.sc.pass.mutex(call)
	return mutex != nil || sp.sc.givesAway(call) && sp.sc.pass.someVar(call, func(v *types.Var) bool {
		return sp.sc.body.Pos() < v.Pos() && v.Pos() < sp.stmt.Pos()
	})
}

// tellsMissing reports whether the function ends in a way of its own where the load fails for one reason.
func (sp *span) tellsMissing() bool {
	o := sp.sc.outcome(sp.remedy.Load)
	check := o.check
	if sp.sc.asks(o) {
		if first, ok := syntax.FirstIf(check.Body.List); ok {
			check = first
		}
	}
	if check == nil {
		return false
	}
	_, told := ast.Unparen(check.Cond).(*ast.CallExpr)
	return told && sp.sc.ends(check.Body.List)
}

// rehearses reports whether the function can be told to do as if: behind the load it asks a variable that is
// named so.
func (sp *span) rehearses() bool {
	return syntax.Some(sp.sc.body, func(id *ast.Ident) bool {
		_, isVar := sp.sc.pass.Info.Uses[id].(*types.Var)
		return isVar && id.Pos() > sp.stmt.Pos() && lexicon.Rehearsal.MatchString(id.Name)
	})
}

// text is what takes the lock, and makes the directory in front of it where the function does so later on; empty where
// a name that it needs is not to be had.
func (sp *span) text() string {
	lock := sp.sc.free(sp.remedy.Load, "lock", "fileLock", "processLock")
	failure := "err"
	if !sp.errFits() {
		failure = sp.sc.free(sp.remedy.Load, "lockErr")
	}
	if lock == "" || failure == "" {
		return ""
	}
	dir := ""
	if sp.remedy.Mode != "" {
		osName, filepathName := sp.sc.imported("os", sp.stmt.Pos()), sp.sc.imported("path/filepath", sp.stmt.Pos())
		if osName == "" || filepathName == "" {
			return ""
		}
		dir = unless(osName+".MkdirAll("+filepathName+".Dir("+sp.path+"), "+sp.remedy.Mode+")", sp.leave("err")) + "\n"
	}
	return dir + lock + ", " + failure + " := " + sp.sc.safeio + ".Lock" + sp.context() + sp.path + ")\n" +
		"if " + failure + " != nil {\n" + sp.leave(failure) + "\n}\n" +
		"defer " + lock + ".Unlock()\n"
}

// leave is how the function returns the error called name.
func (sp *span) leave(name string) string { return "\treturn " + sp.sc.zeros() + name }

// errFits reports whether err can be declared, or assigned to, in front of the statement: nothing in the
// function bears the name, or the statement declares it, with other variables, too.
func (sp *span) errFits() bool {
	if syntax.Every(sp.sc.body, func(id *ast.Ident) bool { return id.Name != "err" }) {
		return sp.sc.pass.lookup("err", sp.stmt.Pos()) == nil
	}
	assign, ok := sp.stmt.(*ast.AssignStmt)
	if !ok || assign.Tok != token.DEFINE {
		return false
	}
	declares, others := false, false
	for _, lhs := range assign.Lhs {
		if id, ok := lhs.(*ast.Ident); ok && id.Name != "_" {
			obj := sp.sc.pass.Info.Defs[id]
			declares = declares || id.Name == "err" && obj != nil && isError(obj.Type())
			others = others || id.Name != "err" && obj != nil
		}
	}
	return declares && others
}

// context is how the arguments of a call begin that waits, behind its name: with the nearest context that the
// function makes use of, if it has one. One at which nobody has looked may be nil.
func (sp *span) context() string {
	pass := sp.sc.pass
	outer := pass.Pkg.Scope()
	for scope := outer.Innermost(sp.stmt.Pos()); scope != nil && scope != outer; scope = scope.Parent() {
		for _, name := range scope.Names() {
			v, ok := scope.Lookup(name).(*types.Var)
			if ok && v.Pos() < sp.stmt.Pos() && types.TypeString(v.Type(), nil) == "context.Context" &&
				pass.lookup(name, sp.stmt.Pos()) == v && pass.mentions(sp.sc.body, v) {
				return "Context(" + name + ", "
			}
		}
	}
	return "("
}
