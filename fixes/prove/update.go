package prove

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/lockvet/lockvet/fixes/rewrite"
)

// maxNested is how many lines an update may nest one deeper. A lock adds five, and
// a reviewer sees each line that is nested as one that has changed.
const maxNested = 15

// An updating is a span whose load and save are calls of package os in one block, so
// that both can become one call.
type updating struct {
	*span
	read      *ast.AssignStmt
	data, err types.Object   // what read declares, or assigns
	look      *ast.IfStmt    // at err
	remaining *ast.BlockStmt // the part of look that stays, nil for none
	cond      string         // under which it stays
	change    []ast.Stmt     // what stands between look and save
	save      ast.Stmt
	rest      []ast.Stmt                 // what follows save
	others    string                     // what is returned in front of an error
	returned  map[*ast.ReturnStmt]string // what the returns in between are to be
}

// update turns
//
//	data, err := os.ReadFile(path)               return safeio.Update(path, 0o600, func(data []byte) ([]byte, error) {
//	if err != nil && !os.IsNotExist(err) {           …
//		return err                                   return out, nil
//	}                                            })
//	…
//	return os.WriteFile(path, out, 0o600)
//
// It is nil for all else, for which a lock is the smaller patch: where what is done
// in between is long, where a file that is not there is an error, and where the
// errors of the load, the change and the save are not passed on alike.
func (sp *span) update() *Proof {
	u := &updating{span: sp, returned: make(map[*ast.ReturnStmt]string)}
	if !sp.returnsError() || sp.remedy.Mode != "" || !u.find() || !u.movable() || !u.takesMissing() || !u.notNil(u.remedy.Save.Args[1], map[types.Object]bool{}) || !u.own() || !u.returns() {
		return nil
	}
	p, err := sp.plan("Change the file with "+sp.safeio+".Update", u.proof())
	if err != nil || !p.tree.Formatted() {
		return nil // lines that are not formatted stay as they are behind a lock
	}
	p.Also, p.From, p.To = sp.remedy.Save.Pos(), u.read.Pos(), u.save.End()
	return p
}

// proof is what is known of the statements.
func (u *updating) proof() rewrite.Update {
	p := rewrite.Update{
		Read: u.read, Look: u.look, Change: u.change, Save: u.save, SaveCall: u.remedy.Save,
		Remaining: u.remaining, Cond: u.cond, First: u.first(), Returns: u.returned,
		Call: u.safeio + "." + u.withContext("Update") + u.of(u.remedy.Load.Args[0]) + ", " + u.of(u.remedy.Save.Args[2]) +
			", func(" + u.data.Name() + " []byte) ([]byte, error) {\n})",
		Result: "return " + u.of(u.remedy.Save.Args[1]) + ", nil",
	}
	if made := u.made(); made != nil {
		p.Made, p.Result = 2, "return "+u.of(soleCall(made))
		maps.DeleteFunc(p.Returns, func(ret *ast.ReturnStmt, _ string) bool { return ret.Pos() > made.Pos() })
	}
	return p
}

// find finds the statements.
func (u *updating) find() bool {
	k := at(u.list, u.remedy.Save.Pos())
	o := u.outcome(u.remedy.Load)
	if k < 2 || !isDefine(o.stmt) || o.stmt != u.list[0] || o.check == nil || ast.Stmt(o.check) != u.list[1] ||
		!u.pass.calls(o.call, "os", "ReadFile") && !u.pass.calls(o.call, "io/ioutil", "ReadFile") {
		return false
	}
	u.read, u.look, u.change, u.save, u.rest = o.stmt.(*ast.AssignStmt), o.check, u.list[2:k], u.list[k], u.list[k+1:]
	id, _ := u.read.Lhs[0].(*ast.Ident)
	u.data, u.err = u.pass.Info.Defs[id], o.err
	return u.data != nil && u.saves()
}

// saves reports whether the save is a statement of its own that passes its error on.
func (u *updating) saves() bool {
	call := u.remedy.Save
	if !u.pass.writesFile(call) && !u.pass.calls(call, u.pass.SafeioPath, "WriteFile") {
		return false
	}
	o := u.outcome(call)
	switch {
	case o.stmt != u.save:
		return false
	case o.returned():
		return len(o.ret.Results) == 1
	case !u.headsDefining(o):
		return false
	}
	ret := u.returnOf(o.check.Body, o.err)
	if ret != nil {
		u.others = u.before(ret)
	}
	return ret != nil
}

// returnOf is the return that is all of a block, if it returns an error as the last result.
func (u *updating) returnOf(block *ast.BlockStmt, err types.Object) *ast.ReturnStmt {
	if ret := soleReturn(block.List); ret != nil && len(ret.Results) == len(u.results) && u.pass.object(result(ret)) == err {
		return ret
	}
	return nil
}

// before is the text of what is returned in front of the last result.
func (u *updating) before(ret *ast.ReturnStmt) string {
	last := ret.Results[len(ret.Results)-1]
	return strings.TrimSpace(u.between(ret.Pos()+token.Pos(len("return")), last.Pos()))
}

// movable reports whether nothing in between has to stay where it is, and both calls
// are about the same file, whose name and mode are known in front of them.
func (u *updating) movable() bool {
	to := u.save.Pos()
	if len(u.change) > 0 && u.line(to)-u.line(u.change[0].Pos()) > maxNested {
		return false
	}
	load, save := u.remedy.Load.Args[0], u.remedy.Save.Args[0]
	return types.ExprString(load) == types.ExprString(save) && u.sameNames(load, save) &&
		u.isStable(load) && u.isStable(u.remedy.Save.Args[2]) &&
		!slices.ContainsFunc(u.change, u.bound)
}

// sameNames reports whether the names in two expressions of one form mean the same.
func (u *updating) sameNames(a, b ast.Expr) bool {
	objects := func(e ast.Expr) (list []types.Object) {
		for id := range nodes[*ast.Ident](e) {
			list = append(list, u.pass.Info.Uses[id])
		}
		return list
	}
	return slices.Equal(objects(a), objects(b))
}

// isStable reports whether an expression has its value in front of the load already,
// and keeps it until the save.
func (u *updating) isStable(e ast.Expr) bool {
	if !u.isPure(e) {
		return false
	}
	parts := map[string]bool{}
	for part := range nodes[ast.Expr](e) {
		parts[types.ExprString(part)] = true
		if obj := u.pass.object(part); obj != nil && u.read.Pos() <= obj.Pos() && obj.Pos() <= u.save.End() {
			return false
		}
	}
	sets := func(e ast.Expr) bool { return parts[types.ExprString(e)] }
	return !slices.ContainsFunc(u.change, func(stmt ast.Stmt) bool {
		return some(stmt, func(a *ast.AssignStmt) bool { return slices.ContainsFunc(a.Lhs, sets) }) ||
			some(stmt, func(e *ast.UnaryExpr) bool { return e.Op == token.AND && sets(e.X) })
	})
}

// bound reports whether a statement does what means something else in a function
// literal, or leads to a place out of it.
func (u *updating) bound(stmt ast.Stmt) bool {
	return some(stmt, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.DeferStmt, *ast.GoStmt, *ast.LabeledStmt, *ast.SelectStmt:
			return true
		case *ast.BranchStmt:
			return n.Label != nil || !u.loops(n)
		case *ast.CallExpr:
			return u.pass.builtin(n) == "recover"
		}
		return false
	})
}

// takesMissing reports whether the check returns every error but that of a file that
// is not there, and plans what becomes of it: data is nil where there is no file.
func (u *updating) takesMissing() bool {
	data, look := u.data.Name(), u.look
	list := look.Body.List
	otherwise, _ := look.Else.(*ast.IfStmt)
	asks := func(op token.Token) bool { return u.tests(look.Cond, op, u.err) }
	switch {
	case look.Else == nil && u.refuses(look):
	case asks(token.EQL) && otherwise != nil && u.refuses(otherwise):
		u.remaining, u.cond = look.Body, data+" != nil"
	case asks(token.NEQ) && look.Else == nil && len(list) > 1 && u.refusesAt(list[0]):
		u.remaining, u.cond = look.Body, data+" == nil"
	case u.isMissing(look.Cond) && otherwise != nil && otherwise.Else == nil && u.tests(otherwise.Cond, token.NEQ, u.err) && u.passesOn(otherwise.Body):
		u.remaining, u.cond = look.Body, data+" == nil"
	default:
		return false
	}
	return true
}

// refuses reports whether a statement returns the error of the load unless it says
// that there is no file.
func (u *updating) refuses(check *ast.IfStmt) bool {
	if check.Init != nil || check.Else != nil {
		return false
	}
	if u.tests(check.Cond, token.NEQ, u.err) {
		return len(check.Body.List) == 1 && u.refusesAt(check.Body.List[0])
	}
	cond := ast.Unparen(check.Cond)
	if and, ok := cond.(*ast.BinaryExpr); ok && and.Op == token.LAND {
		switch {
		case u.tests(and.X, token.NEQ, u.err):
			cond = and.Y
		case u.tests(and.Y, token.NEQ, u.err):
			cond = and.X
		}
	} else if check == u.look {
		return false // of no error at all
	}
	not, ok := ast.Unparen(cond).(*ast.UnaryExpr)
	return ok && not.Op == token.NOT && u.isMissing(not.X) && u.passesOn(check.Body)
}

// refusesAt is refuses for a statement that stands where there is an error.
func (u *updating) refusesAt(stmt ast.Stmt) bool {
	check, ok := stmt.(*ast.IfStmt)
	return ok && check != u.look && !u.tests(check.Cond, token.NEQ, u.err) && u.refuses(check)
}

// isMissing reports whether an expression asks whether the load says that there is
// no file.
func (u *updating) isMissing(e ast.Expr) bool { return u.asksMissing(e, u.err) }

// passesOn reports whether a block returns the error of the load as the save does
// its own.
func (u *updating) passesOn(block *ast.BlockStmt) bool {
	ret := u.returnOf(block, u.err)
	return ret != nil && u.before(ret) == u.others
}

// notNil reports whether a value is more than nothing, or at least not nil: of what is saved
// there would be no file then where there was none. met are the variables that it was
// in.
func (u *updating) notNil(e ast.Expr, met map[types.Object]bool) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		v := u.pass.object(e)
		if met[v] {
			return false
		}
		met[v] = true
		var only ast.Expr
		for _, stmt := range u.change {
			for a := range nodes[*ast.AssignStmt](stmt) {
				for i, lhs := range a.Lhs {
					if u.pass.object(lhs) != v {
						continue
					}
					if v != nil && u.parents[a] == u.parents[u.save] && (i == 0 || len(a.Lhs) == len(a.Rhs)) {
						only = a.Rhs[i] // the last one counts
					} else {
						only = nil
					}
				}
			}
		}
		return only != nil && u.notNil(only, met)
	case *ast.CallExpr:
		if tv := u.pass.Info.Types[e.Fun]; tv.IsType() && len(e.Args) == 1 {
			b, ok := u.pass.Info.TypeOf(e.Args[0]).Underlying().(*types.Basic)
			return ok && b.Info()&types.IsString != 0
		}
		if b := u.pass.builtin(e); b != "" {
			return b == "append" && len(e.Args) > 1 && (!e.Ellipsis.IsValid() || hasNewline(e.Args[1]))
		}
		fn := u.pass.callee(e)
		return fn != nil && fn.Pkg() != nil && strings.HasPrefix(fn.Name(), "Marshal") && (fn.Pkg().Name() == "json" || fn.Pkg().Name() == "yaml")
	}
	return false
}

// hasNewline reports whether a text is written out in part, with a newline in it.
func hasNewline(e ast.Expr) bool {
	return some(e, func(lit *ast.BasicLit) bool { return lit.Kind == token.STRING && strings.Contains(lit.Value, `\n`) })
}

// own reports whether what the statements declare is used by nothing behind them, and
// what the load declared by none but the check: err is declared anew in between, or
// not used there.
func (u *updating) own() bool {
	for _, stmt := range u.rest {
		used := some(stmt, func(id *ast.Ident) bool {
			obj := u.pass.Info.Uses[id]
			return obj != nil && (obj == u.err || u.read.Pos() <= obj.Pos() && obj.Pos() < u.save.End())
		})
		if used {
			return false
		}
	}
	if u.pass.Info.Defs[u.read.Lhs[1].(*ast.Ident)] == nil {
		return false
	}
	anew := u.redeclares(u.err)
	early, read := false, false
	for id := range u.pass.usesOf(listOf(u.staying()), u.err) {
		early = early || anew == nil || id.Pos() < anew.Pos()
		read = read || !u.assignsTo(id)
	}
	return !early && (read || anew == nil)
}

// staying are the statements between the calls that stay.
func (u *updating) staying() []ast.Stmt {
	var list []ast.Stmt
	if u.remaining != nil {
		list = slices.Clone(u.remaining.List)
	}
	if u.first() != nil {
		list = list[1:]
	}
	return append(list, u.change...)
}

// first is the statement that the part of the check which stays does without, nil for none.
func (u *updating) first() ast.Stmt {
	if u.remaining == nil || len(u.remaining.List) == 0 || !u.refusesAt(u.remaining.List[0]) {
		return nil
	}
	return u.remaining.List[0]
}

// assignsTo reports whether a name stands on the left of an assignment.
func (u *updating) assignsTo(id *ast.Ident) bool {
	a, ok := u.parents[id].(*ast.AssignStmt)
	return ok && slices.Contains(a.Lhs, ast.Expr(id))
}

// returns makes the returns in between those of a function that gives the new
// content, or the old one where nothing is to be changed.
func (u *updating) returns() bool {
	ok := true
	ast.Inspect(listOf(u.staying()), func(n ast.Node) bool {
		if ret, is := n.(*ast.ReturnStmt); is {
			ok = ok && u.becomes(ret)
		}
		_, lit := n.(*ast.FuncLit)
		return ok && !lit
	})
	return ok
}

// becomes finds what a return is to be.
func (u *updating) becomes(ret *ast.ReturnStmt) bool {
	if len(ret.Results) != len(u.results) || len(ret.Results) == 0 {
		return false
	}
	last := ret.Results[len(ret.Results)-1]
	if isNil(u.pass.Info, last) {
		if len(ret.Results) > 1 || !u.last() || !u.untouched() {
			return false
		}
		u.returned[ret] = "return " + u.data.Name() + ", nil"
		return true
	}
	if u.before(ret) != u.others || !u.isFailure(last) && !u.guarded(ret, last) {
		return false
	}
	u.returned[ret] = "return nil, " + u.of(last)
	return true
}

// guarded reports whether a return stands where its error is one.
func (u *updating) guarded(ret *ast.ReturnStmt, last ast.Expr) bool {
	block, _ := u.parents[ret].(*ast.BlockStmt)
	check, ok := u.parents[block].(*ast.IfStmt)
	obj := u.pass.object(last)
	return ok && obj != nil && check.Body == block && len(block.List) == 1 && u.tests(check.Cond, token.NEQ, obj)
}

// last reports whether nothing comes behind the save but the end.
func (u *updating) last() bool {
	return len(u.rest) == 0 || u.endsWell(u.rest[:1])
}

// untouched reports whether what was loaded is only looked at: it is told how long it
// is, made a text, or decoded.
func (u *updating) untouched() bool {
	for id := range u.pass.usesOf(u.body, u.data) {
		if _, compared := u.parents[id].(*ast.BinaryExpr); compared {
			continue
		}
		p, ok := u.parents[id].(*ast.CallExpr)
		if !ok {
			return false
		}
		fn := u.pass.callee(p)
		looks := fn != nil && fn.Pkg() != nil && (fn.Pkg().Path() == "bytes" || strings.HasPrefix(fn.Name(), "Unmarshal"))
		if !looks && !u.pass.Info.Types[p.Fun].IsType() && u.pass.builtin(p) != "len" {
			return false
		}
	}
	return true
}

// made is the statement right in front of the save that makes what is saved, and
// nothing else, and whose error is returned as it is; nil where there is none.
func (u *updating) made() *ast.AssignStmt {
	n := len(u.change) - 2
	if n < 0 || soleCall(u.change[n]) == nil || !isDefine(u.change[n]) {
		return nil
	}
	made, o := u.change[n].(*ast.AssignStmt), u.outcome(soleCall(u.change[n]))
	out := u.pass.object(made.Lhs[0])
	if len(made.Lhs) != 2 || out == nil || out != u.pass.object(u.remedy.Save.Args[1]) || types.TypeString(out.Type(), nil) != "[]byte" || u.redeclares(o.err) != made {
		return nil
	}
	if !u.asks(o) || o.check.Else != nil || u.returnOf(o.check.Body, o.err) == nil {
		return nil
	}
	return made
}

// redeclares is the first statement in between that declares a variable, nil for none. In
// the function literal it does so also where the load has declared it already.
func (u *updating) redeclares(obj types.Object) *ast.AssignStmt {
	for _, stmt := range u.change {
		if a, ok := stmt.(*ast.AssignStmt); ok && a.Tok == token.DEFINE && slices.ContainsFunc(a.Lhs, func(e ast.Expr) bool { return u.pass.object(e) == obj }) {
			return a
		}
	}
	return nil
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
	for scope := sp.pass.Pkg.Scope().Innermost(sp.stmt.Pos()); scope != nil && scope != sp.pass.Pkg.Scope(); scope = scope.Parent() {
		for _, name := range scope.Names() {
			v, ok := scope.Lookup(name).(*types.Var)
			if ok && v.Pos() < sp.stmt.Pos() && types.TypeString(v.Type(), nil) == "context.Context" && sp.pass.lookup(name, sp.stmt.Pos()) == v && sp.pass.mentions(sp.body, v) {
				return name
			}
		}
	}
	return ""
}
