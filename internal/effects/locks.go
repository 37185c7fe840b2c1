package effects

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// LockFile is the path of the lock file behind a lock or an open file: what its
// constructor was given, also for one that is kept in a field or a package
// variable. Where that is not known it is the term itself.
func (p *Package) LockFile(t *pathexpr.Term) *pathexpr.Term {
	if t == nil {
		return nil
	}
	switch t.Kind {
	case pathexpr.Alt:
		paths := make([]*pathexpr.Term, len(t.Args))
		for i, a := range t.Args {
			paths[i] = p.LockFile(a)
		}
		return pathexpr.New(pathexpr.Alt, "", paths...)
	case pathexpr.Global:
		if len(t.Args) > 0 && t.Args[0].Path() != t.Args[0] {
			return t.Args[0].Path()
		}
	case pathexpr.Field:
		if st := p.locks[t.Type+"."+t.Text]; st != nil {
			if path := p.keptPath(st, t.Args[0]); path != nil && path.Kind != pathexpr.Unknown {
				return path
			}
		}
	}
	return t.Path()
}

// keptPath is the path of the lock that st stores into a field, in terms of the
// object that has the field: what the constructor puts beside it into a text
// field is that field, and its other parameters are unknown.
func (p *Package) keptPath(st *ssa.Store, object *pathexpr.Term) *pathexpr.Term {
	lock := p.term(st.Val)
	path := lock.Path()
	if path == lock {
		return nil
	}
	base := st.Addr.(*ssa.FieldAddr).X
	beside := p.textsOf(base, object)
	self := p.term(base).Key()
	return path.Map(func(x *pathexpr.Term) *pathexpr.Term {
		if f := beside[x.Key()]; f != nil {
			return f
		}
		switch {
		case x.Key() == self:
			return object
		case x.Kind == pathexpr.Param:
			return pathexpr.New(pathexpr.Unknown, "var "+x.Text+"@")
		}
		return nil
	})
}

// textsOf are the text fields of the object at base that get their only value
// where it is made, by the key of that value. Nobody sees all that is stored into a
// package variable.
func (p *Package) textsOf(base ssa.Value, object *pathexpr.Term) map[string]*pathexpr.Term {
	fields := map[string]*pathexpr.Term{}
	of := structOf(base.Type())
	for _, ref := range flow.Uses(base) {
		fa, ok := ref.(*ssa.FieldAddr)
		if !ok || p.fields[of.Field(fa.Field).Origin()] == nil {
			continue
		}
		for _, r := range flow.Uses(fa) {
			if st, ok := r.(*ssa.Store); ok && st.Addr == fa {
				if t := p.term(st.Val); t.Kind != pathexpr.Const {
					fields[t.Key()] = pathexpr.NewField(object, namedType(base.Type()), of.Field(fa.Field).Name()).Given(t)
				}
			}
		}
	}
	return fields
}

// isLock reports whether a value of the type is a lock, and no open file.
func isLock(t types.Type) bool { return known.CanLock(t) && !isOSFile(t) }

func isNil(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.IsNil()
}

// give notes the effects of a function that is returned as result i.
func (w *walker) give(i int, v ssa.Value) {
	if _, ok := v.Type().Underlying().(*types.Signature); !ok || isNil(v) {
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
		b := binding(a)
		if b == nil {
			return nil
		}
		list := p.givenAt(b)
		for _, e := range list {
			e.Path, e.Target, e.Handle, e.Data = raise(e.Path), raise(e.Target), raise(e.Handle), raise(e.Data)
		}
		return list
	case *ssa.Alloc:
		var only *ssa.Store
		for _, st := range flow.StoresTo(a) {
			if isNil(st.Val) {
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

// raise is lift for a term that may be missing.
func raise(t *pathexpr.Term) *pathexpr.Term {
	if t == nil {
		return nil
	}
	return lift(t)
}

// givenBy are the effects of calling result i of a call.
func (p *Package) givenBy(call *ssa.Call, i int) []*Effect {
	fn := p.callee(&call.Call)
	if fn == nil {
		return nil
	}
	args := p.argTerms(callArgs(&call.Call))
	if row, ok := known.Lookup(fn); ok && row.Op.Locks() && row.A < len(args) {
		return []*Effect{{Kind: Unlock, Handle: args[row.A], Sidecar: true}}
	}
	if body := p.body(&call.Call, fn); body != nil {
		f := p.fn(body)
		if f == nil || i >= len(f.gives) {
			return nil
		}
		// What a function gives by calling itself it gives without.
		others := slices.DeleteFunc(slices.Clone(f.gives[i]), func(e *Effect) bool { return body == call.Parent() || e.madeIn(call.Parent()) })
		return p.restatedAll(others, args)
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

// madeIn reports whether a literal in a function has the effect.
func (e *Effect) madeIn(fn *ssa.Function) bool {
	if e.instr == nil {
		return false
	}
	in := e.instr.Parent()
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
	return p.restatedAll(f.told(false), args)
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
	v, ok := a.instr.(ssa.Value)
	if !ok || b.instr == nil {
		return false
	}
	for _, said := range answersOf(v) {
		if onSide(said, b.instr.Block()) {
			return true
		}
	}
	return false
}

// Broke reports whether b happens only where the call a, which says whether it has
// the lock, has ended with an error instead: whoever has the lock does not make it.
func Broke(a, b *Effect) bool {
	v, ok := a.instr.(ssa.Value)
	if !ok || !a.Try || b.instr == nil || len(answersOf(v)) == 0 {
		return false
	}
	return slices.ContainsFunc(flow.Uses(v), func(ref ssa.Instruction) bool {
		err, ok := ref.(*ssa.Extract)
		return ok && isErrorType(err.Type()) && slices.ContainsFunc(flow.Uses(err), func(ref ssa.Instruction) bool {
			cond, ok := ref.(*ssa.BinOp)
			return ok && cond.Op == token.NEQ && isNil(cond.Y) && onSide(cond, b.instr.Block())
		})
	})
}

// answersOf are the boolean results of a call.
func answersOf(v ssa.Value) []ssa.Value {
	if isBool(v.Type()) {
		return []ssa.Value{v}
	}
	var list []ssa.Value
	for _, ref := range flow.Uses(v) {
		if x, ok := ref.(*ssa.Extract); ok && isBool(x.Type()) {
			list = append(list, x)
		}
	}
	return list
}

func isBool(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsBoolean != 0
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
