package prove

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/lockvet/lockvet/fixes/rewrite"
	"github.com/lockvet/lockvet/internal/finding"
)

// makeExclusive turns
//
//	f, err := os.Create(path)
//	          ~~~~~~~~~~~~~~~
//	if err != nil {
//	⋀
//
// into an opening with os.O_EXCL, and has one that is there lead to what the
// function does where it looked for the file and found one. os.WriteFile becomes
// such an opening, a Write and a Close.
func (s *File) makeExclusive(r finding.MakeExclusive) (*Proof, error) {
	x := &exclusive{handleScope: s.scope(r.Body)}
	x.open = r.Open
	if err := x.refuses(r.Refusal); err != nil {
		return nil, err
	}
	sel, ok := r.Open.Fun.(*ast.SelectorExpr)
	if !ok || !s.pass.calls(r.Open, "os", "Create", "OpenFile", "WriteFile") {
		return nil, Refusal("the file is not made by os.Create, os.OpenFile or os.WriteFile")
	}
	x.os = s.of(sel.X)
	make := x.opens
	if s.pass.writesFile(r.Open) {
		make = x.writes
	}
	x.note(make())
	return x.plan("Make the file only where there is none")
}

// An exclusive is a file that is to be made where there is none.
type exclusive struct {
	*handleScope
	os   string // the name of package os
	gone string // what the function does where it finds one
}

// refuses finds the statement at which the function gives up, with those before
// it in its block, and proves that it means the same where the file is made.
func (x *exclusive) refuses(at token.Pos) error {
	stmt := x.listed(at)
	list := x.siblings(stmt)
	if _, jumps := stmt.(*ast.BranchStmt); jumps || len(list) == 0 || stmt != list[len(list)-1] || !x.ends(list) {
		return Refusal("what the function does where it finds one is more than to return")
	}
	if len(list) > 1 {
		return Refusal("the function does more than to return where it finds one")
	}
	if err := x.movable(stmt); err != nil {
		return err
	}
	x.gone = x.of(stmt)
	return nil
}

// movable fails unless every name in a statement stands for the same value where
// the file is made.
func (sc *handleScope) movable(stmt ast.Stmt) error {
	return first(stmt, func(id *ast.Ident) error {
		obj := sc.pass.Info.Uses[id]
		if obj == nil || obj.Parent() == nil || obj.Pkg() != nil && obj.Pkg() != sc.pass.Pkg {
			return nil // a field, a method or a name of another package
		}
		v, isVar := obj.(*types.Var)
		if sc.pass.lookup(id.Name, sc.open.Pos()) != obj {
			return refusef("%s is not known where the file is made", id.Name)
		} else if isVar && isError(v.Type()) && v.Parent() != v.Pkg().Scope() {
			return refusef("what the function returns where it finds one depends on %s", id.Name)
		} else if isVar && sc.assigned(obj, stmt.End(), sc.open.Pos()) {
			return refusef("%s changes before the file is made", id.Name)
		}
		return nil
	})
}

// opens fixes a file that is opened, in a statement of its own, with the check of
// its error behind it.
func (x *exclusive) opens() error {
	assign, ok := x.parents[x.open].(*ast.AssignStmt)
	if !ok || len(assign.Lhs) != 2 || x.siblings(assign) == nil {
		return Refusal("the file is not opened in a statement of its own")
	}
	o := x.outcome(x.open)
	if !x.asks(o) {
		return Refusal("the error of opening the file is not checked at once")
	}
	if err := x.openExclusively(); err != nil {
		return err
	}
	x.before(o.check, x.refuse(o.err.Name()))
	return nil
}

// refuse is the statement that gives up where the file is there.
func (x *exclusive) refuse(failure string) string {
	return "if " + x.os + ".IsExist(" + failure + ") {\n\t" + x.gone + "\n}"
}

// openExclusively adds os.O_EXCL to the call.
func (x *exclusive) openExclusively() error {
	args := x.open.Args
	if x.pass.calls(x.open, "os", "Create") {
		x.put(x.open, x.os+".OpenFile("+x.of(args[0])+", "+x.flags("O_RDWR")+", 0o666)")
		return nil
	}
	if tv := x.pass.Info.Types[args[1]]; tv.Value == nil {
		return Refusal("the flags of os.OpenFile are not constant")
	}
	flags := x.of(args[1])
	trunc := x.os + ".O_TRUNC"
	if strings.Contains(flags, trunc) {
		flags = strings.Replace(flags, trunc, x.os+".O_EXCL", 1)
	} else {
		flags += "|" + x.os + ".O_EXCL"
	}
	x.put(args[1], flags)
	return nil
}

func (x *exclusive) flags(mode string) string {
	return x.os + "." + mode + "|" + x.os + ".O_CREATE|" + x.os + ".O_EXCL"
}

// writes fixes a file that one call makes and writes:
//
//	if err := os.WriteFile(path, data, perm); err != nil {
//	   ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
//	return os.WriteFile(path, data, perm)
//	~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
func (x *exclusive) writes() error {
	f, failure, err := x.names()
	if err != nil {
		return err
	}
	args := x.open.Args
	make := f + ", " + failure + " := " + x.os + ".OpenFile(" + x.of(args[0]) + ", " + x.flags("O_WRONLY") + ", " + x.of(args[2]) + ")\n" +
		x.refuse(failure) + "\nif " + failure + " == nil {\n\t_, " + failure + " = " + f + ".Write(" + x.of(args[1]) + ")\n" +
		"\tif closing := " + f + ".Close(); " + failure + " == nil {\n\t\t" + failure + " = closing\n\t}\n}\n"
	switch o := x.outcome(x.open); {
	case o.returned() && len(o.ret.Results) == 1:
		x.change(o.ret, make+"return "+failure)
	case x.headsDefining(o):
		x.before(o.check, make)
		x.do(rewrite.DropInit{If: o.check})
	default:
		return Refusal("the error of writing the file is not checked at once")
	}
	return nil
}

// headsDefining reports whether a call stands in the head of an if statement without another
// branch, which declares the error and asks for nothing else.
func (sc *handleScope) headsDefining(o outcome) bool {
	return o.heads() && isDefine(o.check.Init) && o.check.Else == nil && sc.asks(o)
}

// names are those of the handle and of its error: the handle's is a new one, the
// error's that of the check.
func (sc *handleScope) names() (f, failure string, err error) {
	failure = "err"
	if o := sc.outcome(sc.open); o.err != nil {
		failure = o.err.Name()
	}
	if obj := sc.pass.lookup(failure, sc.open.Pos()); obj != nil && (obj.Parent() == types.Universe || !isError(obj.Type())) {
		return "", "", refusef("%s is no error where the file is made", failure)
	} else if obj != nil && sc.readLater(obj) {
		return "", "", refusef("%s is read again behind the making of the file", failure)
	}
	if f = sc.free(sc.open, "f", "file", "made", "created"); f == "" {
		return "", "", Refusal("there is no free name for the file")
	}
	return f, failure, nil
}

// readLater reports whether a variable is read behind the statement that makes the
// file before it is assigned to.
func (sc *handleScope) readLater(obj types.Object) bool {
	var first *ast.Ident
	for id := range nodes[*ast.Ident](sc.body) {
		if id.Pos() > sc.statement(sc.open).End() && sc.pass.Info.Uses[id] == obj && (first == nil || id.Pos() < first.Pos()) {
			first = id
		}
	}
	if first == nil {
		return false
	}
	assign, ok := sc.parents[first].(*ast.AssignStmt)
	return !ok || !slices.Contains(assign.Lhs, ast.Expr(first)) || slices.ContainsFunc(assign.Rhs, func(e ast.Expr) bool { return sc.pass.mentions(e, obj) })
}

// free is the first of some names that nothing in the function around a call bears, empty for
// none.
func (sc *handleScope) free(at *ast.CallExpr, names ...string) string {
	around := sc.body
	if body := sc.declaring(at); body != nil {
		around = body
	}
	i := slices.IndexFunc(names, func(name string) bool {
		return sc.pass.Pkg.Scope().Lookup(name) == nil && every(around, func(id *ast.Ident) bool { return id.Name != name })
	})
	if i < 0 {
		return ""
	}
	return names[i]
}
