package failure

import (
	"go/token"
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pattern"
)

// A propagation is what is known along the ways that a function can go after a load in it has failed.
type propagation struct {
	p    *Package
	f    *effects.Func
	load *effects.Effect
	why  cause
	lost *Ignored        // where the error was lost before
	goal ssa.Instruction // where the loaded is written; nil for the ends alone

	came    map[*ssa.BasicBlock]states // where the function comes to behind the load
	reached bool                       // the goal is
	handled bool                       // something is done about it, or an error returned that is not known
	ends    []*outcome                 // what the function returns

	known facts                    // what is known of the results of the load all the time
	still map[ssa.Value]fact       // what is known of values without anything of the load
	usual map[*ssa.BasicBlock]bool // where it goes if nothing has failed; nil there, and if nobody mends what has
}

// propagate goes on from the load e in f, whose call has yielded o.
func (p *Package) propagate(
	f *effects.Func, e *effects.Effect, o *outcome, why cause, goal ssa.Instruction,
) *propagation {
	call := e.At.(*ssa.Call)
	r := &propagation{p: p, f: f, load: e, why: why, lost: o.lost, goal: goal, still: map[ssa.Value]fact{}}
	r.usual = p.well(f, e, succeeded(call, o))
	r.usual[call.Block()] = true
	r.came = r.from(call, o.results)
	for _, b := range f.SSA.Blocks {
		if in, ok := r.came[b]; ok {
			r.finish(b, 0, in)
		}
	}
	b := call.Block()
	r.finish(b, slices.Index(b.Instrs, ssa.Instruction(call))+1, states{r.known})
	return r
}

// well are the blocks that f comes to behind the load e where its call has yielded the
// results that it has where nothing fails.
func (p *Package) well(f *effects.Func, e *effects.Effect, results []fact) map[*ssa.BasicBlock]bool {
	r := &propagation{p: p, f: f, load: e, still: map[ssa.Value]fact{}}
	blocks := map[*ssa.BasicBlock]bool{}
	for b := range r.from(e.At.(*ssa.Call), results) {
		blocks[b] = true
	}
	return blocks
}

// succeeded are the results of the call where nothing fails.
func succeeded(call *ssa.Call, o *outcome) []fact {
	results := slices.Clone(o.results)
	for i, f := range results {
		switch {
		case memory.IsErrorType(call.Call.Signature().Results().At(i).Type()):
			results[i] = zero
		case f == zero:
			results[i] = nonzero
		}
	}
	return results
}

// from goes on from a call that has yielded the results. It tells the blocks that it
// comes to.
func (r *propagation) from(call *ssa.Call, results []fact) map[*ssa.BasicBlock]states {
	r.known = resultFacts(call, results)
	return r.comes(call)
}

// comes tells the blocks that it comes to behind a call with what is known.
func (r *propagation) comes(call *ssa.Call) map[*ssa.BasicBlock]states {
	return flow.Forward[states]{
		Question: "failure of a load",
		Transfer: r.transfer,
		Join:     joinStates,
	}.After(r.p.Flow, call, states{r.known})
}

// finish notes the return that is come to in a block.
func (r *propagation) finish(b *ssa.BasicBlock, n int, in states) {
	if flow.ReturnOf(b) == nil {
		return
	}
	for _, have := range in {
		r.pass(b, n, have, r.end)
	}
}

// resultFacts are what is known of the values that hold the results of a call.
func resultFacts(call *ssa.Call, results []fact) facts {
	have := facts{}
	for _, ref := range flow.Uses(call) {
		if x, ok := ref.(*ssa.Extract); ok && x.Index < len(results) {
			have[x] = results[x.Index]
		}
	}
	if len(results) == 1 {
		have[call] = results[0]
	}
	return have
}

// states are several that can hold at one place, each different from the others. What
// is known of one value and what is known of another stay together in them.
type states []facts

// maxStates bounds those of one place: where there are more, what all of them agree on
// is all that is known.
const maxStates = 8

// joinStates adds states to those of a place. One that says no less than another that
// can hold there adds nothing to it.
func joinStates(at, more states) (states, bool) {
	joined, changed := at, false
	for _, have := range more {
		if slices.ContainsFunc(joined, func(old facts) bool { return old.within(have) }) {
			continue
		}
		changed = true
		joined = append(slices.DeleteFunc(slices.Clone(joined), have.within), have)
	}
	if len(joined) <= maxStates {
		return joined, changed
	}
	all := maps.Clone(joined[0])
	for _, have := range joined[1:] {
		maps.DeleteFunc(all, func(v ssa.Value, f fact) bool { return have[v] != f })
	}
	return states{all}, true
}

// within reports whether all facts are among others.
func (f facts) within(others facts) bool {
	for v, is := range f {
		if others[v] != is {
			return false
		}
	}
	return true
}

// transfer goes through a block.
func (r *propagation) transfer(b *ssa.BasicBlock, n int, in states, leave func(succ int, out states)) {
	for _, have := range in {
		have = r.pass(b, n, have, nil)
		if have == nil {
			continue
		}
		taken := anything
		branch := flow.BranchOf(b)
		if branch != nil {
			taken = r.eval(branch.Cond, have)
		}
		flow.Leave(b, have, func(succ int, have facts) {
			if branch != nil && (succ == 0 && taken == zero || succ == 1 && taken != zero && taken != anything) {
				return
			}
			// Of a value that has not been computed wherever control comes there, nobody
			// there asks before it is computed anew.
			to := flow.To(b, succ)
			computed := func(v ssa.Value) bool {
				i, ok := v.(ssa.Instruction)
				return !ok || i.Block().Dominates(to)
			}
			out := make(facts, len(have))
			for v, f := range have {
				if computed(v) {
					out[v] = f
				}
			}
			for phi, v := range flow.Phis(b, succ) {
				r.note(phi, r.eval(v, have), out)
			}
			leave(succ, states{out})
		})
	}
}

// pass is what is known behind a block; nil where the way ends in it. end is told of the
// return that is come to.
func (r *propagation) pass(b *ssa.BasicBlock, n int, have facts, end func(*ssa.Return, facts)) facts {
	have = maps.Clone(have)
	for _, i := range b.Instrs[n:] {
		if i == r.goal {
			r.reached = true
			return nil
		}
		call, ok := i.(*ssa.Call)
		isError := func(v ssa.Value) bool { f := r.eval(v, have); return f == failed || f == nonzero }
		ends := ok && (r.p.EndsProgram(call) || r.p.EndsIf(call, isError))
		if ends || r.usual != nil && r.stops(i, have) {
			r.handled = r.handled || !ends
			return nil
		}
		switch i := i.(type) {
		case *ssa.Phi:
		case *ssa.Store:
			if a, ok := i.Addr.(*ssa.Alloc); ok {
				r.note(a, r.eval(i.Val, have), have)
			}
		case *ssa.Return:
			if end != nil {
				end(i, have)
			}
		case *ssa.Alloc: // what is known of it is what it holds
		case ssa.Value:
			f, ok := r.known[i] // the load is come to again, as in a loop
			if !ok {
				f = r.compute(i, have)
			}
			r.note(i, f, have)
		}
	}
	return have
}

// note notes what is known of a value, or of what a variable holds. What is known of a
// value without anything of the load is not noted.
func (r *propagation) note(v ssa.Value, f fact, have facts) {
	if _, variable := v.(*ssa.Alloc); f == anything || !variable && f == r.always(v) {
		delete(have, v)
	} else {
		have[v] = f
	}
}

// eval is what is known of a value.
func (r *propagation) eval(v ssa.Value, have facts) fact {
	if _, variable := v.(*ssa.Alloc); variable {
		return nonzero
	}
	if f, ok := have[v]; ok {
		return f
	}
	return r.always(v)
}

// always is what is known of a value without anything of the load.
func (r *propagation) always(v ssa.Value) fact {
	f, ok := r.still[v]
	if !ok {
		r.still[v] = anything
		f = r.compute(v, nil)
		r.still[v] = f
	}
	return f
}

// compute is what is known of a value by what is known of its operands.
func (r *propagation) compute(v ssa.Value, have facts) fact {
	switch v := v.(type) {
	case *ssa.Const:
		return constFact(v)
	case *ssa.Alloc, *ssa.MakeMap, *ssa.MakeSlice, *ssa.MakeClosure, *ssa.FieldAddr:
		return nonzero
	case *ssa.MakeInterface:
		return max(nonzero, r.eval(v.X, have))
	case *ssa.ChangeInterface:
		return r.eval(v.X, have)
	case *ssa.ChangeType:
		return r.eval(v.X, have)
	case *ssa.UnOp:
		return r.unary(v, have)
	case *ssa.BinOp:
		return r.compare(v, have)
	case *ssa.Call:
		return r.called(v, v.Type(), have)
	case *ssa.Lookup:
		return r.sought(v)
	case *ssa.Extract:
		switch t := v.Tuple.(type) {
		case *ssa.Call:
			return r.called(t, v.Type(), have)
		case *ssa.Lookup:
			return r.sought(t)
		case *ssa.TypeAssert:
			// An error that has a type for a missing file is none of the others.
			if v.Index == 1 && r.why == broken && r.eval(t.X, have) == failed &&
				missing.MatchString(types.TypeString(t.AssertedType, nil)) {
				return zero
			}
		}
	}
	return anything
}

// sought is what a lookup yields: nothing in what the load was to fill.
func (r *propagation) sought(v *ssa.Lookup) fact {
	if r.unfilled(v.X) {
		return zero
	}
	return anything
}

func constFact(c *ssa.Const) fact {
	switch {
	case c.IsNil():
		return zero
	case c.Value != nil && memory.IsBool(c.Type()):
		if c.Value.ExactString() == "true" {
			return nonzero
		}
		return zero
	}
	return anything
}

func (r *propagation) unary(v *ssa.UnOp, have facts) fact {
	switch v.Op {
	case token.MUL:
		if a, ok := v.X.(*ssa.Alloc); ok {
			return have[a]
		}
	case token.NOT:
		return opposite(r.eval(v.X, have))
	}
	return anything
}

func opposite(f fact) fact {
	switch f {
	case zero:
		return nonzero
	case nonzero:
		return zero
	}
	return anything
}

// compare is the result of == and != where one side is nil, or where the error of
// the load is asked to be one of those that have names.
func (r *propagation) compare(v *ssa.BinOp, have facts) fact {
	x, y := r.eval(v.X, have), r.eval(v.Y, have)
	if memory.IsNil(v.X) {
		x = y
	}
	equal := anything
	switch {
	case v.Op == token.GTR && r.unfilled(v.X) && memory.IsZero(v.Y), v.Op == token.LSS && r.unfilled(v.Y) && isLen(v.Y):
		return zero
	case v.Op != token.EQL && v.Op != token.NEQ:
	case r.unfilled(v.X) && memory.IsZero(v.Y):
		equal = nonzero
	case memory.IsNil(v.X) || memory.IsNil(v.Y):
		equal = opposite(min(x, nonzero))
	case x == failed && memory.IsSentinel(v.Y), y == failed && memory.IsSentinel(v.X):
		if r.why == broken {
			equal = zero
		}
	}
	if v.Op == token.NEQ {
		return opposite(equal)
	}
	return equal
}

// unfilled reports whether a value is a part, or the length of one, of what the
// load was to fill.
func (r *propagation) unfilled(v ssa.Value) bool {
	if r.usual == nil {
		return false // it has been loaded
	}
	if isLen(v) {
		return r.unfilled(v.(*ssa.Call).Call.Args[0])
	}
	part := false
	for {
		switch x := v.(type) {
		case *ssa.UnOp:
			v = x.X
		case *ssa.FieldAddr:
			v, part = x.X, true
		case *ssa.Field:
			v, part = x.X, true
		case *ssa.Extract:
			call, ok := x.Tuple.(*ssa.Call)
			return ok && part && call == r.load.At
		case *ssa.Call:
			return part && x == r.load.At
		case *ssa.Alloc:
			call, ok := r.load.At.(*ssa.Call)
			isX := func(arg ssa.Value) bool { return memory.Unwrapped(arg) == x }
			return ok && part && slices.ContainsFunc(memory.CallArgs(&call.Call), isX)
		default:
			return false
		}
	}
}

// isLen reports whether v is the length of something.
func isLen(v ssa.Value) bool {
	call, ok := v.(*ssa.Call)
	if !ok {
		return false
	}
	b, ok := call.Call.Value.(*ssa.Builtin)
	return ok && b.Name() == "len"
}

// called is what is known of a result of a call that comes after the load. Asked
// for, the error of the load is none of those that have names, unless the file is
// missing.
func (r *propagation) called(call *ssa.Call, result types.Type, have facts) fact {
	fn := r.p.CalleeOf(&call.Call)
	switch {
	case known.MakesError(fn) == known.Certain:
		return failed
	case known.Is(fn, "slices.Contains", "slices.ContainsFunc") && r.unfilled(call.Call.Args[0]):
		return zero
	case memory.IsBool(result) && len(call.Call.Args) > 0 && memory.IsErrorType(call.Call.Args[0].Type()) &&
		asks(fn) && r.eval(call.Call.Args[0], have) == zero:
		return zero // there is no error to ask
	case !r.mentions(call, have):
	case memory.IsErrorType(result), memory.IsString(result):
		return failed
	case memory.IsBool(result) && asks(fn):
		if r.why == broken || known.Is(fn, "os.IsPermission") {
			return zero
		}
	}
	return anything
}

// asks reports whether a function asks whether an error is one of those that have
// names, as that of a missing file has.
func asks(fn *types.Func) bool {
	return fn != nil &&
		(known.Is(fn, "errors.Is", "errors.As", "errors.AsType", "os.IsPermission") || missing.MatchString(fn.Name()))
}

// mentions reports whether the error of the load is among the arguments of a call.
func (r *propagation) mentions(call *ssa.Call, have facts) bool {
	return slices.ContainsFunc(memory.CallArgs(&call.Call), func(arg ssa.Value) bool {
		if r.eval(arg, have) == failed {
			return true
		}
		return slices.ContainsFunc(listed(arg), func(v ssa.Value) bool { return r.eval(v, have) == failed })
	})
}

// listed are the elements of a list of arguments.
func listed(v ssa.Value) []ssa.Value {
	s, ok := v.(*ssa.Slice)
	if !ok {
		return nil
	}
	a, ok := s.X.(*ssa.Alloc)
	if !ok || a.Comment != varargs {
		return nil
	}
	var list []ssa.Value
	for _, e := range flow.Elements(a) {
		list = append(list, e.Store.Val)
	}
	return list
}

// varargs is what SSA calls the array of a list of arguments.
const varargs = "varargs"

// stops reports whether the way ends at an instruction: the error is kept for later, or
// something is done about what could not be loaded.
func (r *propagation) stops(i ssa.Instruction, have facts) bool {
	switch i := i.(type) {
	case *ssa.MapUpdate:
		return r.eval(i.Value, have) == failed && !handedOver(i.Map)
	case *ssa.Store:
		return r.eval(i.Val, have) == failed && keeps(i.Addr)
	case *ssa.Call:
		if r.repairs(i) {
			return true
		}
		fn := r.p.CalleeOf(&i.Call)
		if !r.mentions(i, have) {
			return false
		}
		_, builtin := i.Call.Value.(*ssa.Builtin)
		return builtin || memory.IsBool(i.Type()) && !asks(fn)
	}
	return false
}

// handedOver reports whether a map is made for the call that gets it, as the fields of a
// line in the log are.
func handedOver(m ssa.Value) bool {
	made, ok := m.(*ssa.MakeMap)
	return ok && !slices.ContainsFunc(flow.Uses(made), func(ref ssa.Instruction) bool {
		switch ref := ref.(type) {
		case *ssa.MapUpdate:
			return ref.Map != m
		case *ssa.Call:
			_, builtin := ref.Call.Value.(*ssa.Builtin)
			return builtin
		}
		return true
	})
}

// keeps reports whether an address is neither a local variable nor an argument.
func keeps(addr ssa.Value) bool {
	switch a := addr.(type) {
	case *ssa.Alloc:
		return false
	case *ssa.IndexAddr:
		list, ok := a.X.(*ssa.Alloc)
		return !ok || list.Comment != varargs
	}
	return true
}

// repairs reports whether the call reads or decodes the file once more, moves it
// aside or removes it; or does something of its own where the load has failed:
// makes another file, reads another, or asks the user.
func (r *propagation) repairs(call *ssa.Call) bool {
	if !r.usual[call.Block()] {
		if fn := r.p.CalleeOf(&call.Call); fn != nil && recovering.MatchString(fn.Name()) {
			return true
		}
	}
	file := File(r.load)
	return slices.ContainsFunc(r.f.OfKind(dealing...), func(e *effects.Effect) bool {
		if e.At != call {
			return false
		}
		switch e.Kind {
		case effects.Decode:
			return decodes(e, file)
		case effects.Rename, effects.Link, effects.Remove:
			return memory.SameFile(e.Path, file)
		case effects.Read:
			return memory.SameFile(e.Path, file) || !r.usual[call.Block()] && e.Path != nil
		case effects.Truncate, effects.CreateExclusive, effects.Replace:
			return !r.usual[call.Block()] && !memory.SameFile(e.Path, file)
		}
		return false
	})
}

// dealing are the kinds of effects that can do something about what could not be loaded.
var dealing = []effects.Kind{
	effects.Decode, effects.Rename, effects.Link, effects.Remove, effects.Read, effects.Truncate,
	effects.CreateExclusive, effects.Replace,
}

// recovering are names of functions that deal with what could not be loaded.
var recovering = pattern.New(
	`(?i)backup|quarantine|recover|restore|repair|rebuild|rescue|confirm|prompt|migrat|legacy|fallback|detect|discover|scan`,
)

// end notes what the function returns, but for an error of which nothing is known.
func (r *propagation) end(ret *ssa.Return, have facts) {
	o := &outcome{results: make([]fact, len(ret.Results)), lost: r.lost}
	carried := false // the error is a result
	for i, v := range ret.Results {
		f := r.eval(v, have)
		switch {
		case memory.IsSentinel(v):
			f, carried = failed, true
		case memory.IsErrorType(v.Type()) && f == anything:
			r.handled = true
			return
		case memory.IsErrorType(v.Type()):
			carried = carried || f != zero
		case f == zero && !isEmpty(v.Type()):
			o.tells = true
		}
		o.results[i] = f
	}
	o.bare = o.tells && !carried
	o.tells = o.tells || carried
	if o.lost == nil && !carried {
		at := ret
		if r.usual[ret.Block()] {
			at = nil
		}
		o.lost = r.p.ignoredAt(r.f, r.load, at)
	}
	if !slices.ContainsFunc(r.ends, o.equal) {
		r.ends = append(r.ends, o)
	}
}

// isEmpty reports whether nil of the type is as good as an empty one.
func isEmpty(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Map, *types.Slice:
		return true
	}
	return false
}

// Fails reports whether f comes to w only where the call that has the effect e fails,
// or answers that the file is not there.
func (p *Package) Fails(f *effects.Func, e, w *effects.Effect) bool {
	call := e.At.(*ssa.Call)
	results := p.wellOf(call)
	if results == nil {
		return false
	}
	if call.Block() == w.At.Block() {
		return false
	}
	return !p.well(f, e, results)[w.At.Block()]
}

// wellOf are the results of a call that looks for a file, or loads one, where it is
// there; nil where that cannot be told.
func (p *Package) wellOf(call *ssa.Call) []fact {
	fn := p.CalleeOf(&call.Call)
	if fn == nil {
		return nil
	}
	res := call.Call.Signature().Results()
	if n := res.Len(); n > 0 && memory.IsBool(res.At(0).Type()) && asksForPresence(fn) {
		switch {
		case n == 1:
			return []fact{nonzero}
		case n == 2 && memory.IsErrorType(res.At(1).Type()):
			return []fact{nonzero, zero}
		}
	}
	if list := Returned(&call.Call); list != nil && loading.MatchString(fn.Name()) {
		return succeeded(call, list[0])
	}
	return nil
}

// loading are names of functions whose error is that of looking for a file or loading
// it, and not of looking for something in what was loaded.
var loading = pattern.New(`(?i)^l?stat|^(must)?(load|read|open|parse|unmarshal|decode)`)
