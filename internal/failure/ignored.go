package failure

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/cycles"
	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
	"github.com/lockvet/lockvet/internal/pattern"
)

// Forgives reports whether f can end without an error and without having saved,
// although it could not load the file of the cycle.
func (p *Package) Forgives(f *effects.Func, c cycles.Cycle) bool { return p.forgives(f, c, broken) }

// ForgivesAbsence reports whether it can where there is no such file.
func (p *Package) ForgivesAbsence(f *effects.Func, c cycles.Cycle) bool {
	return p.forgives(f, c, absent)
}

func (p *Package) forgives(f *effects.Func, c cycles.Cycle, why cause) bool {
	for _, o := range p.failing(f, c.Read, why) {
		r := p.propagate(f, c.Read, o, why, c.Last().At)
		if slices.ContainsFunc(r.ends, silent) {
			return true
		}
	}
	return false
}

// silent reports whether an outcome tells nothing of the failure.
func silent(o *outcome) bool { return !o.tells }

// NeedsFile reports whether f ends with an error where there is no file of the cycle, and does
// nothing else about it.
func (p *Package) NeedsFile(f *effects.Func, c cycles.Cycle) bool {
	list := p.failing(f, c.Read, absent)
	looks := func(e *effects.Effect) bool { return memory.SameFile(e.Path, c.File) }
	return len(list) > 0 && !c.OneCall() && !slices.ContainsFunc(f.OfKind(effects.Stat), looks) &&
		!slices.ContainsFunc(list, func(o *outcome) bool {
			r := p.propagate(f, c.Read, o, absent, c.Last().At)
			return r.reached || r.handled || slices.ContainsFunc(r.ends, func(o *outcome) bool { return o.bare || !o.tells })
		})
}

// IgnoredBefore lists where the failure to load what the cycle writes again is lost on
// the way to the write: that of decoding it, or of reading it where nothing is
// decoded. That the file is missing is no failure.
func (p *Package) IgnoredBefore(f *effects.Func, c cycles.Cycle) []*Ignored {
	if c.OneCall() || c.Last().When != effects.Inline || !p.carriedWhole(f, c) || p.keepsOld(f, c) {
		return nil
	}
	var list []*Ignored
	for _, e := range loadsIn(f, c) {
		if p.loadedBefore(f, e, c.File) {
			continue
		}
		for _, o := range p.failing(f, e, broken) {
			r := p.propagate(f, e, o, broken, c.Last().At)
			if !r.reached {
				continue
			}
			s := o.lost
			if s == nil {
				s = p.ignoredAt(f, e, nil)
			}
			list = addIgnored(list, s)
		}
	}
	return list
}

// loadedBefore reports whether f has loaded the file before it comes to e, and would not
// have come there without: what it held is in memory, then.
func (p *Package) loadedBefore(f *effects.Func, e *effects.Effect, file *pathexpr.Term) bool {
	return slices.ContainsFunc(f.Effects, func(d *effects.Effect) bool {
		if !decodes(d, file) || !p.Flow.Reaches(d.At, e.At) {
			return false
		}
		list := p.failing(f, d, broken)
		return len(list) > 0 && !slices.ContainsFunc(list, func(o *outcome) bool {
			return p.propagate(f, d, o, broken, e.At).reached
		})
	})
}

// IgnoredLoad lists where f loses the failure to decode a file and ends as if it
// had loaded it: f decodes it itself, or makes an object of what a function of
// this package or of another one decodes.
func (p *Package) IgnoredLoad(f *effects.Func, decode *effects.Effect) []*Ignored {
	if decode.Kind != effects.Decode || decode.When != effects.Inline || decode.Data.Has(pathexpr.Elem) {
		return nil
	}
	if (len(decode.Via) > 0 || decode.Foreign != "") && !makes(f) {
		return nil
	}
	var list []*Ignored
	for _, o := range p.outcomes(decode, broken) {
		if o.lost != nil && !o.tells && o.lost.In == f {
			list = addIgnored(list, o.lost)
		}
	}
	return list
}

// MakesAnew is the first of some writes that f comes to only where it fails to decode a file,
// and where it loses that failure. Both are nil where there is none.
func (p *Package) MakesAnew(
	f *effects.Func, decode *effects.Effect, writes []*effects.Effect,
) (*effects.Effect, *Ignored) {
	if len(writes) == 0 {
		return nil, nil
	}
	for _, o := range p.failing(f, decode, broken) {
		if o.bare && answersNo(decode.At.(*ssa.Call), o) {
			continue // for other reasons, too
		}
		r := p.propagate(f, decode, o, broken, nil)
		for _, w := range writes {
			_, comes := r.came[w.At.Block()]
			if comes && !r.usual[w.At.Block()] && p.propagate(f, decode, o, broken, w.At).reached {
				return w, p.ignoredAt(f, decode, nil)
			}
		}
	}
	return nil, nil
}

// answersNo reports whether a result of an outcome is false.
func answersNo(call *ssa.Call, o *outcome) bool {
	results := call.Call.Signature().Results()
	for i, f := range o.results {
		if f == zero && memory.IsBool(results.At(i).Type()) {
			return true
		}
	}
	return false
}

// addIgnored adds where an error is lost. What is lost at several returns is lost
// at the call.
func addIgnored(list []*Ignored, s *Ignored) []*Ignored {
	if s == nil {
		return list
	}
	for i, o := range list {
		if o.Call == s.Call && o.Failed.Kind == s.Failed.Kind {
			if o.Return != s.Return {
				at := *o
				at.Return = nil
				list[i] = &at
			}
			return list
		}
	}
	return append(list, s)
}

// makes reports whether the function returns an object.
func makes(f *effects.Func) bool {
	res := f.SSA.Signature.Results()
	return res.Len() > 0 && memory.NamedType(res.At(0).Type()) != ""
}

// Leaves reports whether g comes to its end, and tells its caller, where a call in
// it returns an error.
func (p *Package) Leaves(g *effects.Func, i ssa.Instruction) bool {
	call, ok := i.(*ssa.Call)
	if !ok {
		return false
	}
	e := g.New(effects.Read, nil, call)
	e.Call = p.CallAt(call.Call.Pos())
	r := p.propagate(g, e, ownError(&call.Call), broken, nil)
	return !slices.ContainsFunc(r.ends, func(o *outcome) bool {
		return o.lost != nil && (o.lost.Return == nil || len(o.results) > 0 && !o.tells)
	})
}

// loadsIn are the effects of f by which the cycle's content is loaded: that it is
// decoded, or read where nothing decodes it.
func loadsIn(f *effects.Func, c cycles.Cycle) []*effects.Effect {
	var list []*effects.Effect
	for _, e := range f.Effects {
		if decodes(e, c.File) && (e.At == c.Read.At || f.Reaches(c.Read.At, e.At)) && effects.Reaches(e, c.Last()) {
			list = append(list, e)
		}
	}
	if len(list) == 0 &&
		!slices.ContainsFunc(f.OfKind(effects.Decode), func(e *effects.Effect) bool { return effects.Reaches(c.Read, e) }) {
		list = append(list, c.Read)
	}
	return list
}

// keepsOld reports whether what the file held is there after the cycle's write: it was
// moved aside before, a function that is named for a backup was told of it before or
// writes it, or one that is named for a migration does, which finds nothing to bring over
// in an empty value.
func (p *Package) keepsOld(f *effects.Func, c cycles.Cycle) bool {
	last := c.Last().At
	if call, ok := last.(*ssa.Call); ok && keeping.MatchString(p.calleeName(call)) {
		return true
	}
	var before ssa.Instruction // of one call there can be thousands of effects
	return slices.ContainsFunc(f.Effects, func(e *effects.Effect) bool {
		call, ok := e.At.(*ssa.Call)
		told := ok && e.At != before && backup.MatchString(p.calleeName(call)) &&
			p.Flow.Dominates(call, last) && p.told(call, c.File)
		before = e.At
		return told || MovesAway(e) && memory.SameFile(e.Path, c.File) && effects.Reaches(e, c.Last())
	})
}

var (
	backup  = pattern.New(`(?i)backup`)
	keeping = pattern.New(`(?i)backup|^migrat`)
)

func (p *Package) calleeName(call *ssa.Call) string {
	if fn := p.CalleeOf(&call.Call); fn != nil {
		return fn.Name()
	}
	return ""
}

// told reports whether an argument of a call is a file, or something that its path is
// made of.
func (p *Package) told(call *ssa.Call, file *pathexpr.Term) bool {
	return slices.ContainsFunc(memory.CallArgs(&call.Call), func(arg ssa.Value) bool {
		t := p.Term(arg)
		return t != nil && memory.IsString(arg.Type()) && file.Any(t.Same)
	})
}

// outcomes are what the function that has an effect yields where that fails.
func (p *Package) outcomes(e *effects.Effect, why cause) []*outcome {
	return p.failures.Ask(failing{e, why})
}

// makeOutcomes computes outcomes.
func (p *Package) makeOutcomes(of failing) []*outcome {
	f := p.Of(of.e.At.Parent())
	if f == nil {
		return nil
	}
	var list []*outcome
	for _, o := range p.failing(f, of.e, of.why) {
		list = append(list, p.propagate(f, of.e, o, of.why, nil).ends...)
	}
	return list
}

// failing are what the call of f yields that has the effect e, where e fails.
func (p *Package) failing(f *effects.Func, e *effects.Effect, why cause) []*outcome {
	call, ok := e.At.(*ssa.Call)
	if !ok || e.When != effects.Inline {
		return nil
	}
	if g := p.Body(&call.Call); g != nil {
		inner := p.Within(g, e)
		if inner == nil {
			return nil
		}
		return p.outcomes(inner, why)
	}
	if e.Foreign != "" {
		return p.elsewhere(f, e, call, why)
	}
	if e.In == f.SSA && !p.Flow.Reaches(call, call) {
		return Returned(&call.Call)
	}
	return nil
}

// elsewhere are the outcomes of a call of another package's function in which e fails.
func (p *Package) elsewhere(f *effects.Func, e *effects.Effect, call *ssa.Call, why cause) []*outcome {
	n := call.Call.Signature().Results().Len()
	if why != broken && e.Optional && n > 0 {
		o := &outcome{results: make([]fact, n)}
		o.results[n-1] = zero
		return []*outcome{o}
	}
	if !e.Ignored && len(e.Empty) != n {
		return Returned(&call.Call)
	}
	var list []*outcome
	if e.Ignored {
		list = append(list, &outcome{results: make([]fact, n), lost: p.ignoredAt(f, e, nil)})
	}
	if len(e.Empty) == n {
		o := &outcome{results: make([]fact, n), tells: true, bare: true, lost: p.ignoredAt(f, e, nil)}
		for i, empty := range e.Empty {
			if empty {
				o.results[i] = zero
			}
		}
		list = append(list, o)
	}
	return list
}

// Within is the effect of g that the effect e of a caller of g is.
func (p *Package) Within(g *ssa.Function, e *effects.Effect) *effects.Effect {
	if e.CalleeEffect == nil || e.CalleeEffect.At == nil || e.CalleeEffect.At.Parent() != g {
		return nil
	}
	return e.CalleeEffect
}

// carriedWhole reports whether what the cycle writes is what was read with changes
// in it, not something else that has only numbers and times from there.
func (p *Package) carriedWhole(f *effects.Func, c cycles.Cycle) bool {
	call, ok := c.Write.At.(ssa.CallInstruction)
	if !ok {
		return true
	}
	return slices.ContainsFunc(
		effects.NewDefinitions(f).Reaching(p.WholeSources(memory.CallArgs(call.Common())...), c.Write),
		func(s memory.Source) bool { return s.File() != nil && memory.SameFile(s.File(), c.File) },
	)
}

// Ignores reports whether f does not tell its caller that e, a Decode or a Read, has
// failed, whether it yields no error where the file is not there, and lists by result
// what is empty where it tells by that alone that e has failed.
func (p *Package) Ignores(f *effects.Func, e *effects.Effect) (ignored, optional bool, empty []bool) {
	if e.Kind == effects.Read {
		optional = slices.ContainsFunc(p.outcomes(e, absent), silent)
	}
	for _, o := range p.outcomes(e, broken) {
		switch {
		case !o.tells:
			ignored = true
		case o.bare && empty == nil:
			for _, r := range o.results {
				empty = append(empty, r == zero)
			}
		}
	}
	return ignored, optional, empty
}
