package lostupdate

import (
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
	"github.com/lockvet/lockvet/internal/lexicon"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
	"github.com/lockvet/lockvet/internal/process"
)

// waitsBetween reports whether f waits for events, again and again, between the two halves
// of a cycle.
func waitsBetween(p *failure.Package, f *effects.Func, c cycles.Cycle) bool {
	last := c.Last()
	return slices.ContainsFunc(waitsOf(p, f), func(i ssa.Instruction) bool {
		return p.Flow.Reaches(c.Read.At, i) && !p.Flow.Reaches(i, c.Read.At) &&
			(last.When == effects.Deferred || p.Flow.Reaches(i, last.At) && !p.Flow.Reaches(last.At, i))
	})
}

// waitsOf are the instructions of a function that wait again and again.
func waitsOf(p *failure.Package, f *effects.Func) []ssa.Instruction {
	type key struct{}
	known := p.Derived(key{}, func() any { return map[*effects.Func][]ssa.Instruction{} }).(map[*effects.Func][]ssa.Instruction)
	list, met := known[f]
	if !met {
		for i := range flow.Instrs(f.SSA) {
			if waits(p, i) && p.Flow.Reaches(i, i) {
				list = append(list, i)
			}
		}
		known[f] = list
	}
	return list
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

// meanwhile is a call on each way from load to save by which time passes, and what it does: it
// waits for the user, for another program, or for an answer over the network. There is none where
// the position is not valid.
func (c *checker) meanwhile(s *site) (token.Pos, string) {
	load, save := s.cycle.Read.At, s.cycle.Last().At
	if load == nil || save == nil || load == save {
		return token.NoPos, ""
	}
	for _, call := range c.slowOf(s.f) {
		if call != load && call != save && c.p.Flow.Reaches(load, call) && c.p.Flow.Dominates(call, save) && !c.p.Flow.Reaches(call, load) {
			return call.Pos(), c.slow(call)
		}
	}
	return token.NoPos, ""
}

// slowOf are the calls of a function by which time passes.
func (c *checker) slowOf(f *effects.Func) []*ssa.Call {
	list, known := c.slows[f]
	if !known {
		for i := range flow.Instrs(f.SSA) {
			if call, ok := i.(*ssa.Call); ok && c.slow(call) != "" {
				list = append(list, call)
			}
		}
		c.slows[f] = list
	}
	return list
}

// slow says what a call waits for, empty for nothing that is known.
func (c *checker) slow(call *ssa.Call) string {
	if waits(c.p, call) {
		return "it waits"
	}
	fn := c.p.CalleeOf(&call.Call)
	if call.Call.IsInvoke() {
		fn = call.Call.Method
	}
	if fn == nil || fn.Pkg() == nil {
		return ""
	}
	if process.Scans(fn) {
		return fn.Name() + " waits for the user"
	}
	if process.IsStarter(fn) {
		return fn.Name() + " runs another program"
	}
	if fn.Pkg() == c.p.Pass.Pkg && !call.Call.IsInvoke() {
		switch {
		case c.p.Process.AlwaysAsksUser(fn):
			return fn.Name() + " waits for the user"
		case c.p.Process.AlwaysStartsProgram(fn):
			return fn.Name() + " runs another program"
		}
	}
	speaks := func(pkg *types.Package) bool {
		return pkg.Path() == "net/http" || pkg.Path() == "google.golang.org/grpc"
	}
	if res := fn.Signature().Results(); res.Len() > 0 && memory.IsErrorType(res.At(res.Len()-1).Type()) &&
		(speaks(fn.Pkg()) || fn.Pkg() != c.p.Pass.Pkg && lexicon.Requests(fn.Name()) && slices.ContainsFunc(fn.Pkg().Imports(), speaks)) {
		return fn.Name() + " is of a package that asks over the network"
	}
	return ""
}

// savedBeside reports whether a function that f does not lead to saves the file, nor
// one that leads to f. A file in a place that has no name goes by its own.
func savedBeside(p *failure.Package, f *effects.Func, file *pathexpr.Term) bool {
	key, name := file.PackageKey(), pathexpr.Constants(file.Last())
	if key == "" && len(name) == 0 {
		return true
	}
	return slices.ContainsFunc(p.Funcs, func(g *effects.Func) bool {
		return slices.ContainsFunc(g.Effects, func(w *effects.Effect) bool {
			saved, _ := g.Saves(w)
			if saved == nil {
				return false
			}
			return key != "" && saved.PackageKey() == key || key == "" && slices.Equal(pathexpr.Constants(saved.Last()), name)
		}) && !p.CanCall(f, g) && !p.CanCall(g, f)
	})
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
