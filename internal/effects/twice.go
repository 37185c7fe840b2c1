package effects

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
	"github.com/lockvet/lockvet/internal/pattern"
)

// givesUp reports whether the effect gives something up that another can have
// next.
func (e *Effect) givesUp() bool {
	switch e.Kind {
	case Remove, Unlock, Close, Forget:
		return true
	}
	return false
}

// A way is how control passes an instruction: whether it can come to a return
// without it, and to one after it.
type way struct{ around, behind bool }

// passedOn is an effect of a function as a call of it has it.
func (p *Package) passedOn(e *Effect) *Effect {
	ne := *e
	ne.of = e
	if !e.givesUp() || e.At == nil {
		return &ne
	}
	w, ok := p.ways[e.At]
	if !ok {
		w = way{p.returnsFrom(e.At.Parent().Blocks[0], is(e.At)), p.returnsAfter(e.At, nil)}
		p.ways[e.At] = w
	}
	ne.Maybe, ne.Final = e.Maybe || w.around, e.Final || !w.behind
	return &ne
}

func is(i ssa.Instruction) func(ssa.Instruction) bool {
	return func(x ssa.Instruction) bool { return x == i }
}

// returnsAfter reports whether a function can come to a return from behind an
// instruction, without one of those that stop it and before the program ends.
func (p *Package) returnsAfter(i ssa.Instruction, stops func(ssa.Instruction) bool) bool {
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

// endsProgram reports whether a call ends the program: by its name, or because a
// function of the package never returns.
func (p *Package) endsProgram(call *ssa.Call) bool {
	if body := p.Body(&call.Call); body != nil {
		return p.endless.Ask(body)
	}
	fn := p.CalleeOf(&call.Call)
	return fn != nil && known.EndsProgram(fn) != known.No
}

// makeEndless reports whether a function never returns.
func (p *Package) makeEndless(fn *ssa.Function) bool {
	return !p.recovers(fn) && !p.returnsFrom(fn.Blocks[0], nil)
}

// recovers reports whether a function catches panics, and so returns behind one: a
// function of the package that it defers does.
func (p *Package) recovers(fn *ssa.Function) bool {
	for i := range flow.Instrs(fn) {
		d, ok := i.(*ssa.Defer)
		if !ok {
			continue
		}
		if body := p.Body(&d.Call); body != nil && catches(body) {
			return true
		}
	}
	return false
}

// catches reports whether a function that is deferred calls recover.
func catches(fn *ssa.Function) bool {
	for i := range flow.Instrs(fn) {
		if call, ok := i.(*ssa.Call); ok {
			if b, ok := call.Call.Value.(*ssa.Builtin); ok && b.Name() == "recover" {
				return true
			}
		}
	}
	return false
}

// Twice reports whether a run of f can have both of two effects, a first: b
// happens for certain once a has, and nothing else decides on one of them. What
// any of the others does in between is between them.
func (p *Package) Twice(f *Func, a, b *Effect, others []*Effect) bool {
	if a.At == nil || b.At == nil || a.At == b.At || a.Maybe || b.Maybe || a.Final || a.At.Parent() != b.At.Parent() {
		return false
	}
	between := func(i ssa.Instruction) bool {
		return slices.ContainsFunc(others, func(o *Effect) bool { return o.At == i })
	}
	switch {
	case b.When == Spawned:
		return false
	case b.When == Deferred && a.When != Spawned:
		return p.Flow.Dominates(b.At, a.At) && p.returnsAfter(a.At, between)
	case b.When == Deferred:
		return p.Flow.Dominates(b.At, a.At) || !p.returnsAfter(a.At, is(b.At))
	case a.When == Deferred:
		return false
	}
	certain := !p.returnsAfter(a.At, is(b.At)) && p.returnsAfter(a.At, nil)
	return certain && !slices.ContainsFunc(others, func(o *Effect) bool {
		return p.Flow.Reaches(a.At, o.At) && p.Flow.Reaches(o.At, b.At)
	}) && p.Flow.Reaches(a.At, b.At)
}

// Stale reports whether late acts on the number of a descriptor which f knows
// from before that was closed, and which may be another's by then.
func (p *Package) Stale(f *Func, closed, late *Effect) bool {
	n, ok := late.number.(ssa.Instruction)
	if !ok || n.Parent() != f.SSA || !p.Flow.Dominates(n, closed.At) {
		return false
	}
	return (closed.number == late.number || closed.On(late.Handle)) && p.Twice(f, closed, late, nil)
}

// ByNumber reports whether the effect closes a descriptor that the program knows
// by its number alone, or beside the open file that has it.
func (e *Effect) ByNumber() bool { return e.Kind == Close && e.number != nil }

// numberOf is the value that a descriptor's number first was: what asked an open
// file for it, or opened it. It is nil for a value that is no number.
func numberOf(v ssa.Value) ssa.Value {
	for range 8 {
		switch x := v.(type) {
		case *ssa.Convert:
			v = x.X
			continue
		case *ssa.ChangeType:
			v = x.X
			continue
		case *ssa.FreeVar:
			v = memory.Binding(x)
			continue
		case *ssa.UnOp:
			if cell, ok := x.X.(*ssa.Alloc); ok && x.Op == token.MUL {
				if stores := flow.StoresTo(cell); len(stores) == 1 {
					v = stores[0].Val
					continue
				}
			}
			if fv, ok := x.X.(*ssa.FreeVar); ok && x.Op == token.MUL {
				if cell, ok := memory.Binding(fv).(*ssa.Alloc); ok {
					if stores := flow.StoresTo(cell); len(stores) == 1 {
						v = stores[0].Val
						continue
					}
				}
			}
		}
		break
	}
	if v == nil {
		return nil
	}
	if b, ok := v.Type().Underlying().(*types.Basic); ok && b.Info()&types.IsInteger != 0 && callBehind(v) != nil {
		return v
	}
	return nil
}

// numbered notes the number that a system call is given.
func (e *Effect) numbered(row known.Row, args []ssa.Value) {
	if e.Kind == Unlock || e.Kind == Close {
		e.number = numberOf(args[row.A])
	}
}

// ByAge reports whether f does gone because a file is old, and asks for nothing
// else but whether it is there: not who has it.
func (p *Package) ByAge(f *Func, gone *Effect) bool {
	if gone.At == nil || gone.At.Parent() != f.SSA || len(gone.Via) > 0 || gone.When != Inline {
		return false
	}
	aged := false
	for b := gone.At.Block().Idom(); b != nil; b = b.Idom() {
		cond := flow.BranchOf(b)
		if cond == nil {
			continue
		}
		for name := range p.callsIn(cond.Cond, 8) {
			switch {
			case asksOwner.MatchString(name):
				return false
			case name == "ModTime":
				aged = true
			}
		}
	}
	return aged
}

// asksOwner is the name of a function that asks for the holder of a file, and not
// for its age.
var asksOwner = pattern.New(`(?i)alive|running|process|signal|kill|pid|dead|owner`)

// callsIn are the names of the functions that a value is computed with, and of
// those that they call if they are of the package.
func (p *Package) callsIn(v ssa.Value, depth int) map[string]bool {
	names := map[string]bool{}
	var visit func(v ssa.Value, depth int)
	visit = func(v ssa.Value, depth int) {
		if depth == 0 {
			return
		}
		if call, ok := v.(*ssa.Call); ok {
			if fn := p.CalleeOf(&call.Call); fn != nil {
				names[fn.Name()] = true
				if body := p.DeclaredBody(&call.Call, fn); body != nil {
					p.namesCalled(body, names)
				}
			}
		}
		for _, op := range flow.OperandsOf(v) {
			visit(op, depth-1)
		}
	}
	visit(v, depth)
	return names
}

func (p *Package) namesCalled(fn *ssa.Function, names map[string]bool) {
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			if call, ok := i.(*ssa.Call); ok {
				if callee := p.CalleeOf(&call.Call); callee != nil {
					names[callee.Name()] = true
				}
			}
		}
	}
}

// Touches is where the package sets the times of a file, so that none which is in
// use gets old; NoPos where it does not.
func (p *Package) Touches() token.Pos {
	first := token.NoPos
	for id, obj := range p.Pass.TypesInfo.Uses {
		if fn, ok := obj.(*types.Func); ok && known.Is(fn, "os.Chtimes") && !memory.InTestFile(p.Fset, id.Pos()) && (first == token.NoPos || id.Pos() < first) {
			first = id.Pos()
		}
	}
	return first
}

// Gives reports whether f returns a function that has an effect at a place.
func (f *Func) Gives(at token.Pos) bool {
	return slices.ContainsFunc(f.gives, func(list []*Effect) bool {
		return slices.ContainsFunc(list, func(e *Effect) bool { return e.Pos == at })
	})
}

// Keeps lists the fields into which f puts a path, where they get no other value.
func (p *Package) Keeps(f *Func, path *pathexpr.Term) []*pathexpr.Term {
	var list []*pathexpr.Term
	for _, b := range f.SSA.Blocks {
		for _, i := range b.Instrs {
			st, ok := i.(*ssa.Store)
			if !ok {
				continue
			}
			fa, ok := st.Addr.(*ssa.FieldAddr)
			if !ok || p.Fields[memory.StructOf(fa.X.Type()).Field(fa.Field).Origin()] != st.Val {
				continue
			}
			if typ := memory.NamedType(fa.X.Type()); typ != "" && memory.SameFile(p.Term(st.Val), path) {
				list = append(list, pathexpr.NewField(p.Term(fa.X), typ, memory.StructOf(fa.X.Type()).Field(fa.Field).Name()))
			}
		}
	}
	return list
}

// CallOf is the call in f, or in a literal of it, that has an effect or leads to
// it.
func (p *Package) CallOf(f *Func, e *Effect) *ast.CallExpr {
	if call, in := e.Here(), f.SSA.Syntax(); call != nil && in != nil && in.Pos() <= call.Pos() && call.End() <= in.End() {
		return call
	}
	if i, ok := e.At.(ssa.CallInstruction); ok {
		return p.CallAt(i.Common().Pos())
	}
	return nil
}
