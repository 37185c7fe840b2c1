package earlyrelease

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// maxFlags bounds what is noted of one function.
const maxFlags = 100

// flagEffects are what f does to the fields and package variables that say whether
// something is taken: flags, pointers and names, lists, channels. They are Consult,
// Claim and Forget effects, of a list with an element as Data; of a channel it is
// open which of the two a Send or a Receive is. Those of the functions that it
// calls are among them, and no deeper ones. They are computed when they are first
// asked for.
func flagEffects(p *effects.Package, f *effects.Func) []*effects.Effect {
	if f == nil {
		return nil
	}
	return flagEffectsOf(p, f, true)
}

// A flagKey is a function whose effects on flags are wanted, with those of the functions that it
// calls, or alone.
type flagKey struct {
	f     *effects.Func
	calls bool
}

// flagEffectsOf computes the effects on flags of a function once; one that calls itself has none of its own
// calls.
func flagEffectsOf(p *effects.Package, f *effects.Func, calls bool) []*effects.Effect {
	type all struct{}
	known := p.Derived(all{}, func() any { return map[flagKey][]*effects.Effect{} }).(map[flagKey][]*effects.Effect)
	k := flagKey{f, calls}
	if list, ok := known[k]; ok {
		return list
	}
	known[k] = nil
	m := &flagCollector{p: p, f: f, calls: calls}
	for _, b := range f.SSA.DomPreorder() {
		for _, i := range b.Instrs {
			m.instr(i)
		}
	}
	for _, e := range m.list {
		e.Shared = e.Shared || len(mutexes(f, e)) > 0
	}
	known[k] = m.list
	return m.list
}

// A flagCollector collects the effects of one function on flags.
type flagCollector struct {
	p     *effects.Package
	f     *effects.Func
	calls bool // those of declared functions are wanted, too
	list  []*effects.Effect
}

func (m *flagCollector) add(kind effects.Kind, place *pathexpr.Term, i ssa.Instruction, busy ...*ssa.BasicBlock) *effects.Effect {
	if place == nil || len(m.list) >= maxFlags {
		return nil
	}
	e := m.f.New(kind, place, i)
	e.Busy = busy
	m.list = append(m.list, e)
	return e
}

func (m *flagCollector) instr(i ssa.Instruction) {
	switch i := i.(type) {
	case *ssa.Store:
		if kind, ok := m.stored(i); ok {
			if e := m.add(kind, m.place(i.Addr), i); e != nil && isList(i.Val.Type()) {
				e.Data = pathexpr.New(pathexpr.Elem, "", e.Path)
			}
		}
	case *ssa.UnOp:
		switch i.Op {
		case token.MUL:
			if busy := refusals(m.p, i); len(busy) > 0 {
				m.add(effects.Consult, m.place(i.X), i, busy...)
			}
		case token.ARROW:
			m.channel(effects.Receive, i.X, i)
		}
	case *ssa.Send:
		m.channel(effects.Send, i.Chan, i)
	case *ssa.Select:
		for _, st := range i.States {
			kind := effects.Receive
			if st.Dir == types.SendOnly {
				kind = effects.Send
			}
			if e := m.channel(kind, st.Chan, i); e != nil {
				e.Pos = st.Pos
			}
		}
	case *ssa.Call:
		m.call(i, &i.Call, effects.Inline)
	case *ssa.Defer:
		m.call(i, &i.Call, effects.Deferred)
	case *ssa.Go:
		m.call(i, &i.Call, effects.Spawned)
	}
}

// channel notes an operation on a channel that carries nothing.
func (m *flagCollector) channel(kind effects.Kind, ch ssa.Value, i ssa.Instruction) *effects.Effect {
	load, ok := ch.(*ssa.UnOp)
	if !ok || load.Op != token.MUL || !known.IsLock(ch.Type()) {
		return nil
	}
	e := m.add(kind, m.place(load.X), i)
	if e != nil {
		e.Shared = true
	}
	return e
}

// place is the field or package variable at an address, nil for any other.
func (m *flagCollector) place(addr ssa.Value) *pathexpr.Term {
	switch a := addr.(type) {
	case *ssa.FieldAddr:
		if typ := memory.NamedType(a.X.Type()); typ != "" {
			return pathexpr.NewField(m.p.Term(a.X), typ, memory.StructOf(a.X.Type()).Field(a.Field).Name())
		}
	case *ssa.Global:
		return m.p.Term(a)
	}
	return nil
}

// stored says whether a store says of something that it is taken, or free.
func (m *flagCollector) stored(st *ssa.Store) (effects.Kind, bool) {
	switch t := known.Pointee(st.Addr.Type()).Underlying().(type) {
	case *types.Basic:
		c, ok := st.Val.(*ssa.Const)
		switch {
		case t.Info()&types.IsString != 0 && !ok:
			return effects.Claim, true
		case !ok || c.Value == nil || t.Info()&(types.IsString|types.IsBoolean) == 0:
			return 0, false
		case c.Value.Kind() == constant.Bool && !constant.BoolVal(c.Value), c.Value.Kind() == constant.String && constant.StringVal(c.Value) == "":
			return effects.Forget, true
		}
		return effects.Claim, true
	case *types.Pointer:
		if memory.IsNil(st.Val) {
			return effects.Forget, true
		}
		return effects.Claim, true
	case *types.Slice:
		return m.listed(st)
	}
	return 0, false
}

func isList(t types.Type) bool {
	_, ok := t.Underlying().(*types.Slice)
	return ok
}

// listed says whether a store adds to the list that it replaces, or takes something
// out of it.
func (m *flagCollector) listed(st *ssa.Store) (effects.Kind, bool) {
	call, ok := st.Val.(*ssa.Call)
	if !ok || len(call.Call.Args) == 0 {
		return 0, false
	}
	same := func(v ssa.Value) bool {
		load, ok := v.(*ssa.UnOp)
		return ok && load.Op == token.MUL && memory.SameFile(m.place(load.X), m.place(st.Addr))
	}
	from := call.Call.Args[0]
	if b, ok := call.Call.Value.(*ssa.Builtin); ok && b.Name() == "append" {
		if cut, ok := from.(*ssa.Slice); ok && cut.High != nil && same(cut.X) {
			return effects.Forget, true
		}
		return effects.Claim, same(from)
	}
	fn := m.p.CalleeOf(&call.Call)
	if known.Is(fn, "slices.Delete", "slices.DeleteFunc") {
		return effects.Forget, same(from)
	}
	return 0, false
}

// call notes an atomic operation, or what a function of the package does.
func (m *flagCollector) call(i ssa.CallInstruction, c *ssa.CallCommon, when effects.When) {
	fn := m.p.CalleeOf(c)
	if fn != nil && known.Path(fn) == "sync/atomic" {
		m.atomic(fn, i, c, when)
		return
	}
	body := m.p.Static(c)
	if body == nil || body.Parent() == nil || body.Pkg != m.p.SSA {
		if body = nil; fn != nil {
			body = m.p.DeclaredBody(c, fn)
		}
	}
	callee := m.p.Of(body)
	if callee == nil || !m.calls && body.Parent() == nil {
		return
	}
	call, terms := m.p.CallAt(c.Pos()), m.p.Lowered(m.p.ArgTerms(memory.CallArgs(c)))
	list := flagEffectsOf(m.p, callee, false)
	if m.calls && body.Parent() != nil {
		list = flagEffects(m.p, callee)
	}
	for _, e := range list {
		if len(m.list) >= maxFlags {
			return
		}
		ne := *e
		ne.Restate(terms)
		ne.At, ne.Busy = i, nil
		if v, ok := i.(*ssa.Call); ok && refusesOne(m.p, e, list) {
			ne.Busy = declined(m.p, v)
		}
		if call != nil && body.Parent() == nil {
			ne.Via = append([]*ast.CallExpr{call}, e.Via...)
		}
		if ne.When == effects.Deferred {
			ne.When = effects.Inline
		}
		if ne.When != effects.Spawned {
			ne.When = when
		}
		m.list = append(m.list, &ne)
	}
}

// atomic notes an operation on an atomic flag or pointer.
func (m *flagCollector) atomic(fn *types.Func, i ssa.CallInstruction, c *ssa.CallCommon, when effects.When) {
	args := memory.CallArgs(c)
	if len(args) == 0 {
		return
	}
	note := func(kind effects.Kind, busy ...*ssa.BasicBlock) {
		if e := m.add(kind, m.place(args[0]), i, busy...); e != nil {
			e.Shared, e.When, e.Pos = true, when, c.Pos()
			if e.Call = m.p.CallAt(c.Pos()); e.Call != nil {
				e.Pos = e.Call.Pos()
			}
		}
	}
	kind := effects.Claim
	if memory.IsZero(args[len(args)-1]) {
		kind = effects.Forget
	}
	v, _ := i.(*ssa.Call)
	switch name := fn.Name(); {
	case strings.HasPrefix(name, "CompareAndSwap"):
		note(kind)
		if kind == effects.Claim && v != nil {
			note(effects.Consult, decided(v, false)...)
		}
	case strings.HasPrefix(name, "Swap"):
		note(kind)
		if kind == effects.Claim && v != nil {
			note(effects.Consult, refusals(m.p, v)...)
		}
	case strings.HasPrefix(name, "Store"):
		note(kind)
	case strings.HasPrefix(name, "Load") && v != nil:
		if busy := refusals(m.p, v); len(busy) > 0 {
			note(effects.Consult, busy...)
		}
	}
}

// declined are the blocks to which a function goes that is told by a call that it
// did not get something: by an error, or by false.
func declined(p *effects.Package, v *ssa.Call) []*ssa.BasicBlock {
	results := []ssa.Value{v}
	for _, ref := range flow.Uses(v) {
		if x, ok := ref.(*ssa.Extract); ok {
			results = append(results, x)
		}
	}
	var list []*ssa.BasicBlock
	for _, r := range results {
		switch {
		case memory.IsBool(r.Type()):
			list = append(list, decided(r, false)...)
		case memory.IsErrorType(r.Type()):
			list = append(list, refusals(p, r)...)
		}
	}
	return list
}

// refusals are the blocks to which a function goes where a value says that
// something is taken: it is true, not nil or not empty, or one of a list is what
// is asked for.
func refusals(p *effects.Package, v ssa.Value) []*ssa.BasicBlock {
	var list []*ssa.BasicBlock
	flow.Reach(p.Flow.Budget, func(v ssa.Value) []ssa.Value {
		if memory.IsBool(v.Type()) {
			list = append(list, decided(v, true)...)
			return nil
		}
		var parts []ssa.Value
		for _, ref := range flow.Uses(v) {
			if part := partOf(v, ref); part != nil {
				parts = append(parts, part)
			}
			list = append(list, refusedBy(v, ref)...)
		}
		return parts
	}, v)
	return list
}

// partOf is what an instruction takes of a value that says what is taken: an element of
// a list, a field of that, what it points to; nil for any other.
func partOf(v ssa.Value, i ssa.Instruction) ssa.Value {
	switch i := i.(type) {
	case *ssa.IndexAddr:
		if i.X == v {
			return i
		}
	case *ssa.FieldAddr:
		if _, isElem := v.(*ssa.IndexAddr); isElem {
			return i
		}
	case *ssa.UnOp:
		if i.Op == token.MUL {
			return i
		}
	}
	return nil
}

// refusedBy are the blocks to which a function goes where an instruction finds a value
// not nil, not empty, or what is asked for.
func refusedBy(v ssa.Value, i ssa.Instruction) []*ssa.BasicBlock {
	switch i := i.(type) {
	case *ssa.BinOp:
		c, isConst := i.Y.(*ssa.Const)
		empty := isConst && memory.IsZero(c)
		switch {
		case i.X != v && i.Y != v:
		case empty && i.Op == token.NEQ, !isConst && i.Op == token.EQL:
			return decided(i, true)
		case empty && i.Op == token.EQL, !isConst && i.Op == token.NEQ:
			return decided(i, false)
		}
	case *ssa.Call:
		if fn := i.Call.StaticCallee(); fn != nil && strings.HasPrefix(origin(fn), "slices.Contains") && i.Call.Args[0] == v {
			return decided(i, true)
		}
	}
	return nil
}

// origin is the full name of a function, without what makes it an instance.
func origin(fn *ssa.Function) string {
	if o := fn.Origin(); o != nil {
		fn = o
	}
	return fn.String()
}

// decided are the blocks to which a function goes where a condition is as said.
func decided(cond ssa.Value, yes bool) []*ssa.BasicBlock {
	var list []*ssa.BasicBlock
	for _, ref := range flow.Uses(cond) {
		switch r := ref.(type) {
		case *ssa.If:
			if arm, other := flow.Arms(r); yes {
				list = append(list, arm)
			} else {
				list = append(list, other)
			}
		case *ssa.UnOp:
			if r.Op == token.NOT {
				list = append(list, decided(r, !yes)...)
			}
		}
	}
	return list
}

// refusesOne reports whether a Consult keeps its function from claiming what it
// finds taken.
func refusesOne(p *effects.Package, e *effects.Effect, flags []*effects.Effect) bool {
	return e.Kind == effects.Consult && slices.ContainsFunc(flags, func(c *effects.Effect) bool {
		return c.Kind == effects.Claim && memory.SameFile(c.Path, e.Path) && (c.At == e.At || refuses(p, e, c))
	})
}

// refuses reports whether a Consult that finds something taken keeps its function
// from another effect, unless it asks again.
func refuses(p *effects.Package, e, other *effects.Effect) bool {
	if other.At == nil || e.At == nil || e.At.Parent() != other.At.Parent() {
		return false
	}
	for _, b := range e.Busy {
		if !p.Flow.Passes(b, other.At.Block(), e.At.Block()) {
			return true
		}
	}
	return false
}
