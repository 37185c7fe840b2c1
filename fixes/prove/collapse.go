package prove

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/lockvet/lockvet/fixes/rewrite"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/syntax"
)

// A temp is the temporary file of a hand-made replacement.
type temp struct {
	rename *ast.CallExpr
	target ast.Expr
	// names are the variables that hold its path; text is the path itself
	// where it has no variable.
	names objects
	text  string
	// handle: the path comes from the handle's Name, which after the fix is
	// the target.
	handle bool
}

// collapseTemp turns
//
//	tmp := path + ".tmp"
//	if err := os.WriteFile(tmp, data, 0o600); err != nil {
//		return err
//	}
//	return os.Rename(tmp, path)
//
// into
//
//	return safeio.WriteFile(path, data, 0o600)
//
// and the same with a handle into safeio.Create and Commit.
func (s *File) collapseTemp(r finding.CollapseTemp) (*Proof, error) {
	if r.Rename == nil || !s.pass.calls(r.Rename, "os", "Rename") || len(r.Rename.Args) != 2 {
		return nil, Refusal("the rename is not a call of os.Rename in this function")
	}
	t := &temp{rename: r.Rename, target: r.Rename.Args[1], names: make(objects)}
	if s.pass.writesFile(r.Open) {
		return s.collapseWrite(r, t)
	}
	return s.collapseHandle(r, t)
}

// collapseHandle fixes a temporary file that is written through a handle.
func (s *File) collapseHandle(r finding.CollapseTemp, t *temp) (*Proof, error) {
	sc, err := s.newHandleScope(r.Body, r.Open)
	if err != nil {
		return nil, err
	}
	sc.temp = t
	if err := inOrder(sc.findTemp, sc.reachable, sc.scanTemp, sc.reopen, sc.follow); err != nil {
		return nil, err
	}
	return sc.collapsed(sc.safeio + ".Create and Commit")
}

// findTemp finds what names the temporary file.
func (sc *handleScope) findTemp() error {
	t := sc.temp
	if sc.pass.calls(sc.open, "os", "CreateTemp") || sc.pass.calls(sc.open, "io/ioutil", "TempFile") {
		t.handle = true
	} else if err := t.named(sc, sc.open.Args[0]); err != nil {
		return err
	}
	for a := range syntax.Nodes[*ast.AssignStmt](sc.body) {
		if len(a.Lhs) == 1 && len(a.Rhs) == 1 && sc.isName(a.Rhs[0]) {
			if obj := sc.pass.object(a.Lhs[0]); obj != nil && a.Tok == token.DEFINE {
				t.names[obj] = true
			}
		}
	}
	if !sc.isTemp(t.rename.Args[0]) {
		return Refusal("the renamed file is not the one that is opened")
	}
	return nil
}

// named takes the path of the temporary file from the call that opens it.
func (t *temp) named(sc *handleScope, path ast.Expr) error {
	obj := sc.pass.object(path)
	if obj == nil {
		if !sc.isPure(path) {
			return Refusal("the temporary name is computed twice")
		}
		t.text = types.ExprString(path)
		return nil
	}
	if v, ok := obj.(*types.Var); !ok || v.IsField() || v.Parent() == sc.pass.Pkg.Scope() ||
		obj.Pos() < sc.body.Pos() || obj.Pos() > sc.body.End() {
		return Refusal("the temporary name comes from outside the function")
	}
	t.names[obj] = true
	return nil
}

// isName reports whether an expression is f.Name().
func (sc *handleScope) isName(e ast.Expr) bool {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	return ok && sc.f != nil && sc.isMethod(call, "Name")
}

// isTemp reports whether an expression is the path of the temporary file.
func (sc *handleScope) isTemp(e ast.Expr) bool {
	if obj := sc.pass.object(e); obj != nil {
		return sc.temp.names[obj]
	}
	if sc.isName(e) {
		return true
	}
	return sc.temp.text != "" && types.ExprString(e) == sc.temp.text
}

// reachable proves that the target's path means at the opening what it means
// at the rename.
func (sc *handleScope) reachable() error {
	t := sc.temp
	if !sc.isPure(t.target) {
		return Refusal("the target's path is only computed when the file is renamed")
	}
	for _, v := range sc.pass.vars(t.target) {
		switch {
		case v.IsField():
		case v.Parent() != sc.pass.Pkg.Scope() && v.Pos() > sc.open.Pos():
			return Refusal("the target's path is only known when the file is renamed")
		case sc.assigned(v, sc.open.Pos(), t.rename.Pos()):
			return Refusal("the target's path changes before the file is renamed")
		}
	}
	if !sc.sees(sc.open.Pos(), t.target) {
		return Refusal("the target's path is not known where the file is opened")
	}
	return nil
}

// assigned reports whether a variable is assigned to between two places.
func (sc *handleScope) assigned(obj types.Object, from, to token.Pos) bool {
	return syntax.Some(sc.body, func(a *ast.AssignStmt) bool {
		return from < a.Pos() && a.Pos() < to && slices.ContainsFunc(a.Lhs, func(lhs ast.Expr) bool {
			id, ok := lhs.(*ast.Ident)
			return ok && sc.pass.Info.Uses[id] == obj
		})
	})
}

// scanTemp takes away what only the temporary file needed, and fails if it is
// used for anything else.
func (sc *handleScope) scanTemp() error {
	var err error
	ast.Inspect(sc.body, func(n ast.Node) bool {
		if n == ast.Node(sc.open) || err != nil {
			return false
		}
		defer func() { err = sc.at(n, err) }()
		e, ok := n.(ast.Expr)
		if !ok {
			return true
		}
		if id, ok := e.(*ast.Ident); ok && sc.pass.Info.Uses[id] == nil {
			return true
		}
		if sc.isTemp(e) {
			err = sc.tempUse(e)
			return false
		}
		if call, ok := e.(*ast.CallExpr); ok {
			switch {
			case sc.removesTarget(call):
				err = sc.dropRemove(call)
			case sc.movesTarget(call):
				err = Refusal("the old file is moved aside before the new one takes its place")
			}
		}
		return true
	})
	return err
}

// removesTarget reports whether a call removes the target before the rename.
func (sc *handleScope) removesTarget(call *ast.CallExpr) bool {
	return sc.pass.calls(call, "os", "Remove") && len(call.Args) == 1 &&
		types.ExprString(call.Args[0]) == types.ExprString(sc.temp.target) &&
		sc.open.Pos() < call.Pos() && call.Pos() < sc.temp.rename.Pos()
}

// movesTarget reports whether a call renames or links the target before the rename.
func (sc *handleScope) movesTarget(call *ast.CallExpr) bool {
	return sc.pass.calls(call, "os", "Rename", "Link") && call != sc.temp.rename && call.Pos() < sc.temp.rename.Pos() &&
		types.ExprString(call.Args[0]) == types.ExprString(sc.temp.target)
}

// tempUse fixes one use of the temporary file's path.
func (sc *handleScope) tempUse(e ast.Expr) error {
	switch p := sc.parents[e].(type) {
	case *ast.AssignStmt:
		if len(p.Lhs) == 1 && len(p.Rhs) == 1 && p.Rhs[0] == e && sc.temp.names[sc.pass.object(p.Lhs[0])] {
			return nil
		}
	case *ast.CallExpr:
		return sc.tempCall(p, e)
	}
	return Refusal("the temporary name is used for something else")
}

func (sc *handleScope) tempCall(call *ast.CallExpr, e ast.Expr) error {
	switch {
	case call == sc.temp.rename:
		return nil
	case sc.pass.calls(call, "os", "Remove", "RemoveAll"):
		return sc.dropRemove(call)
	case sc.pass.calls(call, "os", "Chmod") && sc.f != nil && call.Pos() < sc.temp.rename.Pos():
		sc.wrap(call, sc.f.Name()+".Chmod("+rewrite.Carried+")", call.Args[1])
		return nil
	case sc.pass.isQuiet(call) && sc.namesTarget(e.Pos()):
		sc.put(e, sc.of(sc.temp.target))
		return nil
	}
	return refusef("the temporary file is also used by %s", sc.of(call.Fun))
}

// namesTarget reports whether the target is a plain name that means the same
// at a place.
func (sc *handleScope) namesTarget(pos token.Pos) bool {
	e := ast.Unparen(sc.temp.target)
	for sel, ok := e.(*ast.SelectorExpr); ok; sel, ok = e.(*ast.SelectorExpr) {
		e = sel.X
	}
	id, ok := e.(*ast.Ident)
	return ok && sc.pass.lookup(id.Name, pos) == sc.pass.Info.Uses[id]
}

// dropRemove takes away the statement that removes a file, and what is empty
// without it.
func (sc *handleScope) dropRemove(call *ast.CallExpr) error {
	o := sc.outcome(call)
	_, deferred := o.stmt.(*ast.DeferStmt)
	if !deferred && syntax.PlainCall(o.stmt) == nil && (!o.heads() || o.check.Else != nil) {
		return Refusal("the error of removing the file is used")
	}
	sc.drop(o.stmt)
	sc.dropEmpty(o.stmt)
	return nil
}

// dropEmpty takes away the statement around a list of which nothing is left.
func (sc *handleScope) dropEmpty(stmt ast.Stmt) {
	block, ok := sc.parents[stmt].(*ast.BlockStmt)
	if !ok {
		return
	}
	left := slices.DeleteFunc(slices.Clone(block.List), func(s ast.Stmt) bool { return sc.changed(s) })
	if len(left) > 0 {
		return
	}
	switch p := sc.parents[block].(type) {
	case *ast.IfStmt:
		switch {
		case p.Else != nil:
			sc.note(Refusal("nothing would be left of a branch, and it has another"))
		case p.Init == nil && sc.isPure(p.Cond) && sc.siblings(p) != nil:
			sc.drop(p)
			sc.dropEmpty(p)
		}
	case *ast.FuncLit:
		call, _ := sc.parents[p].(*ast.CallExpr)
		if d, ok := sc.parents[call].(*ast.DeferStmt); ok && call.Fun == ast.Expr(p) {
			sc.drop(d)
		}
	}
}

// collapseWrite fixes a temporary file that is written in one call. Write and
// rename must stand in one list with nothing between them that could leave it.
func (s *File) collapseWrite(r finding.CollapseTemp, t *temp) (*Proof, error) {
	sc := s.scope(r.Body)
	sc.open, sc.temp = r.Open, t
	if err := inOrder(sc.findTemp, sc.followed, sc.reachable, sc.scanTemp, sc.mergeWrite, sc.dropUnused); err != nil {
		return nil, err
	}
	return sc.collapsed(sc.writerAt(sc.body.Pos()))
}

// followed proves that the rename follows the write in one list.
func (sc *handleScope) followed() error {
	if !slices.Contains(sc.rest(sc.statement(sc.open)), sc.statement(sc.temp.rename)) {
		return Refusal("the write and the rename do not follow each other")
	}
	return nil
}

// mergeWrite lets the write replace the target, and takes the rename away.
func (sc *handleScope) mergeWrite() error {
	list := sc.siblings(sc.statement(sc.open))
	i, j := indexOf(list, sc.statement(sc.open)), indexOf(list, sc.statement(sc.temp.rename))
	between := list[i+1 : j]
	write, rename := sc.outcome(sc.open), sc.outcome(sc.temp.rename)
	if sc.leaving(write) == nil {
		return Refusal("the error of the write is not checked before the rename")
	}
	if !write.heads() {
		between = between[1:]
	}
	for _, s := range between {
		if !sc.changed(s) && !sc.harmless(s) {
			return Refusal("something happens between the write and the rename")
		}
	}
	adjacent := !slices.ContainsFunc(between, func(s ast.Stmt) bool { return !sc.changed(s) })
	switch {
	case rename.returned():
		sc.mergeReturn(list[i], rename.ret, adjacent)
		return nil
	case syntax.PlainCall(list[j]) != nil:
	case rename.check == nil || rename.check.Else != nil || !rename.heads() && !sc.fails(rename) ||
		!sc.bailsOut(rename.check.Body.List):
		return Refusal("the error of the rename is not checked at once, or the function has another way then")
	case !rename.heads():
		sc.drop(rename.check)
	}
	sc.drop(list[j])
	sc.rewrite()
	return nil
}

// rewrite makes the write one of the target.
func (sc *handleScope) rewrite() {
	sc.put(sc.open.Fun, sc.writerAt(sc.open.Pos()))
	sc.put(sc.open.Args[0], sc.of(sc.temp.target))
}

// harmless reports whether a statement between write and rename only prints.
func (sc *handleScope) harmless(stmt ast.Stmt) bool {
	if check, ok := stmt.(*ast.IfStmt); ok {
		_, _, guards := sc.guard(check.Cond)
		return !guards && check.Init == nil && check.Else == nil && sc.isPure(check.Cond) && sc.areHarmless(check.Body.List)
	}
	call := syntax.PlainCall(stmt)
	return call != nil && sc.pass.isQuiet(call)
}

// areHarmless reports whether all of some statements are.
func (sc *handleScope) areHarmless(list []ast.Stmt) bool {
	return !slices.ContainsFunc(list, func(s ast.Stmt) bool { return !sc.harmless(s) })
}

// bailsOut reports whether the handling of an error does nothing but print,
// clean up and leave.
func (sc *handleScope) bailsOut(list []ast.Stmt) bool {
	i := slices.IndexFunc(list, func(s ast.Stmt) bool { return !sc.changed(s) && !sc.harmless(s) })
	return i < 0 || i == len(list)-1 && sc.ends(list) && !sc.tries(list[i])
}

// tries reports whether a statement does something else to files.
func (sc *handleScope) tries(stmt ast.Stmt) bool {
	return syntax.Some(stmt, func(call *ast.CallExpr) bool {
		return !sc.pass.isQuiet(call) && (sc.pass.touchesFiles(call) ||
			slices.ContainsFunc(call.Args, func(arg ast.Expr) bool {
				return types.ExprString(arg) == types.ExprString(sc.temp.target)
			}))
	})
}

// mergeReturn ends with the write where the rename was returned.
func (sc *handleScope) mergeReturn(write ast.Stmt, ret *ast.ReturnStmt, adjacent bool) {
	if adjacent && len(ret.Results) == 1 && sc.passesOnWrite() {
		sc.carry(write, "return "+rewrite.Carried, sc.open)
		sc.drop(ret)
	} else {
		sc.put(syntax.Result(ret), "nil")
	}
	sc.rewrite()
}

// passesOnWrite reports whether all that is done with the write's error is to return it, by the
// if statement that the write heads.
func (sc *handleScope) passesOnWrite() bool {
	write := sc.outcome(sc.open)
	return write.heads() && syntax.IsDefine(write.check.Init) && sc.passesOn(write)
}
