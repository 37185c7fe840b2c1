package effects

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// Apart reports whether two calls in f act on files of two objects, though the path of both is the same:
// one of them makes the object for itself that knows it, as a copy does that gets from one place and puts
// to another.
func (p *Package) Apart(f *Func, a, b ssa.Instruction, path *pathexpr.Term) bool {
	return a != b && path.Any(func(t *pathexpr.Term) bool {
		in := t.MadeIn()
		return in != "" && in != f.SSA.String() && (p.keeps(a, t) || p.keeps(b, t))
	})
}

// keeps reports whether a call neither is handed an object nor yields it.
func (p *Package) keeps(i ssa.Instruction, object *pathexpr.Term) bool {
	call, ok := i.(ssa.CallInstruction)
	if !ok {
		return false
	}
	values := memory.CallArgs(call.Common())
	if v := call.Value(); v != nil {
		values = append(slices.Clone(values), v)
		for _, use := range flow.Uses(v) {
			if x, ok := use.(*ssa.Extract); ok {
				values = append(values, x)
			}
		}
	}
	return !slices.ContainsFunc(values, func(v ssa.Value) bool {
		t := p.Term(v)
		return t.Kind != pathexpr.Content && t.Kind != pathexpr.Handle && t.Any(object.Equal)
	})
}
