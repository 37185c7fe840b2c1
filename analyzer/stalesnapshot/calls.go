package stalesnapshot

import (
	"go/types"
	"maps"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/lexicon"
)

// calls are the ways into the functions of a package, and the goroutines that
// come by them.
type calls struct {
	*effects.Callers
	flow *flow.Program
	from *flow.Query[*ssa.Function, origins]
}

func indexCalls(p *effects.Package) *calls {
	c := &calls{Callers: p.Callers(), flow: p.Flow}
	c.from = (&flow.Query[*ssa.Function, origins]{
		Question: "goroutines", About: func(fn *ssa.Function) string { return fn.String() },
		Eval: c.find, Equal: maps.Equal[origins, origins], Rounds: len(p.Funcs),
	}).Bind(flow.NewSolver(p.Flow.Budget))
	return c
}

// many is more goroutines than one: how many does not matter.
const many = 2

// Origins are where goroutines come from that can be in a function, and how many
// come from there: functions that are entered from outside of the package, and
// statements that start a goroutine.
type origins map[any]int

func (o origins) count() int {
	n := 0
	for _, m := range o {
		n += m
	}
	return n
}

func (o origins) add(more origins) { maps.Copy(o, more) }

// origins says which goroutines can be in a function, as far as the package
// tells: none for what runs only while an object is made or shut down, many
// for what other packages call.
func (c *calls) origins(fn *ssa.Function) origins { return c.from.Ask(fn) }

func (c *calls) find(fn *ssa.Function) origins {
	declared := fn.Parent() == nil
	switch name := fn.Name(); {
	case declared && lexicon.Phases.MatchString(name) && !later(fn):
		return nil
	case handler(fn.Signature):
		return origins{fn: many}
	case declared && lexicon.Loops.MatchString(name):
		return origins{fn: 1}
	case effects.Exported(fn):
		return origins{fn: many}
	case declared && len(c.Sites(fn))+len(c.Values(fn)) == 0:
		return origins{fn: 1} // main, or what nobody calls
	}
	o := origins{}
	for _, site := range c.Sites(fn) {
		if _, ok := site.(*ssa.Go); ok {
			o[site] = c.started(site)
		} else {
			o.add(c.origins(site.Parent()))
		}
	}
	for _, i := range c.Values(fn) {
		o.add(c.handed(fn, i))
	}
	return o
}

// later reports whether other packages call a function on an object that they have: an
// exported method which is given something to put in loads or opens nothing.
func later(fn *ssa.Function) bool {
	sig := fn.Signature
	if sig.Recv() == nil || !effects.Exported(fn) || lexicon.Endings.MatchString(fn.Name()) {
		return false
	}
	return len(lexicon.Words(fn.Name())) > 1 && sig.Params().Len() > 0
}

// started is how many goroutines one statement starts.
func (c *calls) started(i ssa.Instruction) int {
	fn := i.Parent()
	if c.flow.Reaches(i, i) {
		return many
	}
	if outer := outermost(fn); lexicon.Phases.MatchString(outer.Name()) || lexicon.Loops.MatchString(outer.Name()) {
		return 1
	}
	return min(max(1, c.origins(fn).count()), many)
}

// handed are the goroutines that call a function which is handed on.
func (c *calls) handed(fn *ssa.Function, i ssa.Instruction) origins {
	mc, ok := i.(*ssa.MakeClosure)
	if !ok || fn.Parent() == nil {
		return origins{i: 1}
	}
	o := origins{}
	for _, ref := range flow.Uses(mc) {
		site, ok := ref.(ssa.CallInstruction)
		switch {
		case !ok:
			o[ref] = 1
		case named(site, "AfterFunc"):
			o[site] = 1 // a timer that waits until nothing changes any more
		case named(site, "Go"):
			o[site] = c.started(site)
		default:
			o.add(c.origins(site.Parent()))
		}
	}
	return o
}

// named reports whether a call is one of a declared function of that name.
func named(site ssa.CallInstruction, name string) bool {
	fn := site.Common().StaticCallee()
	return fn != nil && fn.Object() != nil && fn.Name() == name
}

// handler reports whether a function answers requests.
func handler(sig *types.Signature) bool {
	for v := range sig.Params().Variables() {
		if known.IsType(v.Type(), "net/http", "ResponseWriter") {
			return true
		}
	}
	return false
}

func outermost(fn *ssa.Function) *ssa.Function {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	return fn
}
