package prove

import (
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

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
// in front of the statement that loads a file, or of the one around it that has
// the save behind it in its block. The function returns what goes wrong, and all that it
// does behind the load needs what the file holds.
func (s *File) spanLock(r finding.SpanLock) (*Proof, error) {
	sp := &span{sc: s.scope(r.Body), remedy: r}
	if !sp.sc.returnsError() {
		return nil, Refusal("the function returns no error, and could not say that the lock is not to be had")
	}
	if err := inOrder(sp.find, sp.rehearses, sp.waits, sp.locate); err != nil {
		return nil, err
	}
	switch {
	case sp.endless():
		return nil, Refusal("it may go on for ever with the lock")
	case sp.leaves():
		return nil, Refusal("the function releases something later, which it would keep where the lock is not to be had")
	case sp.remedy.Absent && sp.tellsMissing():
		return nil, Refusal("the function says that there is no file, and where there is no directory for the lock it would not")
	case !sp.insists():
		return nil, Refusal("the function goes on where it could not save the file, and what it does where the lock is not to be had only its author can say")
	}
	sp.aboveVars()
	text := sp.text()
	var ops []rewrite.Op
	if sp.moved != nil {
		ops = append(ops, rewrite.Move{Stmts: []ast.Stmt{sp.moved}, Before: sp.stmt})
	}
	ops = append(ops, rewrite.Insert{Src: text, Before: sp.stmt, Above: true, Apart: sp.apart()})
	return sp.sc.plan("Hold a lock between processes from the load to the save", ops...)
}

// apart reports whether a blank line goes between the lock and the statement: the statement has
// a comment above, or the list has blank lines between others.
func (sp *span) apart() bool {
	list := sp.sc.siblings(sp.stmt)
	return sp.sc.commentAbove(sp.stmt) != nil ||
		slices.ContainsFunc(list[1:], func(s ast.Stmt) bool { return sp.sc.parted(list[indexOf(list, s)-1], s) })
}

// aboveVars goes up over the variables without a value that are declared right above
// the statement, and belong to it by what is said of them.
func (sp *span) aboveVars() {
	list := sp.sc.siblings(sp.stmt)
	for i := indexOf(list, sp.stmt) - 1; i >= 0 && syntax.BareVars(list[i]) && sp.sc.line(list[i].End())+1 == sp.sc.line(list[i+1].Pos()); i-- {
		below := sp.stmt
		sp.stmt = list[i]
		if sp.locate() != nil {
			sp.stmt = below
			return
		}
	}
}

// A span is a load and a save that a lock is to be held around.
type span struct {
	sc     *handleScope
	remedy finding.SpanLock
	stmt   ast.Stmt // in front of which the lock is taken
	list   []ast.Stmt
	path   string
	value  string   // what the path is declared with in front of the lock; empty for nothing
	moved  ast.Stmt // what makes the directory, if it goes in front of the lock
}

// find finds the statement in front of which the lock is taken.
func (sp *span) find() error {
	for n := ast.Node(sp.remedy.Load); n != nil; n = sp.sc.parents[n] {
		stmt, ok := n.(ast.Stmt)
		if !ok {
			continue
		}
		switch stmt.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			return Refusal("the file is loaded in a loop")
		case *ast.LabeledStmt:
			return Refusal("the load stands behind a label")
		}
		list := sp.sc.siblings(stmt)
		if i := indexOf(list, stmt); sp.stmt == nil && i >= 0 && at(list[i:], sp.remedy.Save.Pos()) >= 0 {
			sp.stmt, sp.list = stmt, list[i:]
		}
	}
	if sp.stmt == nil {
		return Refusal("the save does not follow the load")
	}
	return nil
}

// waits fails where a return behind the load ends well and does not need what the file holds: it
// would wait for the lock for nothing.
func (sp *span) waits() error {
	k := at(sp.list, sp.remedy.Save.Pos())
	for _, stmt := range sp.list[min(1, k):k] {
		if ret := sp.needless(stmt); ret != nil {
			at := sp.sc.pass.Fset.Position(ret.Pos())
			return refusef("it returns at %s:%d whatever the file holds, and would wait for the lock before: take the lock behind that, and load the file again", filepath.Base(at.Filename), at.Line)
		}
	}
	return nil
}

// needless is a return in a statement that ends well under conditions that are not about the
// file; nil for none.
func (sp *span) needless(n ast.Node) (found *ast.ReturnStmt) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
			return false
		case *ast.IfStmt:
			return n.Init == nil && sp.independent(n.Cond) && sp.before(n.Cond)
		case *ast.ReturnStmt:
			if found == nil && sp.isWell(n) {
				found = n
			}
		}
		return found == nil
	})
	return found
}

// before reports whether all that an expression is about was known before the file was loaded.
func (sp *span) before(x ast.Expr) bool {
	from := sp.list[0].Pos()
	return sp.sc.isPure(x) && !sp.sc.pass.someVar(x, func(v *types.Var) bool { return v.Pos() >= from || sp.sc.assigned(v, from-1, x.Pos()) })
}

// independent reports whether an expression is about nothing into which something can be loaded:
// names and lists of them.
func (sp *span) independent(x ast.Expr) bool {
	return !sp.sc.pass.someVar(x, func(v *types.Var) bool { return v.IsField() || !isPlain(v.Type()) })
}

// isPlain reports whether values of a type are names, numbers, or lists of them.
func isPlain(t types.Type) bool {
	if list, ok := t.Underlying().(*types.Slice); ok {
		t = list.Elem()
	}
	_, basic := t.Underlying().(*types.Basic)
	return basic || isError(t)
}

// isWell reports whether a return can be one of a success.
func (sp *span) isWell(ret *ast.ReturnStmt) bool {
	if len(ret.Results) == 0 {
		return false // what the error is by then is not asked
	}
	last := ast.Unparen(syntax.Result(ret))
	_, isCall := last.(*ast.CallExpr)
	return isNil(sp.sc.pass.Info, last) || isCall && !sp.sc.isFailure(last)
}

// locate proves that the path is the same in front of the statement.
func (sp *span) locate() error {
	text := sp.remedy.Path
	if _, added := sp.sc.StdName("path/filepath"); added {
		text = strings.ReplaceAll(text, "filepath.Join(", "func(...string) string { return \"\" }(")
	}
	tv, err := types.Eval(sp.sc.pass.Fset, sp.sc.pass.Pkg, sp.stmt.Pos(), text)
	if err != nil {
		return Refusal("the path of the file is not known in front of the load")
	}
	expr, err := parser.ParseExpr(sp.remedy.Path)
	if err != nil {
		return Refusal("the path of the file cannot be written")
	}
	for id := range syntax.Unselected(expr) {
		if !sp.fixed(id, sp.remedy.Load.Pos()) {
			return refusef("%s is not yet known in front of the load", id.Name)
		}
	}
	sp.path = sp.within()
	if sp.remedy.Fails && !sp.names() {
		return Refusal("there is no free name for the path of the file")
	}
	if !sp.remedy.Fails && !types.Identical(types.Default(tv.Type), types.Typ[types.String]) {
		sp.path = "string(" + sp.path + ")"
	}
	return nil
}

// names gives the path a name, if there is a free one.
func (sp *span) names() bool {
	name := sp.sc.free(sp.remedy.Load, "path", "lockPath", "statePath")
	if name != "" {
		sp.value, sp.path = sp.path, name
	}
	return name != ""
}

// within is the path, by the name that the function has for what it begins with.
func (sp *span) within() string {
	for a := range syntax.Nodes[*ast.AssignStmt](sp.sc.body) {
		value, at := syntax.SoleCall(a), sp.stmt.Pos()
		if value == nil || a.Tok != token.DEFINE || !sp.sc.pass.calls(value, "path/filepath", "Join") {
			continue
		}
		rest, begins := strings.CutPrefix(sp.remedy.Path, strings.TrimSuffix(sp.sc.of(value), ")")+", ")
		dir, named := a.Lhs[0].(*ast.Ident)
		if begins && named && sp.fixed(dir, sp.remedy.Load.Pos()) && sp.sc.pass.lookup(dir.Name, at) == sp.sc.pass.Info.Defs[dir] && !sp.sc.assigned(sp.sc.pass.Info.Defs[dir], a.Pos(), at) &&
			sp.sc.sees(at, value) && !sp.sc.pass.someVar(value, func(v *types.Var) bool { return sp.sc.assigned(v, a.Pos(), at) }) {
			return sp.sc.of(value.Fun) + "(" + dir.Name + ", " + rest
		}
	}
	return sp.remedy.Path
}

// fixed reports whether a name means the same, with the same value, where the lock is taken and at
// a place behind it.
func (sp *span) fixed(id *ast.Ident, to token.Pos) bool {
	if _, added := sp.sc.StdName("path/filepath"); added && id.Name == "filepath" {
		return true
	}
	obj, there := sp.sc.pass.lookup(id.Name, sp.stmt.Pos()), sp.sc.pass.lookup(id.Name, to)
	return obj != nil && obj == there && !sp.sc.assigned(obj, min(sp.stmt.Pos(), to), max(sp.stmt.Pos(), to))
}

// leaves reports whether something that the function has got before is let go of
// by hand behind the statement, and would be kept where it returns there.
func (sp *span) leaves() bool {
	found := false
	ast.Inspect(sp.sc.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.DeferStmt:
			return n.Pos() > sp.stmt.Pos() && sp.holdsBefore(n.Call)
		case *ast.CallExpr:
			found = found || n.Pos() > sp.stmt.Pos() && lexicon.LettingGo.MatchString(sp.sc.of(n.Fun)) && !sp.yields(n) && sp.holdsBefore(n)
		}
		return !found
	})
	return found
}

// yields reports whether a call returns more than an error: it makes something of what it is given.
func (sp *span) yields(call *ast.CallExpr) bool {
	t := sp.sc.pass.Info.TypeOf(call)
	list, none := t.(*types.Tuple)
	return t != nil && !isError(t) && (!none || list.Len() > 1)
}

// holdsBefore reports whether a call is about something that stands in front of
// the statement: a variable that is declared there, or a mutex that is locked.
func (sp *span) holdsBefore(call *ast.CallExpr) bool {
	found := sp.sc.pass.someVar(call, func(v *types.Var) bool {
		return !v.IsField() && sp.sc.body.Pos() < v.Pos() && v.Pos() < sp.stmt.Pos()
	})
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || found {
		return found
	}
	return syntax.Some(sp.sc.body, func(c *ast.CallExpr) bool {
		at, ok := c.Fun.(*ast.SelectorExpr)
		return ok && c.Pos() < sp.stmt.Pos() && strings.Contains(at.Sel.Name, "Lock") && sp.sc.of(at.X) == sp.sc.of(sel.X)
	})
}

// text is what takes the lock.
func (sp *span) text() string {
	lock := sp.sc.free(sp.remedy.Load, "lock", "held", "fileLock", "processLock")
	failure := "err"
	if !sp.errFits() {
		failure = sp.sc.free(sp.remedy.Load, "lockErr", "errLock")
	}
	if lock == "" || failure == "" {
		sp.sc.note(Refusal("there is no free name for the lock"))
	}
	dir := sp.makesDir()
	switch {
	case sp.remedy.Fails:
		dir = sp.path + ", " + failure + " := " + sp.value + "\nif " + failure + " != nil {\n" + sp.exitText(failure, "get", sp.called()+" path") + "\n}\n" + dir
	case sp.value != "":
		dir = sp.path + " := " + sp.value + "\n" + dir
	}
	return dir + lock + ", " + failure + " := " + sp.sc.safeio + "." + sp.withContext("Lock") + sp.path + ")\n" +
		"if " + failure + " != nil {\n" + sp.exitText(failure, "lock", sp.called()) + "\n}\n" +
		sp.sc.deferring(lock+".Unlock()") + "\n"
}

// exitText is how the function returns the error called name, of what it comes to do.
func (sp *span) exitText(name, does, what string) string {
	return "\treturn " + sp.sc.zeros() + sp.sc.failure(name, does, what, sp.stmt.Pos())
}

// tellsMissing reports whether the function asks whether the error of the load is that there is no
// file, and ends then.
func (sp *span) tellsMissing() bool {
	o := sp.sc.outcome(sp.remedy.Load)
	check := o.check
	if sp.sc.asks(o) {
		check, _ = syntax.FirstIf(check.Body.List)
	}
	return check != nil && check.Init == nil && lexicon.NotFound.MatchString(sp.sc.askedFor(check.Cond, o.err)) && sp.sc.ends(check.Body.List)
}

// called is how messages call the file: by its name where that is written out, or else as the
// variable or function is called that has its path.
func (sp *span) called() string {
	if _, name := sp.joined(); name != "" {
		return name
	}
	expr, err := parser.ParseExpr(sp.remedy.Path)
	if err != nil {
		return "file"
	}
	return calledBy(expr)
}

// makesDir is what makes the directory of the file, as the function does later on:
// the lock stands there, too.
func (sp *span) makesDir() string {
	if sp.moved = sp.making(); sp.moved != nil || sp.remedy.Mode == "" {
		return ""
	}
	return unless(sp.dirCall(), sp.exitText("err", "create", "directory")) + "\n"
}

// making is the statement that makes the directory, if it can stand in front of the
// load as it is, nil where it cannot.
func (sp *span) making() ast.Stmt {
	if sp.remedy.Make == nil || slices.Contains(sp.remedy.Saves, sp.remedy.Make) {
		return nil // what saves the file stays
	}
	stmt, ok := sp.sc.statement(sp.remedy.Make).(*ast.IfStmt)
	if !ok || stmt.Init == nil || sp.remedy.Make.Pos() > stmt.Init.End() || stmt.Else != nil || indexOf(sp.list, stmt) < 0 || !sp.sc.ends(stmt.Body.List) {
		return nil
	}
	for id := range syntax.Unselected(stmt) { // its own, or known where the lock is taken
		obj := sp.sc.pass.object(id)
		if own := obj != nil && stmt.Pos() <= obj.Pos() && obj.Pos() < stmt.End(); !own && !sp.fixed(id, stmt.Pos()) {
			return nil
		}
	}
	return stmt
}

// dirCall is the call that makes the directory.
func (sp *span) dirCall() string {
	osName, _ := sp.sc.StdName("os")
	filepathName, _ := sp.sc.StdName("path/filepath")
	for _, name := range []string{osName, filepathName} {
		if _, pkg := sp.sc.pass.lookup(name, sp.stmt.Pos()).(*types.PkgName); name == "" || !pkg && sp.sc.pass.lookup(name, sp.stmt.Pos()) != nil {
			sp.sc.note(Refusal("the directory has to be made before, and os or filepath mean something else there"))
		}
	}
	if _, name := sp.joined(); name == "" && sp.value == "" && strings.HasSuffix(sp.path, ")") {
		sp.names() // it is called but once
	}
	return osName + ".MkdirAll(" + sp.dir(filepathName) + ", " + sp.remedy.Mode + ")"
}

// dir is the directory of the path: what is joined with a name, or else the call
// that computes it.
func (sp *span) dir(filepathName string) string {
	call, name := sp.joined()
	switch {
	case name == "":
		return filepathName + ".Dir(" + sp.path + ")"
	case len(call.Args) == 2:
		return types.ExprString(call.Args[0])
	}
	return strings.TrimRight(sp.path[:call.Args[len(call.Args)-1].Pos()-1], ", ") + ")"
}

// joined is the call of filepath.Join that the path is, and the name of the file, if it
// is written out there, or a constant; empty otherwise.
func (sp *span) joined() (*ast.CallExpr, string) {
	filepathName, _ := sp.sc.StdName("path/filepath")
	expr, err := parser.ParseExpr(sp.path)
	if err != nil {
		return nil, ""
	}
	call, ok := expr.(*ast.CallExpr)
	if !ok || types.ExprString(call.Fun) != filepathName+".Join" || len(call.Args) < 2 {
		return nil, ""
	}
	name := ""
	switch last := call.Args[len(call.Args)-1].(type) {
	case *ast.BasicLit:
		name = strings.Trim(last.Value, `"`)
	case *ast.Ident:
		if c, ok := sp.sc.pass.lookup(last.Name, sp.stmt.Pos()).(*types.Const); ok && c.Val().Kind() == constant.String {
			name = constant.StringVal(c.Val())
		}
	}
	if !lexicon.FileName.MatchString(name) {
		return nil, ""
	}
	return call, name
}

// insists reports whether the function gives up where it could not save: what
// answers an error of the save is a return that is not nil, or an exit.
func (sp *span) insists() bool {
	switch stmt := sp.sc.statement(sp.remedy.Save).(type) {
	case *ast.ExprStmt:
		return false
	case *ast.IfStmt:
		if stmt.Init != nil && syntax.Inside(sp.remedy.Save, stmt.Init) {
			return sp.bailsOut(stmt)
		}
	case *ast.AssignStmt:
		if sp.sc.errorOf(stmt) == nil {
			return false
		}
		if check, ok := syntax.FirstIf(sp.sc.rest(stmt)); ok && check.Init == nil {
			return sp.bailsOut(check)
		}
	}
	return true
}

// bailsOut reports whether a check of an error does not go on where there is one.
func (sp *span) bailsOut(check *ast.IfStmt) bool {
	if _, failing, ok := sp.sc.guard(check.Cond); !ok || !failing {
		return true
	}
	list := check.Body.List
	return sp.sc.ends(list) && !isNil(sp.sc.pass.Info, syntax.Result(list[len(list)-1]))
}

// rehearses fails where the function can be told to do as if: behind the load
// it asks a variable that is named so.
func (sp *span) rehearses() error {
	if syntax.Some(sp.sc.body, func(id *ast.Ident) bool {
		_, isVar := sp.sc.pass.Info.Uses[id].(*types.Var)
		return isVar && id.Pos() > sp.stmt.Pos() && lexicon.Rehearsal.MatchString(id.Name)
	}) {
		return Refusal("it can be asked to change nothing, and taking a lock makes its file")
	}
	return nil
}

// endless reports whether a loop that has no condition follows.
func (sp *span) endless() bool {
	return syntax.Some(sp.sc.body, func(loop *ast.ForStmt) bool { return loop.Cond == nil && loop.Pos() > sp.stmt.Pos() })
}

// errFits reports whether err can be what the lock says: it is a variable of the
// block already, the statement declares it there, with another one, or nothing in the
// function bears the name.
func (sp *span) errFits() bool {
	scope := sp.sc.pass.Pkg.Scope().Innermost(sp.stmt.Pos() - 1) // an if statement has one of its own
	obj := sp.sc.pass.lookup("err", sp.stmt.Pos())
	if obj != nil && obj.Pkg() != nil && obj.Parent() != sp.sc.pass.Pkg.Scope() {
		return isError(obj.Type()) && obj.Parent() == scope && !sp.readNext(obj)
	}
	if obj == nil && syntax.Every(sp.sc.body, func(id *ast.Ident) bool { return id.Name != "err" }) {
		return true
	}
	return sp.declaresWith(sp.stmt, "err") && slices.ContainsFunc(sp.stmt.(*ast.AssignStmt).Lhs, func(lhs ast.Expr) bool {
		id, _ := lhs.(*ast.Ident)
		return id != nil && id.Name == "err" && sp.sc.pass.Info.Defs[id] != nil && isError(sp.sc.pass.Info.Defs[id].Type())
	})
}

// readNext reports whether the function, from the statement on, reads what a variable holds before
// it puts something else there: an argument, say.
func (sp *span) readNext(obj types.Object) bool {
	var next *ast.Ident
	for id := range syntax.Nodes[*ast.Ident](sp.sc.body) {
		if id.Pos() >= sp.stmt.Pos() && (sp.sc.pass.Info.Uses[id] == obj || sp.sc.pass.Info.Defs[id] == obj) && (next == nil || id.Pos() < next.Pos()) {
			next = id
		}
	}
	if next == nil {
		return false
	}
	a, ok := sp.sc.parents[next].(*ast.AssignStmt)
	return !ok || !slices.Contains(a.Lhs, ast.Expr(next)) || slices.ContainsFunc(a.Rhs, func(e ast.Expr) bool { return sp.sc.pass.mentions(e, obj) })
}

// declaresWith reports whether a statement declares a name, or assigns to it, together with
// another that it declares.
func (sp *span) declaresWith(stmt ast.Stmt, name string) bool {
	if !syntax.IsDefine(stmt) {
		return false
	}
	named, news := false, false
	for _, lhs := range stmt.(*ast.AssignStmt).Lhs {
		id, ok := lhs.(*ast.Ident)
		switch {
		case ok && id.Name == name:
			named = true
		case ok && id.Name != "_" && sp.sc.pass.Info.Defs[id] != nil:
			news = true
		}
	}
	return named && news
}

// withContext is how a call that waits begins, with the context of the function if
// it has one.
func (sp *span) withContext(name string) string {
	if ctx := sp.context(); ctx != "" {
		return name + "Context(" + ctx + ", "
	}
	return name + "("
}

// context is the name of the nearest context that the function makes use of, empty for none: one
// at which nobody has looked may be nil.
func (sp *span) context() string {
	for scope := sp.sc.pass.Pkg.Scope().Innermost(sp.stmt.Pos()); scope != nil && scope != sp.sc.pass.Pkg.Scope(); scope = scope.Parent() {
		for _, name := range scope.Names() {
			v, ok := scope.Lookup(name).(*types.Var)
			if ok && v.Pos() < sp.stmt.Pos() && types.TypeString(v.Type(), nil) == "context.Context" && sp.sc.pass.lookup(name, sp.stmt.Pos()) == v && sp.sc.pass.mentions(sp.sc.body, v) {
				return name
			}
		}
	}
	return ""
}
