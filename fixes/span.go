package fixes

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"

	"github.com/lockvet/lockvet/internal/finding"
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
// the save behind it in its block.
func (s *source) spanLock(r finding.SpanLock) (*plan, error) {
	ftype := s.owners[r.Body]
	if ftype == nil {
		return nil, refusal("the function is not known")
	}
	sp := &span{scene: s.newBody(r.Body, ftype), remedy: r}
	if !sp.returnsError() {
		return nil, refusal("the function returns no error that could say that the lock is not to be had")
	}
	if err := sp.find(); err != nil {
		return nil, err
	}
	if err := sp.locate(); err != nil {
		return nil, err
	}
	if sp.leaves() {
		return nil, refusal("the function lets go of something later, which it would keep where the lock is not to be had")
	}
	text, err := sp.text()
	if err != nil {
		return nil, err
	}
	return &plan{message: "Hold a lock between processes from the load to the save", edits: []edit{s.insertBefore(sp.stmt, text)}}, nil
}

// A span is a load and a save that a lock is to be held around.
type span struct {
	*scene
	remedy finding.SpanLock
	stmt   ast.Stmt // in front of which the lock is taken
	list   []ast.Stmt
	path   string
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
			return refusal("the file is loaded in a loop")
		case *ast.LabeledStmt:
			return refusal("the load stands behind a label")
		}
		list := sp.siblings(stmt)
		if i := indexOf(list, stmt); sp.stmt == nil && i >= 0 && covering(list[i:], sp.remedy.Save) >= 0 {
			sp.stmt, sp.list = stmt, list[i:]
		}
	}
	if sp.stmt == nil {
		return refusal("the save does not follow the load")
	}
	return nil
}

// locate proves that the path is the same in front of the statement.
func (sp *span) locate() error {
	tv, err := types.Eval(sp.pass.Fset, sp.pass.Pkg, sp.stmt.Pos(), sp.remedy.Path)
	if err != nil {
		return refusal("the path of the file is not known in front of the load")
	}
	expr, err := parser.ParseExpr(sp.remedy.Path)
	if err != nil {
		return refusal("the path of the file cannot be written")
	}
	ast.Inspect(expr, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			ast.Inspect(n.X, func(x ast.Node) bool { return err == nil && sp.fixed(x, &err) })
			return false
		}
		return err == nil && sp.fixed(n, &err)
	})
	sp.path = sp.remedy.Path
	if !types.Identical(types.Default(tv.Type), types.Typ[types.String]) {
		sp.path = "string(" + sp.path + ")"
	}
	return err
}

// fixed fails unless a name means the same, with the same value, where the lock is
// taken and where the file is loaded.
func (sp *span) fixed(n ast.Node, err *error) bool {
	id, ok := n.(*ast.Ident)
	if !ok {
		return true
	}
	obj, there := sp.lookup(id.Name, sp.stmt.Pos()), sp.lookup(id.Name, sp.remedy.Load.Pos())
	if obj == nil || obj != there || sp.assigned(obj, sp.stmt.Pos(), sp.remedy.Load.Pos()) {
		*err = refusef("%s is not yet known in front of the load", id.Name)
	}
	return true
}

// lookup is what a name means at a place.
func (sp *span) lookup(name string, at token.Pos) types.Object {
	_, obj := sp.pass.Pkg.Scope().Innermost(at).LookupParent(name, at)
	return obj
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
	found := false
	ast.Inspect(call, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			v, isVar := sp.pass.Info.Uses[id].(*types.Var)
			found = found || isVar && !v.IsField() && sp.body.Pos() < v.Pos() && v.Pos() < sp.stmt.Pos()
		}
		return !found
	})
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || found {
		return found
	}
	ast.Inspect(sp.body, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok && c.Pos() < sp.stmt.Pos() {
			if at, ok := c.Fun.(*ast.SelectorExpr); ok && strings.Contains(at.Sel.Name, "Lock") && sp.of(at.X) == sp.of(sel.X) {
				found = true
			}
		}
		return !found
	})
	return found
}

// text is what takes the lock.
func (sp *span) text() (string, error) {
	zeros, err := sp.zeros()
	if err != nil {
		return "", err
	}
	lock := sp.unused("lock", "held", "fileLock", "processLock")
	failure := "err"
	if !sp.errFits() {
		failure = sp.unused("lockErr", "errLock")
	}
	if lock == "" || failure == "" {
		return "", refusal("there is no free name for the lock")
	}
	dir, err := sp.makesDir(zeros)
	if err != nil {
		return "", err
	}
	return dir + lock + ", " + failure + " := " + sp.safeio + ".Lock(" + sp.path + ")\n" +
		"if " + failure + " != nil {\n\treturn " + zeros + failure + "\n}\n" +
		"defer " + lock + ".Unlock()", nil
}

// makesDir is what makes the directory of the file, as the function does later on:
// the lock stands there, too.
func (sp *span) makesDir(zeros string) (string, error) {
	if sp.remedy.Mode == "" {
		return "", nil
	}
	for name, path := range map[string]string{"os": "os", "filepath": "path/filepath"} {
		pkg, ok := sp.lookup(name, sp.stmt.Pos()).(*types.PkgName)
		if !ok || pkg.Imported().Path() != path {
			return "", refusef("the directory has to be made before, and the file does not import %s", path)
		}
	}
	return "if err := os.MkdirAll(filepath.Dir(" + sp.path + "), " + sp.remedy.Mode + "); err != nil {\n\treturn " + zeros + "err\n}\n", nil
}

// unused is the first of the names that nothing in the file or package bears.
func (sp *span) unused(names ...string) string {
	taken := takenNames(sp.pass, sp.file)
	for _, spec := range sp.file.Imports {
		taken[importName(sp.pass, spec)] = true
	}
	for _, n := range names {
		if !taken[n] {
			return n
		}
	}
	return ""
}

// errFits reports whether err can be what the lock says: it is a variable of the
// block already, or the statement declares it there, with another one.
func (sp *span) errFits() bool {
	scope := sp.pass.Pkg.Scope().Innermost(sp.stmt.Pos())
	obj := sp.lookup("err", sp.stmt.Pos())
	if obj != nil && obj.Pkg() != nil && obj.Parent() != sp.pass.Pkg.Scope() {
		return isError(obj.Type()) && obj.Parent() == scope
	}
	assign, ok := sp.stmt.(*ast.AssignStmt)
	if !ok || assign.Tok != token.DEFINE {
		return false
	}
	news, declares := 0, false
	for _, lhs := range assign.Lhs {
		id, ok := lhs.(*ast.Ident)
		if !ok || id.Name == "_" || sp.pass.Info.Defs[id] == nil {
			continue
		}
		if id.Name == "err" {
			declares = isError(sp.pass.Info.Defs[id].Type())
		} else {
			news++
		}
	}
	return declares && news > 0
}
