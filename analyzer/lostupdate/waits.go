package lostupdate

import (
	"go/token"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/cycles"
	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/failure"
	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/known"
)

// waitsBetween reports whether f waits for events, again and again, between the two halves
// of a cycle.
func waitsBetween(p *failure.Package, f *effects.Func, c cycles.Cycle) bool {
	last := c.Last()
	for i := range flow.Instrs(f.SSA) {
		if waits(p, i) && p.Flow.Reaches(i, i) && p.Flow.Reaches(c.Read.At, i) && !p.Flow.Reaches(i, c.Read.At) &&
			(last.When == effects.Deferred || p.Flow.Reaches(i, last.At) && !p.Flow.Reaches(last.At, i)) {
			return true
		}
	}
	return false
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
