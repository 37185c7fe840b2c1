package uncommitted

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/memory"
)

// A pending file is followed through the function that makes it, and the literals in
// that.
type pending struct {
	p      *effects.Package
	row    known.Row
	create *ssa.Call
	commit string // the method that puts it in place

	writes    []ssa.Instruction // what writes to it, or gets it to write to
	closes    []*ssa.Call       // in the function itself
	escapes   []ssa.Instruction // what gets it as something to close
	committed ssa.Instruction   // nil for none
	away      ssa.Instruction   // what gives it to something that may commit it; nil for none
}

func follow(p *effects.Package, create *ssa.Call, commit string) *pending {
	row, _ := known.Lookup(p.CalleeOf(&create.Call))
	u := &pending{p: p, row: row, create: create, commit: commit}
	var files []ssa.Value
	for _, use := range flow.Uses(create) {
		if x, ok := use.(*ssa.Extract); ok && x.Index == 0 {
			files = append(files, x)
		}
	}
	flow.Reach(p.Flow.Budget, u.next, files...)
	return u
}

// next notes what uses a value that is the file, leads to it or is a part of it, and
// gives the values that this makes of it.
func (u *pending) next(v ssa.Value) []ssa.Value {
	var list []ssa.Value
	for _, use := range flow.Uses(v) {
		switch i := use.(type) {
		case *ssa.DebugRef, *ssa.BinOp:
		case *ssa.Phi, *ssa.MakeInterface, *ssa.ChangeInterface, *ssa.UnOp, *ssa.FieldAddr, *ssa.Slice:
			list = append(list, i.(ssa.Value))
		case *ssa.IndexAddr:
			list = append(list, i)
		case *ssa.Store:
			if cell := variable(i.Addr); i.Val != v {
				continue
			} else if cell != nil {
				list = append(list, cell)
			} else {
				u.goes(i)
			}
		case *ssa.MakeClosure:
			if fn, ok := i.Fn.(*ssa.Function); !ok || fn.Synthetic != "" { // a method of the file as a value
				u.goes(i)
			} else {
				list = append(list, flow.Captures(v)...)
			}
		case ssa.CallInstruction:
			u.called(i, v)
		default:
			u.goes(i)
		}
	}
	return list
}

func (u *pending) goes(i ssa.Instruction) {
	if u.away == nil {
		u.away = i
	}
}

// variable is the local variable, or the list of the arguments of a call, that an
// address is in; nil for any other.
func variable(addr ssa.Value) ssa.Value {
	switch a := addr.(type) {
	case *ssa.Alloc:
		return a
	case *ssa.FreeVar:
		return a
	case *ssa.IndexAddr:
		if list, ok := a.X.(*ssa.Alloc); ok && list.Comment == "varargs" {
			return list
		}
	}
	return nil
}

// called notes a call that has the file as its receiver or among its arguments.
func (u *pending) called(call ssa.CallInstruction, v ssa.Value) {
	common := call.Common()
	fn := u.p.CalleeOf(common)
	args := memory.CallArgs(common)
	if fn != nil && effects.IsMethod(fn) && len(args) > 0 && args[0] == v {
		u.method(call, fn)
		args = args[1:]
	}
	for n, arg := range args {
		if arg != v {
			continue
		}
		if _, pointer := v.Type().Underlying().(*types.Pointer); fn == nil || pointer || u.asserted(common, n) || has(v.Type(), u.commit) {
			u.goes(call)
			continue
		}
		u.writes = append(u.writes, call)
		if has(v.Type(), "Close") {
			u.escapes = append(u.escapes, call)
		}
	}
}

// method notes what a method does with the file.
func (u *pending) method(call ssa.CallInstruction, fn *types.Func) {
	switch name := fn.Name(); {
	case strings.HasPrefix(name, u.commit): // also CommitIfNotExists
		u.committed = call
	case name == "Close":
		if c, ok := call.(*ssa.Call); ok && c.Parent() == u.create.Parent() {
			u.closes = append(u.closes, c)
		}
	case fn.FullName() == "(*os.File).Name": // by which it can be renamed
		u.goes(call)
	case strings.HasPrefix(name, "Write"), name == "ReadFrom":
		u.writes = append(u.writes, call)
	}
}

// replacesOnClose reports whether the file may be made with the option by which its
// Close puts it in place.
func (u *pending) replacesOnClose() bool {
	call := &u.create.Call
	if !call.Signature().Variadic() {
		return false
	}
	options := call.Args[len(call.Args)-1]
	if c, ok := options.(*ssa.Const); ok && c.IsNil() {
		return false
	}
	list, ok := options.(*ssa.Slice)
	if !ok {
		return true
	}
	return slices.ContainsFunc(flow.Elements(list.X), func(e flow.Element) bool {
		option := memory.CallBehind(e.Store.Val)
		if option == nil {
			return true
		}
		fn := u.p.CalleeOf(&option.Call)
		return fn == nil || fn.Name() == "WithReplaceOnClose"
	})
}

// has reports whether an interface has a method.
func has(t types.Type, method string) bool {
	obj, _, _ := types.LookupFieldOrMethod(t, false, nil, method)
	return obj != nil
}

// asserted reports whether a function of the package asks what its n-th argument is.
func (u *pending) asserted(call *ssa.CallCommon, n int) bool {
	body := u.p.Body(call)
	if body == nil {
		return false
	}
	if n >= len(body.Params) {
		return true
	}
	for _, use := range flow.Uses(body.Params[n]) {
		switch use.(type) {
		case *ssa.TypeAssert, *ssa.Store, *ssa.Return:
			return true
		}
	}
	return false
}

// closed is the first call that closes the file where the function can end well behind
// it; one that answers is taken before one that nobody listens to.
func (u *pending) closed() (first *ssa.Call) {
	for _, c := range u.closes {
		if !u.wellAfter(c) {
			continue
		}
		if len(flow.Uses(c)) > 0 {
			return c
		}
		if first == nil {
			first = c
		}
	}
	return first
}

// endsWell reports whether the function can end well when it has written to the file.
func (u *pending) endsWell() bool {
	own := false
	for _, w := range u.writes {
		if w.Parent() == u.create.Parent() {
			if own = true; u.wellAfter(w) {
				return true
			}
		}
	}
	return !own && u.wellAfter(u.create)
}

// wellAfter reports whether a return that may give no error is reached from an
// instruction.
func (u *pending) wellAfter(i ssa.Instruction) bool {
	return flow.Search{ToEnd: true, At: func(i ssa.Instruction) flow.Step {
		if r, ok := i.(*ssa.Return); ok && memory.MaySucceed(r) {
			return flow.Found
		}
		return flow.Go
	}}.After(u.p.Flow, i)
}
