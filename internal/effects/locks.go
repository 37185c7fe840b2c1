package effects

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// isLock reports whether a value of the type is a lock, and no open file.
func isLock(t types.Type) bool { return known.CanLock(t) && !memory.IsOSFile(t) }

// give notes the effects of a function that is returned as result i.
func (w *walker) give(i int, v ssa.Value) {
	if _, ok := v.Type().Underlying().(*types.Signature); !ok || memory.IsNil(v) {
		return
	}
	if len(w.f.OfResults[i]) == 0 {
		w.f.OfResults[i] = w.p.ofCalling(v)
	}
}

// ofCalling are the effects of calling a function value, in terms of the function
// that has it: a literal, or what a call returned.
func (p *Package) ofCalling(v ssa.Value) []*Effect {
	if lit := literal(v); lit != nil {
		return p.restated(p.fn(lit), nil)
	}
	if p.giving[v] {
		return nil // what is called is what is called
	}
	p.giving[v] = true
	defer delete(p.giving, v)
	switch v := v.(type) {
	case *ssa.Extract:
		if call, ok := v.Tuple.(*ssa.Call); ok {
			return p.OfCallingResult(call, v.Index)
		}
	case *ssa.Call:
		return p.OfCallingResult(v, 0)
	}
	return nil
}

// OfCallingResult are the effects of calling result i of a call.
func (p *Package) OfCallingResult(call *ssa.Call, i int) []*Effect {
	fn := p.CalleeOf(&call.Call)
	if fn == nil {
		return nil
	}
	args := p.ArgTerms(memory.CallArgs(&call.Call))
	if row, ok := known.Lookup(fn); ok && row.Op.Locks() && row.A < len(args) {
		return []*Effect{{Action: Action{Kind: Unlock, Handle: args[row.A], SeparateLockFile: true}}}
	}
	if body := p.DeclaredBody(&call.Call, fn); body != nil {
		f := p.fn(body)
		if f == nil || i >= len(f.OfResults) {
			return nil
		}
		// What a function gives by calling itself it gives without.
		others := slices.DeleteFunc(
			slices.Clone(f.OfResults[i]),
			func(e *Effect) bool { return body == call.Parent() || e.madeIn(call.Parent()) },
		)
		return p.restatedAll(others, args)
	}
	fact := p.Fact(fn)
	if fact == nil || i >= len(fact.OfResults) {
		return nil
	}
	var list []*Effect
	for _, s := range fact.OfResults[i] {
		e := s.effect()
		e.Reported = e.Reported || !fromCaller(s.Path)
		e.Foreign = fn.FullName()
		list = append(list, e)
	}
	return p.restatedAll(list, args)
}

// madeIn reports whether a literal in a function has the effect.
func (e *Effect) madeIn(fn *ssa.Function) bool {
	if e.At == nil {
		return false
	}
	in := e.At.Parent()
	for in != nil && in != fn {
		in = in.Parent()
	}
	return in == fn
}

// restated are the effects of f in terms of a call of it.
func (p *Package) restated(f *Func, args []*pathexpr.Term) []*Effect {
	if f == nil {
		return nil
	}
	return p.restatedAll(f.summaryEffects(), args)
}

func (p *Package) restatedAll(effects []*Effect, args []*pathexpr.Term) []*Effect {
	var list []*Effect
	terms := p.Lowered(args)
	for _, e := range effects {
		if e.Kind == Invoke || e.Kind == StoreLoaded {
			continue
		}
		ne := p.passedOn(e)
		ne.MapToCaller(terms)
		ne.From = nil
		if ne.When == Deferred {
			ne.When = Inline
		}
		list = append(list, ne)
	}
	return list
}

// Took reports whether a has taken its lock whenever b happens: for a call that
// may come back without it, b stands on the side where it said that it has it.
func Took(a, b *Effect) bool {
	if !Before(a, b) {
		return false
	}
	if !a.Try {
		return true
	}
	v, ok := a.At.(ssa.Value)
	if !ok || b.At == nil {
		return false
	}
	for _, said := range AnswersOf(v) {
		if OnSide(said, b.At.Block()) {
			return true
		}
	}
	return false
}

// AnswersOf are the boolean results of a call.
func AnswersOf(v ssa.Value) []ssa.Value {
	if memory.IsBool(v.Type()) {
		return []ssa.Value{v}
	}
	var list []ssa.Value
	for _, ref := range flow.Uses(v) {
		if x, ok := ref.(*ssa.Extract); ok && memory.IsBool(x.Type()) {
			list = append(list, x)
		}
	}
	return list
}

// OnSide reports whether a block is reached only where the condition holds.
func OnSide(cond ssa.Value, at *ssa.BasicBlock) bool {
	return slices.ContainsFunc(flow.Conditions(at), func(c flow.Condition) bool {
		if not, ok := c.Value.(*ssa.UnOp); ok && not.Op == token.NOT {
			return not.X == cond && !c.Holds
		}
		return c.Value == cond && c.Holds
	})
}

// SameLock reports whether two effects act on one lock.
func SameLock(a, b *Effect) bool {
	return a.Handle != nil && b.Handle != nil && a.Handle.File().Equal(b.Handle.File())
}
