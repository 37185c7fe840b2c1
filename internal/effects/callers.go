package effects

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/flow"
)

// Callers are the ways into the functions of a package.
type Callers struct {
	sites  map[*ssa.Function][]ssa.CallInstruction
	values map[*ssa.Function][]ssa.Instruction
	flow   *flow.Program
}

// Callers indexes the calls of the package. It is computed when it is first asked
// for.
func (p *Package) Callers() *Callers {
	type key struct{}
	return p.Derived(key{}, func() any {
		c := &Callers{map[*ssa.Function][]ssa.CallInstruction{}, map[*ssa.Function][]ssa.Instruction{}, p.Flow}
		for _, f := range p.All() {
			c.index(p, f.SSA)
		}
		return c
	}).(*Callers)
}

func (c *Callers) index(p *Package, in *ssa.Function) {
	for i := range flow.Instrs(in) {
		if site, ok := i.(ssa.CallInstruction); ok {
			if callee := p.Body(site.Common()); callee != nil {
				c.sites[callee] = append(c.sites[callee], site)
			}
		}
	}
	for i, fn := range flow.Functions(in) {
		if site, ok := i.(ssa.CallInstruction); ok && fn == p.Body(site.Common()) {
			continue
		}
		if mc, ok := i.(*ssa.MakeClosure); ok && !handedOn(mc) {
			continue
		}
		if obj, ok := fn.Object().(*types.Func); ok && fn.Synthetic != "" && fn.Prog != nil {
			fn = fn.Prog.FuncValue(obj.Origin())
		}
		c.values[fn] = append(c.values[fn], i)
	}
}

// handedOn reports whether a literal goes anywhere but where it is called.
func handedOn(mc *ssa.MakeClosure) bool {
	return slices.ContainsFunc(flow.Uses(mc), func(i ssa.Instruction) bool {
		site, ok := i.(ssa.CallInstruction)
		return !ok || site.Common().Value != ssa.Value(mc)
	})
}

// Sites are the calls of a function.
func (c *Callers) Sites(fn *ssa.Function) []ssa.CallInstruction { return c.sites[fn] }

// Values are the instructions that hand a function on.
func (c *Callers) Values(fn *ssa.Function) []ssa.Instruction { return c.values[fn] }

// Exported reports whether other packages can call a function.
func Exported(fn *ssa.Function) bool {
	return fn.Parent() == nil && fn.Object() != nil && fn.Object().Exported() && fn.Pkg.Pkg.Name() != "main"
}

// Always reports whether something is true of every call that leads to a
// function, which nobody else can enter.
func (c *Callers) Always(fn *ssa.Function, holds func(ssa.CallInstruction) bool) bool {
	entered, seen := false, map[*ssa.Function]bool{}
	var visit func(fn *ssa.Function) bool
	visit = func(fn *ssa.Function) bool {
		if seen[fn] {
			return true
		}
		seen[fn] = true
		if Exported(fn) || len(c.values[fn]) > 0 || len(c.sites[fn]) == 0 {
			return false
		}
		return !slices.ContainsFunc(c.sites[fn], func(site ssa.CallInstruction) bool {
			if _, spawned := site.(*ssa.Go); spawned {
				return true
			}
			held := holds(site)
			entered = entered || held
			return !held && !visit(site.Parent())
		})
	}
	return visit(fn) && entered
}

// Goroutine is the statement that starts the goroutine in which every call of a
// function happens. It is nil where there are several, where one starts more than one
// goroutine, and where the function can be called from elsewhere.
func (c *Callers) Goroutine(fn *ssa.Function) *ssa.Go {
	var start *ssa.Go
	seen := map[*ssa.Function]bool{}
	var single func(fn *ssa.Function) bool
	single = func(fn *ssa.Function) bool {
		if seen[fn] {
			return true
		}
		seen[fn] = true
		if Exported(fn) || len(c.values[fn]) > 0 || len(c.sites[fn]) == 0 {
			return false
		}
		return !slices.ContainsFunc(c.sites[fn], func(site ssa.CallInstruction) bool {
			started, ok := site.(*ssa.Go)
			if !ok {
				return !single(site.Parent())
			}
			other := start != nil && start != started
			start = started
			return other || c.flow.Reaches(started, started)
		})
	}
	if !single(fn) {
		return nil
	}
	return start
}
