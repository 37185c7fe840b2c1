package effects

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// Overwritten reports whether each field of what the file is loaded into gets a new
// value before it is saved, so that nothing of the old ones goes into the file.
func (p *Package) Overwritten(f *Func, c Cycle) bool {
	if c.OneCall() || c.Last().At == nil {
		return false
	}
	return slices.ContainsFunc(resultsOf(c.Read.At), func(v ssa.Value) bool {
		if _, ok := v.Type().Underlying().(*types.Pointer); !ok {
			return false
		}
		s := memory.StructOf(v.Type())
		return s != nil && s.NumFields() > 0 && len(p.assignedAnew(v, c)) == s.NumFields()
	})
}

// resultsOf are the values in which the results of a call come.
func resultsOf(i ssa.Instruction) []ssa.Value {
	call, ok := i.(*ssa.Call)
	if !ok {
		return nil
	}
	list := []ssa.Value{call}
	for _, ref := range flow.Uses(call) {
		if x, ok := ref.(*ssa.Extract); ok {
			list = append(list, x)
		}
	}
	return list
}

// assignedAnew are the fields of an object that are stored to on every way to the
// save of a cycle, each with a value in which nothing of the file is.
func (p *Package) assignedAnew(v ssa.Value, c Cycle) map[int]bool {
	fields, last := map[int]bool{}, c.Last().At
	for _, ref := range flow.Uses(v) {
		fa, ok := ref.(*ssa.FieldAddr)
		if !ok {
			continue
		}
		for _, use := range flow.Uses(fa) {
			st, ok := use.(*ssa.Store)
			if ok && st.Addr == fa && st.Parent() == last.Parent() && p.Flow.Dominates(st, last) && !p.derives(st.Val, c) {
				fields[fa.Field] = true
			}
		}
	}
	return fields
}

// derives reports whether a value derives from what the cycle has read, or may do
// so.
func (p *Package) derives(v ssa.Value, c Cycle) bool {
	read, _ := c.Read.At.(ssa.Value)
	from, all := p.AllSources(v)
	return !all || slices.ContainsFunc(from, func(s memory.Source) bool {
		return s.File() != nil && memory.SameFile(s.File(), c.File) || s.Local != nil && s.Local == read
	})
}

// Upgrades reports whether f goes on with what the file holds, and saves that alone
// in another form: whoever opens the file next finds nothing left to be done. Of
// what is decoded and encoded again, the content must say whether that is to be.
func (p *Package) Upgrades(f *Func, c Cycle) bool {
	if memory.Encoder(c.Write.Data) != "" && !p.decides(f, c) || p.merges(c) {
		return false
	}
	if slices.ContainsFunc(c.Write.From, func(s memory.Source) bool { return !s.Within(c.File) }) {
		return false
	}
	own := func(s memory.Source) bool { return s.File() != nil && s.Within(c.File) }
	return slices.ContainsFunc(f.Effects, func(e *Effect) bool {
		return e.Kind == Fill && memory.IsRooted(e.Target) && slices.ContainsFunc(e.From, own)
	}) || p.yieldsState(f, own) || p.makesOwner(f, c.File)
}

// merges reports whether something is put into what the cycle has loaded, or taken
// out of it, that the content itself does not say.
func (p *Package) merges(c Cycle) bool {
	return p.changedWith(c, func(v ssa.Value) bool { return p.outside(v, c) })
}

// changedWith reports whether a value of which that is true is put into what the cycle has
// loaded, or a call may change it by what it is given beside it.
func (p *Package) changedWith(c Cycle, is func(ssa.Value) bool) bool {
	seen := map[ssa.Value]bool{}
	for work := resultsOf(c.Read.At); len(work) > 0; work = work[1:] {
		v := work[0]
		if seen[v] || !memory.CarriesData(v.Type()) {
			continue
		}
		seen[v] = true
		for _, ref := range flow.Uses(v) {
			switch r := ref.(type) {
			case *ssa.Store:
				if r.Addr == v && is(r.Val) {
					return true
				}
			case *ssa.MapUpdate:
				if r.Map == v && (is(r.Key) || is(r.Value)) {
					return true
				}
			case *ssa.Call:
				if r != c.Read.At && r != c.Last().At && p.changedBy(v, &r.Call, c) {
					return true
				}
			case *ssa.FieldAddr, *ssa.IndexAddr, *ssa.UnOp, *ssa.Lookup, *ssa.Extract, *ssa.Phi, *ssa.Range, *ssa.Next, *ssa.Slice:
				work = append(work, r.(ssa.Value))
			}
		}
	}
	return false
}

// Stamps reports whether all that f changes in what the file holds is a time, that of
// now, and nothing else of the package saves the file: it says when something was done
// last, and who comes later says so, too.
func (p *Package) Stamps(f *Func, c Cycle) bool {
	stamped := false
	return !p.changedWith(c, func(v ssa.Value) bool {
		now := p.fromClock(v)
		stamped = stamped || now
		return !now
	}) && stamped && !p.savedBeside(f, c.File)
}

// fromClock reports whether a value is the time of now, in any form.
func (p *Package) fromClock(v ssa.Value) bool {
	call, ok := v.(*ssa.Call)
	if !ok {
		return false
	}
	fn := p.CalleeOf(&call.Call)
	if fn == nil || known.Path(fn) != "time" {
		return false
	}
	args := memory.CallArgs(&call.Call)
	return fn.Name() == "Now" || len(args) > 0 && p.fromClock(args[0])
}

// Answers reports whether what f gets of the file is nothing but texts and numbers out
// of what a helper decodes, or the one text that the file holds, as a helper trims it:
// what it saves is no old content that it has changed.
func (p *Package) Answers(f *Func, c Cycle) bool {
	call, ok := c.Read.At.(*ssa.Call)
	if !ok || c.Read.Kind != Read || len(c.Read.Via) == 0 || c.OneCall() || c.Write.Object != nil {
		return false
	}
	small := false
	for v := range call.Call.Signature().Results().Variables() {
		if memory.IsErrorType(v.Type()) {
			continue
		}
		if small = memory.IsSmall(v.Type()); !small {
			return false
		}
	}
	return small && (trims(call.Call.StaticCallee()) && !c.Grows() || slices.ContainsFunc(f.Effects, func(e *Effect) bool {
		return e.Kind == Decode && e.At == c.Read.At && reads(e.Data, c.File)
	}))
}

// trims reports whether a function returns a text without the space around it, or a
// constant.
func trims(fn *ssa.Function) bool {
	trimmed := false
	if fn == nil {
		return false
	}
	for ret := range flow.Returns(fn) {
		if len(ret.Results) == 0 {
			continue
		}
		switch v := ret.Results[0].(type) {
		case *ssa.Const:
		case *ssa.Call:
			if fn := v.Call.StaticCallee(); fn == nil || fn.String() != "strings.TrimSpace" {
				return false
			}
			trimmed = true
		default:
			return false
		}
	}
	return trimmed
}

// outside reports whether a value says something that the file does not.
func (p *Package) outside(v ssa.Value, c Cycle) bool {
	if _, constant := v.(*ssa.Const); constant {
		return false
	}
	return !p.derives(v, c) || slices.ContainsFunc(p.Sources(v), func(s memory.Source) bool { return !s.Within(c.File) })
}

// changedBy reports whether a call may change the loaded memory v by what it is
// given beside it.
func (p *Package) changedBy(v ssa.Value, call *ssa.CallCommon, c Cycle) bool {
	switch v.Type().Underlying().(type) {
	case *types.Pointer, *types.Map:
	default:
		return false
	}
	return slices.ContainsFunc(memory.CallArgs(call), func(a ssa.Value) bool { return a != v && memory.CarriesData(a.Type()) && p.outside(a, c) })
}

// decides reports whether what the cycle has read decides whether it is saved.
func (p *Package) decides(f *Func, c Cycle) bool {
	last := c.Last().At
	if last == nil {
		return false
	}
	for i := range flow.Branches(f.SSA) {
		yes, no := flow.Arms(i)
		if yes.Dominates(last.Block()) != no.Dominates(last.Block()) && p.asks(i.Cond, c) {
			return true
		}
	}
	return false
}

// asks reports whether a condition looks at what the cycle has read.
func (p *Package) asks(cond ssa.Value, c Cycle) bool {
	switch v := cond.(type) {
	case *ssa.UnOp:
		return p.asks(v.X, c) || p.derives(v.X, c)
	case *ssa.BinOp:
		return !memory.IsErrorType(v.X.Type()) && (p.derives(v.X, c) || p.derives(v.Y, c))
	case *ssa.Call:
		return slices.ContainsFunc(memory.CallArgs(&v.Call), func(a ssa.Value) bool { return memory.CarriesData(a.Type()) && p.derives(a, c) })
	}
	return false
}

// yieldsState reports whether a result of f that is more than a number or a text
// derives from a source.
func (p *Package) yieldsState(f *Func, of func(memory.Source) bool) bool {
	i := -1
	for v := range f.SSA.Signature.Results().Variables() {
		if i++; !memory.IsSmall(v.Type()) && slices.ContainsFunc(p.From(f.SSA, i), of) {
			return true
		}
	}
	return false
}

// makesOwner reports whether f makes and returns an object that a file belongs to:
// one that has its path in a field.
func (p *Package) makesOwner(f *Func, file *pathexpr.Term) bool {
	for _, b := range f.SSA.Blocks {
		r := flow.ReturnOf(b)
		if r == nil {
			continue
		}
		for _, v := range r.Results {
			if a, ok := unwrapped(v).(*ssa.Alloc); ok && p.names(a, file) {
				return true
			}
		}
	}
	return false
}

// names reports whether a field of an object is the path of a file.
func (p *Package) names(object *ssa.Alloc, file *pathexpr.Term) bool {
	return slices.ContainsFunc(flow.Uses(object), func(ref ssa.Instruction) bool {
		fa, ok := ref.(*ssa.FieldAddr)
		return ok && slices.ContainsFunc(flow.StoresAt(fa), func(st *ssa.Store) bool { return p.Term(st.Val).Key() == file.Key() })
	})
}

// OfProcess reports whether the file of a cycle is about processes: what it is loaded
// into has the number of one, or the function that reads it keeps what is about those
// that live. It is written anew by the next one, or worth nothing when they end.
func (p *Package) OfProcess(c Cycle) bool {
	return asksLiving(c.Read.In) || slices.ContainsFunc(resultsOf(c.Read.At), func(v ssa.Value) bool {
		s, ok := known.Pointee(v.Type()).Underlying().(*types.Struct)
		if !ok {
			return false
		}
		for field := range s.Fields() {
			if slices.Equal(pathexpr.Words(field.Name()), []string{"pid"}) && memory.IsSmall(field.Type()) {
				return true
			}
		}
		return false
	})
}

// asksLiving reports whether a function asks whether processes are there, by the
// signal 0 of kill(2).
func asksLiving(fn *ssa.Function) bool {
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			call, ok := i.(ssa.CallInstruction)
			if !ok || call.Common().StaticCallee() == nil {
				continue
			}
			switch call.Common().StaticCallee().String() {
			case "syscall.Kill", "golang.org/x/sys/unix.Kill":
				if c, ok := call.Common().Args[1].(*ssa.Const); ok && c.Int64() == 0 {
					return true
				}
			}
		}
	}
	return false
}
