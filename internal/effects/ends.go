package effects

import (
	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/known"
)

// releases reports whether the effect gives something up that another can have
// next.
func (e *Effect) releases() bool {
	switch e.Kind {
	case Remove, Unlock, Close, Forget:
		return true
	}
	return false
}

// passedOn is an effect of a function as a call of it has it.
func (p *Package) passedOn(e *Effect) *Effect {
	ne := *e
	ne.CalleeEffect = e
	if !e.releases() || e.At == nil {
		return &ne
	}
	w, ok := p.ways[e.At]
	if !ok {
		w = way{p.returnsFrom(e.At.Parent().Blocks[0], Is(e.At)), p.ReturnsAfter(e.At, nil)}
		p.ways[e.At] = w
	}
	ne.Maybe, ne.Final = e.Maybe || w.around, e.Final || !w.behind
	return &ne
}

// Is makes the question whether an instruction is i.
func Is(i ssa.Instruction) func(ssa.Instruction) bool {
	return func(x ssa.Instruction) bool { return x == i }
}

// ReturnsAfter reports whether a function can come to a return from behind an
// instruction, without one of those that stop it and before the program ends.
func (p *Package) ReturnsAfter(i ssa.Instruction, stops func(ssa.Instruction) bool) bool {
	return toReturn(stops).After(p.Flow, i)
}

// returnsFrom is the same from the beginning of a block.
func (p *Package) returnsFrom(b *ssa.BasicBlock, stops func(ssa.Instruction) bool) bool {
	return toReturn(stops).From(p.Flow, b)
}

func toReturn(stops func(ssa.Instruction) bool) flow.Search {
	return flow.Search{ToEnd: true, At: func(i ssa.Instruction) flow.Step {
		if stops != nil && stops(i) {
			return flow.Stop
		}
		if _, ok := i.(*ssa.Return); ok {
			return flow.Found
		}
		return flow.Go
	}}
}

// EndsProgram reports whether a call ends the program: by its name, or because the function
// never returns.
func (p *Package) EndsProgram(call *ssa.Call) bool {
	if body := p.Body(&call.Call); body != nil {
		return p.endless.Ask(body)
	}
	fn := p.CalleeOf(&call.Call)
	return fn != nil && (known.EndsProgram(fn) != known.No || p.Process.Ends(fn))
}

// EndsIf reports whether a call ends the program because of an error that it is handed, as far as is known of
// values.
func (p *Package) EndsIf(call *ssa.Call, failed func(ssa.Value) bool) bool {
	fn := p.CalleeOf(&call.Call)
	if fn == nil || call.Call.IsInvoke() {
		return false
	}
	i := p.Process.Asserts(fn)
	if i >= 0 && fn.Signature().Recv() != nil {
		i++
	}
	return i >= 0 && i < len(call.Call.Args) && failed(call.Call.Args[i])
}

// makeEndless reports whether a function never returns.
func (p *Package) makeEndless(fn *ssa.Function) bool {
	return !p.returnsFrom(fn.Blocks[0], nil)
}
