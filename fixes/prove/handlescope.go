package prove

import (
	"cmp"
	"errors"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/lockvet/lockvet/fixes/rewrite"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/pattern"
	"github.com/lockvet/lockvet/internal/syntax"
)

// A handleScope is the body of a function, with the file handle in it that a fix is about, if it
// is about one: from the call that opens it to the end of the block that declares it.
type handleScope struct {
	*File
	body    *ast.BlockStmt
	ftype   *ast.FuncType
	results []types.Type
	named   bool // the results have names
	parents map[ast.Node]ast.Node

	open  *ast.CallExpr
	check *ast.IfStmt // of the error of open
	tail  []ast.Stmt  // what follows check in its block, or stands in it where there is no error
	loop  bool        // the block is within a loop of the function

	f        types.Object
	wrappers objects // variables that write through f
	leaks    bool    // some exit neither commits nor closes

	temp *temp // nil where the file is opened under its own name
	path ast.Expr
	ops  []rewrite.Op // what is to change

	overwrites bool // the file is opened without truncation, by mistake

	idle []*ast.CallExpr // of the handle, which have no purpose where the file is replaced

	err error // why the changes cannot be made; the first reason counts

	again []ast.Node // what the text of an edit repeats of what it replaces
}

// do notes changes.
func (sc *handleScope) do(ops ...rewrite.Op) { sc.ops = append(sc.ops, ops...) }

// put puts an expression in the place of another.
func (sc *handleScope) put(e ast.Expr, src string) { sc.do(rewrite.Put{Expr: e, Src: src}) }

// change puts statements in the place of one.
func (sc *handleScope) change(stmt ast.Stmt, src string) {
	sc.do(rewrite.Change{Stmts: []ast.Stmt{stmt}, Src: src})
}

// carry puts statements in the place of one, in which the name [rewrite.Carried] stands
// for an expression of that.
func (sc *handleScope) carry(stmt ast.Stmt, src string, e ast.Expr) {
	sc.do(rewrite.Change{Stmts: []ast.Stmt{stmt}, Src: src, Carry: e})
}

// wrap puts an expression in the place of another, in which the name [rewrite.Carried]
// stands for a part of that.
func (sc *handleScope) wrap(e ast.Expr, src string, part ast.Expr) {
	sc.do(rewrite.Put{Expr: e, Src: src, Carry: part})
}

// before puts statements in front of another, behind those put there.
func (sc *handleScope) before(stmt ast.Stmt, src string) {
	if src == "" {
		return
	}
	sc.do(rewrite.Insert{Before: stmt, Src: src})
}

// after puts statements behind another, behind those put there.
func (sc *handleScope) after(stmt ast.Stmt, src string) {
	sc.do(rewrite.Insert{Behind: stmt, Src: src})
}

// drop takes a statement away.
func (sc *handleScope) drop(stmt ast.Stmt) {
	sc.do(rewrite.Drop{Stmt: stmt})
}

// changed reports whether a node is taken away, or something else put in its place.
func (sc *handleScope) changed(n ast.Node) bool { return rewrite.Removes(sc.ops, n) }

// note notes why the changes cannot be made, if err says so.
func (sc *handleScope) note(err error) {
	if sc.err == nil {
		sc.err = err
	}
}

// plan makes the changes, and some more.
func (sc *handleScope) plan(message string, ops ...rewrite.Op) (*Proof, error) {
	if sc.err != nil {
		return nil, sc.err
	}
	return sc.rewritten(message, sc.body, append(sc.ops, ops...)...)
}

// unless is the statement that makes a call whose error is err, and does something where there
// is one.
func unless(call, does string) string { return "if err := " + call + "; err != nil {\n" + does + "\n}" }

// handleMethods are the methods that *safeio.File shares with *os.File.
var handleMethods = map[string]bool{
	"Write": true, "WriteString": true, "ReadFrom": true, "Seek": true,
	"Stat": true, "Chmod": true, "Sync": true, "Name": true, "Close": true,
}

// newHandleScope finds the handle that open declares, and the check of its error.
func (s *File) newHandleScope(body *ast.BlockStmt, open *ast.CallExpr) (*handleScope, error) {
	sc := s.scope(body)
	sc.open = open
	assign, ok := sc.parents[open].(*ast.AssignStmt)
	if !ok || len(assign.Lhs) != 2 {
		return nil, refusef("the handle is not declared where it is opened, at %s", s.place(open))
	}
	id, ok := assign.Lhs[0].(*ast.Ident)
	if !ok || sc.pass.Info.Defs[id] == nil {
		return nil, refusef("the handle is not declared where it is opened: %s is", sc.of(assign.Lhs[0]))
	}
	check, _ := syntax.FirstIf(sc.rest(assign))
	if check == nil || check.Init != nil || !sc.fails(outcome{err: sc.errorOf(assign), check: check}) {
		return nil, Refusal("the error of opening the file is not checked at once")
	}
	sc.f, sc.check, sc.tail = sc.pass.Info.Defs[id], check, sc.rest(assign)[1:]
	if sc.loop = sc.loops(assign); sc.literal(assign) != nil {
		return nil, Refusal("the handle is opened in a closure")
	}
	return sc, nil
}

// scope is that of a function of the file in which no handle has been found.
func (s *File) scope(body *ast.BlockStmt) *handleScope { return s.scopeOf(body, s.owners[body]) }

// scopeOf is scope of a function of any file.
func (s *File) scopeOf(body *ast.BlockStmt, ftype *ast.FuncType) *handleScope {
	sc := &handleScope{
		File: s, body: body, ftype: ftype, parents: syntax.Parents(body),
		wrappers: make(objects),
	}
	if sc.ftype.Results == nil {
		return sc
	}
	for _, field := range sc.ftype.Results.List {
		sc.named = len(field.Names) > 0
		for range max(len(field.Names), 1) {
			sc.results = append(sc.results, sc.pass.Info.TypeOf(field.Type))
		}
	}
	return sc
}

// returnsError reports whether the function can say that a commit failed.
func (sc *handleScope) returnsError() bool {
	n := len(sc.results)
	return n > 0 && isError(sc.results[n-1])
}

// siblings is the list of statements that a statement stands in.
func (sc *handleScope) siblings(stmt ast.Stmt) []ast.Stmt { return syntax.ListIn(sc.parents[stmt]) }

// rest lists the statements behind one in its list.
func (sc *handleScope) rest(stmt ast.Stmt) []ast.Stmt {
	list := sc.siblings(stmt)
	if i := indexOf(list, stmt); i >= 0 {
		return list[i+1:]
	}
	return nil
}

func indexOf(list []ast.Stmt, stmt ast.Stmt) int {
	return slices.Index(list, stmt)
}

// statement is the innermost statement that holds a node and stands in a list.
func (sc *handleScope) statement(n ast.Node) ast.Stmt {
	for ; n != nil; n = sc.parents[n] {
		if stmt, ok := n.(ast.Stmt); ok && sc.siblings(stmt) != nil {
			return stmt
		}
	}
	return nil
}

// reopen turns the call that opens the file into that of safeio. The path is
// replaced where it is not that of the target.
func (sc *handleScope) reopen() error {
	p, call := sc.pass, sc.open
	path := sc.of(call.Args[0])
	if sc.temp != nil {
		path = sc.of(sc.temp.target)
	} else {
		sc.again = append(sc.again, call.Args[0])
	}
	switch {
	case p.calls(call, "os", "CreateTemp") || p.calls(call, "io/ioutil", "TempFile"):
		// Nobody else reads it before a Chmod says who may.
		sc.put(call, sc.creating(path, sc.octal("0o600")))
	case p.calls(call, "os", "Create"):
		sc.put(call, sc.creating(path, ""))
	case !p.calls(call, "os", "OpenFile") || len(call.Args) != 3:
		return Refusal("the file is not opened by os.Create or os.OpenFile")
	default:
		perm := sc.of(call.Args[2])
		if tv := p.Info.Types[call.Args[2]]; tv.Value != nil &&
			constant.Compare(constant.ToInt(tv.Value), token.EQL, constant.MakeInt64(0o666)) {
			perm = ""
		}
		sc.put(call, sc.creating(path, perm))
		return sc.truncates(call.Args[1])
	}
	return nil
}

// creating is the call of safeio that creates a file, with the mode of os.Create where none is given.
func (sc *handleScope) creating(path, perm string) string {
	switch {
	case sc.noSync:
		return sc.safeio + ".Options{NoSync: true}.Create(" + path + ", " + cmp.Or(perm, sc.octal("0o666")) + ")"
	case perm == "":
		return sc.safeio + ".Create(" + path + ")"
	}
	return sc.safeio + ".CreatePerm(" + path + ", " + perm + ")"
}

// truncates fails unless the flags are those of os.Create, for which safeio
// has a counterpart, or lack the truncation by mistake.
func (sc *handleScope) truncates(flags ast.Expr) error {
	got, bit, ok := sc.pass.flags(sc.open, flags)
	has := func(name string) bool { return got&bit(name) != 0 }
	amiss := ok && (!has("O_CREATE") || has("O_APPEND") && !has("O_TRUNC"))
	if sc.temp == nil {
		amiss = amiss || !ok || has("O_EXCL") || !has("O_TRUNC") && !sc.overwrites
	}
	if amiss {
		return Refusal("os.OpenFile is not certain to make the file, or to empty it")
	}
	return nil
}

// pure lists the packages whose functions, all or those named, do nothing but
// compute, so that a call whose result is not wanted can go.
var pure = map[string][]string{
	"path/filepath": {"Join", "Dir", "Base", "Ext", "Clean", "ToSlash", "FromSlash", "Split"},
	"path":          nil,
	"strings":       nil,
	"strconv":       nil,
	"fmt":           {"Sprint", "Sprintf", "Sprintln"},
	"time":          {"Now"},
	"math/rand":     nil,
	"math/rand/v2":  nil,
	"os":            {"Getpid", "Getppid", "TempDir"},

	"github.com/google/uuid": nil,
	"github.com/spf13/afero": {"NewOsFs"},
}

// isPure reports whether an expression has no effect but its value.
func (sc *handleScope) isPure(e ast.Expr) bool {
	return syntax.Every(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			return sc.pureCall(n)
		case *ast.UnaryExpr:
			return n.Op != token.ARROW
		}
		_, lit := n.(*ast.FuncLit)
		return !lit
	})
}

// arePure reports whether none of some expressions has an effect.
func (sc *handleScope) arePure(list []ast.Expr) bool {
	return !slices.ContainsFunc(list, func(e ast.Expr) bool { return !sc.isPure(e) })
}

func (sc *handleScope) pureCall(call *ast.CallExpr) bool {
	if tv := sc.pass.Info.Types[call.Fun]; tv.IsType() {
		return true
	}
	if b := sc.pass.builtin(call); b != "" {
		return b == "len" || b == "cap"
	}
	if sc.tellsTime(call) {
		return true
	}
	fn := sc.pass.callee(call)
	if fn == nil || fn.Pkg() == nil {
		return false
	}
	if fn.Signature().Recv() != nil {
		return fn.Pkg().Path() == "time" || fn.Pkg().Path() == "os" && fn.Name() == "Name" ||
			fn.Pkg().Path() == "github.com/google/uuid" && fn.Name() == "String"
	}
	names, ok := pure[fn.Pkg().Path()]
	if !ok {
		return false
	}
	return names == nil || slices.Contains(names, fn.Name())
}

// tellsTime reports whether a call is one of a clock: a function that a variable or a field
// holds, and that yields nothing but the time.
func (sc *handleScope) tellsTime(call *ast.CallExpr) bool {
	sig, ok := sc.pass.Info.TypeOf(call.Fun).(*types.Signature)
	if !ok || sc.pass.callee(call) != nil || sig.Params().Len() > 0 || sig.Results().Len() != 1 {
		return false
	}
	named, ok := types.Unalias(sig.Results().At(0).Type()).(*types.Named)
	return ok && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == "time" && named.Obj().Name() == "Time"
}

// free is the first of some names that nothing in the function around a call bears, empty for
// none.
func (sc *handleScope) free(at *ast.CallExpr, names ...string) string {
	around := sc.body
	if body := sc.declaring(at); body != nil {
		around = body
	}
	i := slices.IndexFunc(names, func(name string) bool {
		return sc.pass.Pkg.Scope().Lookup(name) == nil &&
			syntax.Every(around, func(id *ast.Ident) bool { return id.Name != name })
	})
	if i < 0 {
		return ""
	}
	return names[i]
}

// visible reports whether the handle's name means the handle at a place.
func (sc *handleScope) visible(pos token.Pos) bool {
	return sc.pass.lookup(sc.f.Name(), pos) == sc.f
}

// zeros is the text of the results before the last, each with its zero value.
func (sc *handleScope) zeros() string {
	var b strings.Builder
	for _, t := range sc.results[:len(sc.results)-1] {
		b.WriteString(sc.zero(t) + ", ")
	}
	return b.String()
}

func (sc *handleScope) zero(t types.Type) string {
	const unwritten = Refusal("a result of the function has no zero value that can be written")
	if _, param := t.(*types.TypeParam); param {
		sc.note(unwritten)
	}
	switch u := t.Underlying().(type) {
	case *types.Struct, *types.Array:
		return types.TypeString(t, func(pkg *types.Package) string {
			name := sc.imported(pkg.Path(), sc.body.End())
			if name == "" && pkg != sc.pass.Pkg {
				sc.note(unwritten)
			}
			return name
		}) + "{}"
	case *types.Basic:
		switch info := u.Info(); {
		case info&types.IsBoolean != 0:
			return "false"
		case info&types.IsString != 0:
			return `""`
		case info&types.IsNumeric != 0:
			return "0"
		}
	}
	return "nil"
}

// at is a refusal that names the place in the way, if it is one and does not do so already.
func (s *File) at(n ast.Node, err error) error {
	if why := (Refusal("")); n != nil && n.Pos().IsValid() && errors.As(err, &why) && !placed.MatchString(string(why)) {
		return refusef("%s, at %s", why, s.place(n))
	}
	return err
}

var placed = pattern.New(`\.go:\d+`)

// place is where a node stands, as messages say it.
func (s *File) place(n ast.Node) string { return finding.At(s.pass.Fset, n.Pos()) }
