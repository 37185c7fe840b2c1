package lostupdate

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/cycles"
	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/failure"
	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// unloaded reports whether the file is saved only where it could not be read or
// decoded: what is saved then is nothing that was loaded.
func unloaded(p *failure.Package, f *effects.Func, c cycles.Cycle) bool {
	last := c.Last()
	if last.When != effects.Inline {
		return false
	}
	r := c.Read
	if r.Kind != effects.Read || r.When != effects.Inline || !memory.SameFile(r.Path, c.File) {
		r = readBefore(f, c.Read, c.File)
	}
	return r != nil && r.At != last.At && !loadedIn(p, f, r, last)
}

// readBefore is the nearest read of a file that comes before an effect whenever that happens, nil for
// none.
func readBefore(f *effects.Func, e *effects.Effect, file *pathexpr.Term) *effects.Effect {
	for _, r := range slices.Backward(f.OnFile(file, effects.Read)) {
		if r != e && r.When == effects.Inline && effects.Before(r, e) {
			return r
		}
	}
	return nil
}

// loadedIn reports whether control comes from a read to another effect on a way on
// which nothing says that the file could not be read or decoded.
func loadedIn(p *failure.Package, f *effects.Func, read, to *effects.Effect) bool {
	return flow.Search{
		At: func(i ssa.Instruction) flow.Step {
			if i == to.At {
				return flow.Found
			}
			return flow.Go
		},
		Edge: func(b *ssa.BasicBlock, n int) bool {
			branch := flow.BranchOf(b)
			return branch == nil || n != failed(p, f, branch.Cond, read.Path)
		},
	}.After(p.Flow, read.At)
}

// failed is the branch that is taken where a condition says that the file could
// not be read or decoded, -1 where it says nothing of that.
func failed(p *failure.Package, f *effects.Func, cond ssa.Value, file *pathexpr.Term) int {
	switch v := cond.(type) {
	case *ssa.UnOp:
		if n := failed(p, f, v.X, file); n >= 0 && v.Op == token.NOT {
			return 1 - n
		}
	case *ssa.BinOp:
		k, ok := v.Y.(*ssa.Const)
		if !ok || !k.IsNil() || !memory.IsErrorType(v.X.Type()) || !loads(f, memory.CallBehind(v.X), file) {
			return -1
		}
		if v.Op == token.EQL {
			return 1
		}
		return 0
	case *ssa.Call:
		if fn := p.CalleeOf(&v.Call); failure.AsksAbsence(fn, v.Call.Args) && loads(f, memory.CallBehind(v.Call.Args[0]), file) {
			return 0
		}
	}
	return -1
}

// loads reports whether a call reads the file, or decodes it.
func loads(f *effects.Func, call *ssa.Call, file *pathexpr.Term) bool {
	return call != nil && slices.ContainsFunc(f.EffectsAt(call), func(e *effects.Effect) bool {
		return e.Kind == effects.Decode && effects.Reads(e.Data, file) || e.Kind == effects.Read && memory.SameFile(e.Path, file)
	})
}
