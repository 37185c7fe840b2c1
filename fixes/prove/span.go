package prove

import (
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/lockvet/lockvet/fixes/rewrite"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/pattern"
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
// the save behind it in its block. A function that returns no error ends
// as it does where it cannot load the file, or not save it.
//
// Where one call can do all of it, and is no longer than that, it is that call: see
// update.
func (s *File) spanLock(r finding.SpanLock) (*Proof, error) {
	sp, err := s.span(r)
	if err != nil {
		return nil, err
	}
	if p := sp.update(); p != nil && !sp.remedy.Fails && len(sp.early) == 0 && sp.reload == "" {
		return p, nil
	}
	return sp.lock()
}

// LockAlone proves a [finding.SpanLock] with a lock, whatever one call could do.
func (s *File) LockAlone(r finding.Remedy) (*Proof, error) {
	sp, err := s.span(r.(finding.SpanLock))
	if err != nil {
		return nil, err
	}
	return sp.lock()
}

// span finds the statement and the path, and proves that the lock can be waited for
// there.
func (s *File) span(r finding.SpanLock) (*span, error) {
	sp := &span{handleScope: s.scope(r.Body), remedy: r}
	if err := inOrder(sp.find, sp.behindReturns, sp.locate); err != nil {
		return nil, err
	}
	switch {
	case sp.rehearses():
		return nil, Refusal("it can be asked to change nothing, and taking a lock makes its file")
	case sp.endless():
		return nil, Refusal("it may go on for ever with the lock")
	case sp.leaves():
		return nil, Refusal("the function releases something later, which it would keep where the lock is not to be had")
	case sp.returnsError() && !sp.insists():
		return nil, Refusal("the function goes on where it could not save the file, and what it does where the lock is not to be had only its author can say")
	}
	return sp, nil
}

// lock is the lock in front of the statement.
func (sp *span) lock() (*Proof, error) {
	sp.aboveVars()
	text, ops := sp.text(), sp.early
	if sp.moved != nil {
		ops = append(ops, rewrite.Move{Stmts: []ast.Stmt{sp.moved}, Before: sp.stmt})
	}
	ops = append(ops, rewrite.Insert{Src: text, Before: sp.stmt, Above: true, Apart: sp.reload != "" || sp.apart()})
	return sp.plan("Hold a lock between processes from the load to the save", ops...)
}

// apart reports whether a blank line goes between the lock and the statement: the statement has
// a comment above, or the list has blank lines between others.
func (sp *span) apart() bool {
	list := sp.siblings(sp.stmt)
	return sp.commentAbove(sp.stmt) != nil ||
		slices.ContainsFunc(list[1:], func(s ast.Stmt) bool { return sp.parted(list[indexOf(list, s)-1], s) })
}

// aboveVars goes up over the variables without a value that are declared right above
// the statement, and belong to it by what is said of them.
func (sp *span) aboveVars() {
	list := sp.siblings(sp.stmt)
	for i := indexOf(list, sp.stmt) - 1; i >= 0 && sp.bareVars(list[i]) && sp.line(list[i].End())+1 == sp.line(list[i+1].Pos()); i-- {
		below := sp.stmt
		sp.stmt = list[i]
		if sp.locate() != nil {
			sp.stmt = below
			return
		}
	}
}

// bareVars reports whether a statement declares variables that get no value.
func (sp *span) bareVars(stmt ast.Stmt) bool {
	decl, ok := stmt.(*ast.DeclStmt)
	if !ok {
		return false
	}
	gen := decl.Decl.(*ast.GenDecl)
	return gen.Tok == token.VAR && !slices.ContainsFunc(gen.Specs, func(s ast.Spec) bool { return len(s.(*ast.ValueSpec).Values) > 0 })
}

// A span is a load and a save that a lock is to be held around.
type span struct {
	*handleScope
	remedy finding.SpanLock
	stmt   ast.Stmt // in front of which the lock is taken
	list   []ast.Stmt
	path   string
	value  string       // what the path is declared with in front of the lock; empty for nothing
	moved  ast.Stmt     // what makes the directory, if it goes in front of the lock
	early  []rewrite.Op // what moves in front of the load
	reload string       // what loads the file again under the lock
}

// find finds the statement in front of which the lock is taken.
func (sp *span) find() error {
	for n := ast.Node(sp.remedy.Load); n != nil; n = sp.parents[n] {
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
		list := sp.siblings(stmt)
		if i := indexOf(list, stmt); sp.stmt == nil && i >= 0 && at(list[i:], sp.remedy.Save.Pos()) >= 0 {
			sp.stmt, sp.list = stmt, list[i:]
		}
	}
	if sp.stmt == nil {
		return Refusal("the save does not follow the load")
	}
	return nil
}

// locate proves that the path is the same in front of the statement.
func (sp *span) locate() error {
	text := sp.remedy.Path
	if _, added := sp.StdName("path/filepath"); added {
		text = strings.ReplaceAll(text, "filepath.Join(", "func(...string) string { return \"\" }(")
	}
	tv, err := types.Eval(sp.pass.Fset, sp.pass.Pkg, sp.stmt.Pos(), text)
	if err != nil {
		return Refusal("the path of the file is not known in front of the load")
	}
	expr, err := parser.ParseExpr(sp.remedy.Path)
	if err != nil {
		return Refusal("the path of the file cannot be written")
	}
	for id := range unselected(expr) {
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
	name := sp.free(sp.remedy.Load, "path", "lockPath", "statePath")
	if name != "" {
		sp.value, sp.path = sp.path, name
	}
	return name != ""
}

// within is the path, by the name that the function has for what it begins with.
func (sp *span) within() string {
	for a := range nodes[*ast.AssignStmt](sp.body) {
		value, at := soleCall(a), sp.stmt.Pos()
		if value == nil || a.Tok != token.DEFINE || !sp.pass.calls(value, "path/filepath", "Join") {
			continue
		}
		rest, begins := strings.CutPrefix(sp.remedy.Path, strings.TrimSuffix(sp.of(value), ")")+", ")
		dir, named := a.Lhs[0].(*ast.Ident)
		if begins && named && sp.fixed(dir, sp.remedy.Load.Pos()) && sp.pass.lookup(dir.Name, at) == sp.pass.Info.Defs[dir] && !sp.assigned(sp.pass.Info.Defs[dir], a.Pos(), at) &&
			sp.sees(at, value) && !sp.pass.someVar(value, func(v *types.Var) bool { return sp.assigned(v, a.Pos(), at) }) {
			return sp.of(value.Fun) + "(" + dir.Name + ", " + rest
		}
	}
	return sp.remedy.Path
}

// fixed reports whether a name means the same, with the same value, where the lock is taken and at
// a place behind it.
func (sp *span) fixed(id *ast.Ident, to token.Pos) bool {
	if _, added := sp.StdName("path/filepath"); added && id.Name == "filepath" {
		return true
	}
	obj, there := sp.pass.lookup(id.Name, sp.stmt.Pos()), sp.pass.lookup(id.Name, to)
	return obj != nil && obj == there && !sp.assigned(obj, min(sp.stmt.Pos(), to), max(sp.stmt.Pos(), to))
}

// leaves reports whether something that the function has got before is let go of
// by hand behind the statement, and would be kept where it returns there.
func (sp *span) leaves() bool {
	found := false
	ast.Inspect(sp.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.DeferStmt:
			return n.Pos() > sp.stmt.Pos() && sp.holdsBefore(n.Call)
		case *ast.CallExpr:
			found = found || n.Pos() > sp.stmt.Pos() && lettingGo.MatchString(sp.of(n.Fun)) && sp.holdsBefore(n)
		}
		return !found
	})
	return found
}

// holdsBefore reports whether a call is about something that stands in front of
// the statement: a variable that is declared there, or a mutex that is locked.
func (sp *span) holdsBefore(call *ast.CallExpr) bool {
	found := sp.pass.someVar(call, func(v *types.Var) bool {
		return !v.IsField() && sp.body.Pos() < v.Pos() && v.Pos() < sp.stmt.Pos()
	})
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || found {
		return found
	}
	return some(sp.body, func(c *ast.CallExpr) bool {
		at, ok := c.Fun.(*ast.SelectorExpr)
		return ok && c.Pos() < sp.stmt.Pos() && strings.Contains(at.Sel.Name, "Lock") && sp.of(at.X) == sp.of(sel.X)
	})
}

// text is what takes the lock.
func (sp *span) text() string {
	lock := sp.free(sp.remedy.Load, "lock", "held", "fileLock", "processLock")
	failure := "err"
	if !sp.errFits() {
		failure = sp.free(sp.remedy.Load, "lockErr", "errLock")
	}
	if lock == "" || failure == "" {
		sp.note(Refusal("there is no free name for the lock"))
	}
	fails := func(does string) string {
		return "if " + failure + " != nil {\n" + sp.exitText(failure, does, sp.called()) + "\n}\n"
	}
	leave, missing, dir, find := fails("lock"), "", "", ""
	if sp.remedy.Fails {
		find = sp.path + ", " + failure + " := " + sp.value + "\n" + fails("find")
	}
	if sp.remedy.Absent {
		missing = sp.whereMissing(failure)
	}
	switch {
	case missing != "":
	case sp.remedy.Well && sp.remedy.Absent && sp.remedy.Mode == "":
		sp.note(Refusal("the function ends well where there is no file, and where there is no directory for the lock it would not"))
	default:
		dir = sp.makesDir()
		if find == "" && sp.value != "" {
			find = sp.path + " := " + sp.value + "\n"
		}
	}
	return find + dir + lock + ", " + failure + " := " + sp.safeio + "." + sp.withContext("Lock") + sp.path + ")\n" +
		missing + leave + sp.deferring(lock+".Unlock()") + "\n" + sp.reload
}

// exitText is how the function ends where the error called name keeps it from what it comes
// to do: it returns that, or, where it returns no error, does what it does where it cannot
// load the file, or not save it.
func (sp *span) exitText(name, does, what string) string {
	if sp.returnsError() {
		return "\treturn " + sp.zeros() + sp.failure(name, does, what, sp.stmt.Pos())
	}
	for _, call := range []*ast.CallExpr{sp.remedy.Load, sp.remedy.Save} {
		if text := sp.alike(call, name); text != "" {
			return text
		}
	}
	sp.note(Refusal("the function returns no error, and nothing in it says what it does where the lock is not to be had"))
	return ""
}

// alike is what the function does with the error of a call, for one of another name: that
// it says so and leaves. It is empty where it does anything else.
func (sp *span) alike(call *ast.CallExpr, name string) string {
	o := sp.outcome(call)
	if !sp.fails(o) {
		return ""
	}
	return sp.renamed(o.check.Body.List, o.err, name)
}

// whereMissing has the function end as it does where there is no file if the lock says that
// there is no directory for it. It is empty where the function does not say what it does there.
func (sp *span) whereMissing(name string) string {
	o := sp.outcome(sp.remedy.Load)
	check, obj := o.check, o.err
	if sp.asks(o) {
		check, _ = firstIf(check.Body.List)
	}
	if check != nil && check.Init == nil && notFound.MatchString(sp.askedFor(check.Cond, obj)) && sp.ends(check.Body.List) {
		text, missing := sp.renamed(check.Body.List, obj, name), ""
		if call := ast.Unparen(check.Cond).(*ast.CallExpr); len(call.Args) == 2 && sp.pass.stdError(call.Args[1]) != "" {
			missing = sp.of(call.Fun) + "(" + name + ", " + sp.of(call.Args[1]) + ")"
		} else if cond, err := sp.missingText(name); err == nil {
			missing = strings.TrimPrefix(cond, "!")
		}
		if text != "" && missing != "" {
			return "if " + missing + " {\n" + text + "\n}\n"
		}
	}
	return ""
}

// notFound are names of the errors that say that there is no file, also those of programs.
var notFound = pattern.New(`(?i)^err(or)?_?(not?_?(exist|found|such)|missing)`)

// renamed are statements that say something and leave, with another name for the error that
// they speak of; empty where they do more, or would mean something else where the lock is taken.
func (sp *span) renamed(list []ast.Stmt, obj types.Object, name string) string {
	if _, jumps := list[len(list)-1].(*ast.BranchStmt); jumps {
		return ""
	}
	for _, stmt := range list[:len(list)-1] {
		if c := plainCall(stmt); c == nil || !sp.pass.isQuiet(c) {
			return ""
		}
	}
	for id := range unselected(listOf(list)) {
		if sp.pass.Info.Uses[id] != obj && !sp.fixed(id, id.Pos()) {
			return ""
		}
	}
	if sp.named && endsInReturn(list) && result(list[len(list)-1]) == nil {
		return ""
	}
	return "\t" + sp.withName(list, obj, name)
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
	if sp.remedy.Make == nil || sp.reload != "" || slices.Contains(sp.remedy.Saves, sp.remedy.Make) {
		return nil // what saves the file stays, and with what is loaded again nothing moves
	}
	stmt, ok := sp.statement(sp.remedy.Make).(*ast.IfStmt)
	if !ok || stmt.Init == nil || sp.remedy.Make.Pos() > stmt.Init.End() || stmt.Else != nil || indexOf(sp.list, stmt) < 0 || !sp.ends(stmt.Body.List) {
		return nil
	}
	for id := range unselected(stmt) { // its own, or known where the lock is taken
		obj := sp.pass.object(id)
		if own := obj != nil && stmt.Pos() <= obj.Pos() && obj.Pos() < stmt.End(); !own && !sp.fixed(id, stmt.Pos()) {
			return nil
		}
	}
	return stmt
}

// dirCall is the call that makes the directory.
func (sp *span) dirCall() string {
	osName, _ := sp.StdName("os")
	filepathName, _ := sp.StdName("path/filepath")
	for _, name := range []string{osName, filepathName} {
		if _, pkg := sp.pass.lookup(name, sp.stmt.Pos()).(*types.PkgName); name == "" || !pkg && sp.pass.lookup(name, sp.stmt.Pos()) != nil {
			sp.note(Refusal("the directory has to be made before, and os or filepath mean something else there"))
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
	filepathName, _ := sp.StdName("path/filepath")
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
		if c, ok := sp.pass.lookup(last.Name, sp.stmt.Pos()).(*types.Const); ok && c.Val().Kind() == constant.String {
			name = constant.StringVal(c.Val())
		}
	}
	if !fileName.MatchString(name) {
		return nil, ""
	}
	return call, name
}

// fileName is the text of a name with an extension.
var fileName = pattern.New(`^\.?[\w-]+(\.[\w-]+)*$`)

// insists reports whether the function gives up where it could not save: what
// answers an error of the save is a return that is not nil, or an exit.
func (sp *span) insists() bool {
	switch stmt := sp.statement(sp.remedy.Save).(type) {
	case *ast.ExprStmt:
		return false
	case *ast.IfStmt:
		if stmt.Init != nil && inside(sp.remedy.Save, stmt.Init) {
			return sp.bailsOut(stmt)
		}
	case *ast.AssignStmt:
		if sp.errorOf(stmt) == nil {
			return false
		}
		if check, ok := firstIf(sp.rest(stmt)); ok && check.Init == nil {
			return sp.bailsOut(check)
		}
	}
	return true
}

// bailsOut reports whether a check of an error does not go on where there is one.
func (sp *span) bailsOut(check *ast.IfStmt) bool {
	if _, failing, ok := sp.guard(check.Cond); !ok || !failing {
		return true
	}
	list := check.Body.List
	return sp.ends(list) && !isNil(sp.pass.Info, result(list[len(list)-1]))
}

// rehearses reports whether the function can be told to do as if: behind the load
// it asks a variable that is named so.
func (sp *span) rehearses() bool {
	return some(sp.body, func(id *ast.Ident) bool {
		_, isVar := sp.pass.Info.Uses[id].(*types.Var)
		return isVar && id.Pos() > sp.stmt.Pos() && rehearsal.MatchString(id.Name)
	})
}

// rehearsal are names of what asks for a run that changes nothing.
var rehearsal = pattern.New(`(?i)dry_?run|what_?if|no_?op|preview|simulate|pretend|check_?only`)

// endless reports whether a loop that has no condition follows.
func (sp *span) endless() bool {
	return some(sp.body, func(loop *ast.ForStmt) bool { return loop.Cond == nil && loop.Pos() > sp.stmt.Pos() })
}

// errFits reports whether err can be what the lock says: it is a variable of the
// block already, the statement declares it there, with another one, or nothing in the
// function bears the name.
func (sp *span) errFits() bool {
	scope := sp.pass.Pkg.Scope().Innermost(sp.stmt.Pos() - 1) // an if statement has one of its own
	obj := sp.pass.lookup("err", sp.stmt.Pos())
	if obj != nil && obj.Pkg() != nil && obj.Parent() != sp.pass.Pkg.Scope() {
		return isError(obj.Type()) && obj.Parent() == scope
	}
	if obj == nil && every(sp.body, func(id *ast.Ident) bool { return id.Name != "err" }) {
		return true
	}
	return sp.declaresWith(sp.stmt, "err") && slices.ContainsFunc(sp.stmt.(*ast.AssignStmt).Lhs, func(lhs ast.Expr) bool {
		id, _ := lhs.(*ast.Ident)
		return id != nil && id.Name == "err" && sp.pass.Info.Defs[id] != nil && isError(sp.pass.Info.Defs[id].Type())
	})
}
