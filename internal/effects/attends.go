package effects

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// Attends reports whether f has loaded the file of a cycle once, waits for events
// again and again, and saves the file at the end, while nothing else of the package
// saves it: the file is what one run of a server leaves to the next.
func (p *Package) Attends(f *Func, c Cycle) bool {
	return p.Awaits(f, c) && !p.savedBeside(f, c.File)
}

// Awaits reports whether f waits for events, again and again, between the two halves
// of a cycle.
func (p *Package) Awaits(f *Func, c Cycle) bool {
	last := c.Last()
	return slices.ContainsFunc(f.SSA.Blocks, func(b *ssa.BasicBlock) bool {
		return slices.ContainsFunc(b.Instrs, func(i ssa.Instruction) bool {
			return p.waits(i) && p.Flow.Reaches(i, i) && p.Flow.Reaches(c.Read.At, i) && !p.Flow.Reaches(i, c.Read.At) &&
				(last.When == Deferred || p.Flow.Reaches(i, last.At) && !p.Flow.Reaches(last.At, i))
		})
	})
}

// waits reports whether an instruction waits for another goroutine, or for time to
// pass.
func (p *Package) waits(i ssa.Instruction) bool {
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

// savedBeside reports whether a function that f does not lead to saves the file, nor
// one that leads to f. A file in a place that has no name goes by its own.
func (p *Package) savedBeside(f *Func, file *pathexpr.Term) bool {
	key, name := file.Abstract(), pathexpr.Constants(file.Last())
	if key == "" && len(name) == 0 {
		return true
	}
	return slices.ContainsFunc(p.Funcs, func(g *Func) bool {
		return slices.ContainsFunc(g.Effects, func(w *Effect) bool {
			saved, _ := g.Saves(w)
			if saved == nil {
				return false
			}
			return key != "" && saved.Abstract() == key || key == "" && slices.Equal(pathexpr.Constants(saved.Last()), name)
		}) && !p.Leads(f, g) && !p.Leads(g, f)
	})
}
