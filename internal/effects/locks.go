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
	if len(w.f.gives[i]) == 0 {
		w.f.gives[i] = w.p.given(v)
	}
}

// given are the effects of calling a function value, in terms of the function
// that has it: a literal, or what a call returned.
func (p *Package) given(v ssa.Value) []*Effect {
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
			return p.givenBy(call, v.Index)
		}
	case *ssa.Call:
		return p.givenBy(v, 0)
	case *ssa.UnOp:
		if v.Op == token.MUL {
			return p.givenAt(v.X)
		}
	}
	return nil
}

// givenAt are the effects of calling what a local variable holds, which is
// assigned to once.
func (p *Package) givenAt(addr ssa.Value) []*Effect {
	switch a := addr.(type) {
	case *ssa.FreeVar:
		b := memory.Binding(a)
		if b == nil {
			return nil
		}
		list := p.givenAt(b)
		for _, e := range list {
			e.Path, e.Target, e.Handle, e.Data = memory.Raise(e.Path), memory.Raise(e.Target), memory.Raise(e.Handle), memory.Raise(e.Data)
		}
		return list
	case *ssa.Alloc:
		var only *ssa.Store
		for _, st := range flow.StoresTo(a) {
			if memory.IsNil(st.Val) {
				continue
			}
			if only != nil || st.Parent() != a.Parent() {
				return nil
			}
			only = st
		}
		if only != nil {
			return p.given(only.Val)
		}
	}
	return nil
}

// givenBy are the effects of calling result i of a call.
func (p *Package) givenBy(call *ssa.Call, i int) []*Effect {
	fn := p.CalleeOf(&call.Call)
	if fn == nil {
		return nil
	}
	args := p.ArgTerms(memory.CallArgs(&call.Call))
	if row, ok := known.Lookup(fn); ok && row.Op.Locks() && row.A < len(args) {
		return []*Effect{{Kind: Unlock, Handle: args[row.A], Sidecar: true}}
	}
	if body := p.DeclaredBody(&call.Call, fn); body != nil {
		f := p.fn(body)
		if f == nil || i >= len(f.gives) {
			return nil
		}
		return p.restatedAll(f.gives[i], args)
	}
	fact := p.fact(fn)
	if fact == nil || i >= len(fact.Gives) {
		return nil
	}
	var list []*Effect
	for _, s := range fact.Gives[i] {
		e := s.effect()
		e.Reported = e.Reported || !givenPath(s.Path)
		e.Foreign = fn.FullName()
		list = append(list, e)
	}
	return p.restatedAll(list, args)
}

// restated are the effects of f in terms of a call of it.
func (p *Package) restated(f *Func, args []*pathexpr.Term) []*Effect {
	if f == nil {
		return nil
	}
	return p.restatedAll(f.told(), args)
}

func (p *Package) restatedAll(effects []*Effect, args []*pathexpr.Term) []*Effect {
	var list []*Effect
	terms := p.lowered(args)
	for _, e := range effects {
		if e.Kind == invoke || e.Kind == Fill {
			continue
		}
		ne := p.passedOn(e)
		ne.restate(terms)
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
	for _, said := range answersOf(v) {
		if onSide(said, b.At.Block()) {
			return true
		}
	}
	return false
}

// Broke reports whether b happens only where the call a, which says whether it has
// the lock, has ended with an error instead: whoever has the lock does not make it.
func Broke(a, b *Effect) bool {
	v, ok := a.At.(ssa.Value)
	if !ok || !a.Try || b.At == nil || len(answersOf(v)) == 0 {
		return false
	}
	return slices.ContainsFunc(flow.Uses(v), func(ref ssa.Instruction) bool {
		err, ok := ref.(*ssa.Extract)
		return ok && memory.IsErrorType(err.Type()) && slices.ContainsFunc(flow.Uses(err), func(ref ssa.Instruction) bool {
			cond, ok := ref.(*ssa.BinOp)
			return ok && cond.Op == token.NEQ && memory.IsNil(cond.Y) && onSide(cond, b.At.Block())
		})
	})
}

// answersOf are the boolean results of a call.
func answersOf(v ssa.Value) []ssa.Value {
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

// onSide reports whether a block is reached only where the condition holds.
func onSide(cond ssa.Value, at *ssa.BasicBlock) bool {
	return slices.ContainsFunc(flow.Conditions(at), func(c flow.Condition) bool {
		if not, ok := c.Value.(*ssa.UnOp); ok && not.Op == token.NOT {
			return not.X == cond && !c.Holds
		}
		return c.Value == cond && c.Holds
	})
}
