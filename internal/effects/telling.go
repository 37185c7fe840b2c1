package effects

import (
	"cmp"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// summaryEffects are the effects of a function that its callers have: of those that are the same, done
// by the same line, the first and the last.
func (f *Func) summaryEffects() []*Effect {
	if f.telling == nil {
		f.telling = f.tell(f.Effects)
	}
	return f.telling
}

// summaryInCycle are the summary effects for callers that the function leads back to: only what it does
// itself or has from outside. What comes from them must not push that out.
func (f *Func) summaryInCycle() []*Effect {
	if f.tellingInCycle == nil {
		f.tellingInCycle = f.tell(slices.DeleteFunc(slices.Clone(f.Effects), func(e *Effect) bool { return e.inCycle }))
	}
	return f.tellingInCycle
}

func (f *Func) tell(effects []*Effect) []*Effect {
	if f.SSA.Parent() != nil {
		return endsOf(effects)
	}
	return endsOf(mergedFills(withoutInner(effects)))
}

// withoutInner are effects without what the functions that the function calls do to
// mutexes and registries, which is for it alone to know.
func withoutInner(effects []*Effect) []*Effect {
	inner := func(e *Effect) bool { return e.entry() && !e.own() }
	if !slices.ContainsFunc(effects, inner) {
		return effects
	}
	return slices.DeleteFunc(slices.Clone(effects), inner)
}

// mergedFills are the effects of a function with one StoreLoaded for each memory that its
// callers know: which of its lines puts what there, they need not be told.
func mergedFills(effects []*Effect) []*Effect {
	type key struct {
		when           When
		target, object string
	}
	at := map[key]int{}
	list := make([]*Effect, 0, len(effects))
	for _, e := range effects {
		if e.Kind != StoreLoaded {
			list = append(list, e)
			continue
		}
		if !memory.IsRooted(e.Target) {
			continue
		}
		k := key{e.When, e.Target.Key(), e.Object.Key()}
		i, met := at[k]
		if !met {
			at[k] = len(list)
			list = append(list, e)
			continue
		}
		merged := *list[i]
		merged.From = slices.Clone(merged.From)
		for _, s := range e.From {
			merged.From = memory.AddSource(merged.From, s)
		}
		list[i] = &merged
	}
	return list
}

// endsOf are the first and the last of each kind of effects in a list, and what ends that
// which they begin.
func endsOf(effects []*Effect) []*Effect {
	first, last := map[summaryKey]int{}, map[summaryKey]int{}
	for i, e := range effects {
		t := e.summaryKey()
		if _, met := first[t]; !met {
			first[t] = i
		}
		last[t] = i
	}
	if len(first) == len(effects) {
		return effects
	}
	return withEnds(effects, func(i int) bool {
		t := effects[i].summaryKey()
		return first[t] == i || last[t] == i
	})
}

// A summaryKey is what callers can tell of an effect: those that have the same are one to all of them.
type summaryKey struct {
	kind                                               Kind
	when                                               When
	pos                                                token.Pos
	foreign, path, target, handle, object, flags, data string
}

func (e *Effect) summaryKey() summaryKey {
	t := summaryKey{
		e.Kind, e.When, e.Pos, e.Foreign, nameable(e.Path), nameable(e.Target), nameable(e.Handle), nameable(e.Object), nameable(e.Flags), "",
	}
	if e.entry() {
		t.pos = token.NoPos
	}
	if !e.entry() || !e.Data.Has(pathexpr.Unknown) { // no caller can name an entry of which a part is not known
		t.data = nameable(e.Data)
	}
	return t
}

// entry reports whether an effect is on an entry of a registry, or on a lock of the process.
func (e *Effect) entry() bool {
	switch e.Kind {
	case Consult, Claim, Forget, Acquire, Release:
		return true
	}
	return false
}

// withEnds are the effects of a list that keep, and what ends, just before or after one of
// them, what is done to the same file: without its Close it would seem to stay open.
func withEnds(effects []*Effect, keep func(i int) bool) []*Effect {
	type use struct {
		at   ssa.Instruction
		file string
	}
	type end struct {
		kind Kind
		pos  token.Pos
	}
	type between struct {
		kept bool // what is done before is
		ends map[end]int
	}
	kept, uses := make([]bool, len(effects)), map[use]*between{}
	settle := func(b *between, after bool) {
		for _, i := range b.ends {
			kept[i] = kept[i] || b.kept || after
		}
		b.kept, b.ends = after, nil
	}
	n := 0
	for i, e := range effects {
		kept[i] = keep(i)
		file := use{e.At, cmp.Or(e.Handle.File(), e.Path).Path().Key()}
		b := uses[file]
		if b == nil {
			b = &between{}
			uses[file] = b
		}
		if !e.ends() {
			settle(b, kept[i])
			continue
		}
		k := end{e.Kind, e.Pos}
		if _, met := b.ends[k]; !met {
			if b.ends == nil {
				b.ends = map[end]int{}
			}
			b.ends[k] = i
		}
	}
	for _, b := range uses {
		settle(b, false)
	}
	for _, is := range kept {
		if is {
			n++
		}
	}
	list := make([]*Effect, 0, n)
	for i, e := range effects {
		if kept[i] {
			list = append(list, e)
		}
	}
	return list
}

// ends reports whether the effect ends what another began.
func (e *Effect) ends() bool { return e.Kind == Unlock || e.Kind == Close || e.Kind == Sync }

// nameable is the key of a term that a caller can say more of, or that is the same wherever it
// stands; empty for any other.
func nameable(t *pathexpr.Term) string {
	if t.Has(pathexpr.Param) || t.PackageKey() != "" && !t.Has(pathexpr.Alt) {
		return t.Key()
	}
	return ""
}

// comesFrom reports whether an effect comes about by a call of the function: a function
// that calls itself has it once.
func (e *Effect) comesFrom(fn *ssa.Function) bool {
	for ; e != nil; e = e.CalleeEffect {
		if e.At != nil && e.At.Parent() == fn {
			return true
		}
	}
	return false
}

// unresolvable reports whether the effect is a write through a handle that the
// function got neither from its caller nor by opening it, or decodes what it has from
// neither its caller nor a file: no caller can ever say which file that is. Loggers and
// page writers make thousands of these.
func (e *Effect) unresolvable() bool {
	switch e.Kind {
	case Decode:
		return !e.Data.Has(pathexpr.Param, pathexpr.Content)
	case Write, Flush, Close, Seek, TruncateTo:
	default:
		return false
	}
	if e.Handle == nil || e.Object != nil {
		return false
	}
	switch e.Handle.File().Kind {
	case pathexpr.Handle, pathexpr.Param, pathexpr.Alt:
		return false
	}
	return true
}

// distant reports whether an effect happens so many calls away in the package that no check relates it
// to what the caller does.
func (e *Effect) distant() bool { return len(e.Via) >= maxCalls }

// maxCalls bounds the calls of a package between a function and what it is told of: a load and its save,
// a lock and what it protects stand at most three calls below the function that both are of.
const maxCalls = 7

// Lowered restates terms of a callee in terms of a call with these arguments.
func (p *Package) Lowered(args []*pathexpr.Term) lowering { return lowering{p.Values, args} }

func (l lowering) term(t *pathexpr.Term) *pathexpr.Term { return l.values.Lower(t, l.args) }

// MapToCaller puts the terms of a callee's effect in terms of its caller.
func (e *Effect) MapToCaller(l lowering) {
	e.Path = l.term(e.Path)
	if e.Kind != StoreLoaded {
		e.Target = l.term(e.Target)
	}
	e.Handle = l.term(e.Handle)
	e.Data = l.term(e.Data)
	e.Flags = l.term(e.Flags)
}
