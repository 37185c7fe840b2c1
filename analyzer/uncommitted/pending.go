package uncommitted

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/memory"
)

// A pending file is followed through the function that makes it.
type pending struct {
	p      *effects.Package
	create *ssa.Call
	commit string // the method that puts it in place

	writes    []ssa.Instruction // what writes to it, or gets it to write to
	closed    *ssa.Call         // the first that closes it where the function can end well behind it; nil for none
	committed ssa.Instruction   // nil for none
	away      ssa.Instruction   // what gives it to something that may commit it; nil for none
}

func follow(p *effects.Package, create *ssa.Call, commit string) *pending {
	u := &pending{p: p, create: create, commit: commit}
	for _, use := range flow.Uses(create) {
		if x, ok := use.(*ssa.Extract); ok && x.Index == 0 {
			u.used(x)
		}
	}
	return u
}

// used notes what uses a value that is the file or a part of it. Variables that
// function literals share are not followed.
func (u *pending) used(v ssa.Value) {
	for _, use := range flow.Uses(v) {
		switch i := use.(type) {
		case *ssa.DebugRef, *ssa.BinOp:
		case *ssa.MakeInterface, *ssa.FieldAddr, *ssa.UnOp:
			u.used(i.(ssa.Value))
		case ssa.CallInstruction:
			u.called(i, v)
		default:
			u.away = i
		}
	}
}

// called notes a call that has the file as its receiver or among its arguments.
func (u *pending) called(call ssa.CallInstruction, v ssa.Value) {
	common := call.Common()
	fn := u.p.CalleeOf(common)
	_, pointer := v.Type().Underlying().(*types.Pointer)
	commits, _, _ := types.LookupFieldOrMethod(v.Type(), false, nil, u.commit)
	for n, arg := range memory.CallArgs(common) {
		switch {
		case arg != v:
		case n == 0 && fn != nil && effects.IsMethod(fn):
			u.method(call, fn)
		case fn == nil || pointer || commits != nil || u.asserted(common, n):
			u.away = call
		default:
			u.writes = append(u.writes, call)
		}
	}
}

// method notes what a method does with the file.
func (u *pending) method(call ssa.CallInstruction, fn *types.Func) {
	switch name := fn.Name(); {
	case strings.HasPrefix(name, u.commit): // also CommitIfNotExists
		u.committed = call
	case name == "Close":
		if c, ok := call.(*ssa.Call); ok && u.closed == nil && u.endsWell(c) {
			u.closed = c
		}
	case fn.FullName() == "(*os.File).Name": // by which it can be renamed
		u.away = call
	case strings.HasPrefix(name, "Write"), name == "ReadFrom":
		u.writes = append(u.writes, call)
	}
}

// hasOptions reports whether the file is made with options: by one of them its Close
// puts it in place.
func (u *pending) hasOptions() bool {
	call := &u.create.Call
	none, ok := call.Args[len(call.Args)-1].(*ssa.Const)
	return call.Signature().Variadic() && !(ok && none.IsNil())
}

// asserted reports whether a function of the package asks what its n-th argument is.
func (u *pending) asserted(call *ssa.CallCommon, n int) bool {
	body := u.p.Body(call)
	if body == nil || n >= len(body.Params) {
		return body != nil
	}
	return slices.ContainsFunc(flow.Uses(body.Params[n]), func(use ssa.Instruction) bool {
		switch use.(type) {
		case *ssa.TypeAssert, *ssa.Store, *ssa.Return:
			return true
		}
		return false
	})
}

// endsWell reports whether a return that may give no error is reached from an
// instruction.
func (u *pending) endsWell(i ssa.Instruction) bool {
	return flow.Search{ToEnd: true, At: func(i ssa.Instruction) flow.Step {
		if r, ok := i.(*ssa.Return); ok && memory.MaySucceed(r) {
			return flow.Found
		}
		return flow.Go
	}}.After(u.p.Flow, i)
}
