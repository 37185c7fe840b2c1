package lostupdate

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/cycles"
	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/failure"
	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/known"
)

// mayWait is where the function, or one that it calls, may wait while it has a file lock that is taken in front of the
// load, or take that once more. A mutex that the function has locked before the load does no harm: all that load under
// it take the two in the same order.
func (c *checker) mayWait(s *site, load *ast.CallExpr) token.Pos {
	if list := s.f.OfKind(effects.Invoke); len(list) > 0 {
		return s.f.Place(list[0].At)
	}
	for _, g := range c.p.Below(s.f) {
		if slices.Contains(g.Callees, s.f.SSA) {
			return cmp.Or(g.SSA.Pos(), s.f.SSA.Pos())
		}
		for _, e := range g.OfKind(effects.Acquire) {
			if g != s.f || !effects.Before(e, s.cycle.Read) {
				return g.Place(e.At)
			}
		}
		for i := range flow.Instrs(g.SSA) {
			call, ok := i.(*ssa.Call)
			if ok && (g != s.f || c.p.Flow.Reaches(s.cycle.Read.At, i)) && c.held(call) || g == s.f && waitsBetween(c.p, s.cycle, i) {
				return g.Place(i)
			}
		}
	}
	return c.p.Process.Waits(effects.BodyOf(s.f.SSA), load.Pos())
}

// held reports whether a call is one of a function that a field or a variable of the package holds, which may be
// anything but a clock.
func (c *checker) held(call *ssa.Call) bool {
	from, ok := call.Call.Value.(*ssa.UnOp)
	if !ok || call.Call.IsInvoke() || c.p.CalleeOf(&call.Call) != nil || types.TypeString(call.Type(), nil) == "time.Time" {
		return false
	}
	_, field := from.X.(*ssa.FieldAddr)
	_, global := from.X.(*ssa.Global)
	return field || global
}

// waitsBetween reports whether an instruction waits for events, again and again, between the two halves of a cycle.
func waitsBetween(p *failure.Package, c cycles.Cycle, i ssa.Instruction) bool {
	last := c.Last()
	return waits(p, i) && p.Flow.Reaches(i, i) && p.Flow.Reaches(c.Read.At, i) && !p.Flow.Reaches(i, c.Read.At) &&
		(last.When == effects.Deferred || p.Flow.Reaches(i, last.At) && !p.Flow.Reaches(last.At, i))
}

// waits reports whether an instruction waits for another goroutine, or for time to
// pass.
func waits(p *failure.Package, i ssa.Instruction) bool {
	switch i := i.(type) {
	case *ssa.Select:
		return i.Blocking
	case *ssa.UnOp:
		return i.Op == token.ARROW
	case *ssa.Call:
		fn := p.CalleeOf(&i.Call)
		return fn != nil && known.Path(fn) == "time" && fn.Name() == "Sleep"
	}
	return false
}

// ofModule reports whether the full name of a function is one of the module that
// the package belongs to.
func ofModule(p *failure.Package, name string) bool {
	module, _, _ := strings.Cut(p.Pass.Pkg.Path(), "/")
	if p.Pass.Module != nil && p.Pass.Module.Path != "" {
		module = p.Pass.Module.Path
	}
	return strings.HasPrefix(strings.TrimLeft(name, "(*"), module)
}
