package effects

import (
	"fmt"
	"go/token"
	"go/types"
	"path/filepath"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// Invoke is the effect of calling a function that is the parameter Data; its effects
// are those of the argument.
const Invoke Kind = 255

// Failing says of a function and a Decode or a Read of its own whether it does not tell
// its caller that that has failed, and lists by result what is empty where it tells by
// that alone.
type Failing func(f *Func, e *Effect) (ignored, optional bool, empty []bool)

// Export hands the summaries of exported functions on to the packages that
// import this one. Functions with nothing to say get none. A method of an interface of the
// package does what the one type does that has it.
func (p *Package) Export(fails Failing) {
	any := false
	for _, f := range p.Funcs {
		obj := p.exported(f)
		if obj == nil {
			continue
		}
		if s := p.summary(f, fails); s != nil {
			p.Pass.ExportObjectFact(obj, s)
			any = true
		}
	}
	for m, fn := range p.Implemented() {
		if f := p.byFn[fn]; f != nil && m.Exported() {
			if s := p.summary(f, fails); s != nil {
				p.Pass.ExportObjectFact(m, s)
				any = true
			}
		}
	}
	if any {
		p.Pass.ExportPackageFact(&touches{Files: true})
	}
}

// exported is the function or method that other packages call, nil for any other.
func (p *Package) exported(f *Func) *types.Func {
	obj, ok := f.SSA.Object().(*types.Func)
	if !ok || !obj.Exported() || obj.Pkg() != p.Pass.Pkg {
		return nil
	}
	return obj
}

// NamedElsewhere reports whether callers of f in other packages say which file an
// effect is on.
func (p *Package) NamedElsewhere(f *Func, e *Effect) bool {
	return p.exported(f) != nil && fromCaller(e.Path)
}

func (p *Package) summary(f *Func, fails Failing) *Summary {
	s := &Summary{Effects: p.summaries(f, f.summaryEffects(), fails), Loads: f.Fresh}
	telling := len(s.Effects)+len(s.Loads) > 0
	for i, given := range f.OfResults {
		if sums := p.summaries(nil, given, fails); len(sums) > 0 {
			if s.OfResults == nil {
				s.OfResults = make([][]SummaryEffect, len(f.OfResults))
			}
			s.OfResults[i], telling = sums, true
		}
	}
	for _, r := range f.Results {
		r = cut(p.asLock(f, r))
		if r == nil || r.Kind == pathexpr.Unknown {
			r = pathexpr.New(pathexpr.Unknown, "")
		} else if pathLike(r) || r.Has(pathexpr.Random) || r.PackageKey() != "" {
			telling = true
		}
		s.Results = append(s.Results, r)
	}
	if !telling {
		return nil
	}
	for i := range s.Results {
		if from := told(p.From(f.SSA, i)); len(from) > 0 {
			if s.From == nil {
				s.From = make([][]*pathexpr.Term, len(s.Results))
			}
			s.From[i] = from
		}
	}
	return s
}

// asLock is a lock on the file that f opens and puts into a field of a new object which it
// returns, where a method of that object locks what is in the field; any other result as it is.
func (p *Package) asLock(f *Func, result *pathexpr.Term) *pathexpr.Term {
	for _, k := range f.OfKind(StoreHandle) {
		if result == nil || result.Kind != pathexpr.Unknown || k.Target.Kind != pathexpr.Field || k.Target.Args[0].Key() != result.Key() ||
			!fromCaller(k.Handle) {
			continue
		}
		if p.lockFields()[k.Target.Type+"."+k.Target.Text] {
			return pathexpr.New(pathexpr.LockHandle, result.Text, k.Handle.Path())
		}
	}
	return result
}

// lockFields are the fields that methods of their objects lock, by type and name.
func (p *Package) lockFields() map[string]bool {
	type key struct{}
	return p.Derived(key{}, func() any {
		fields := map[string]bool{}
		for _, f := range p.Funcs {
			for _, l := range f.OfKind(Lock) {
				if h := l.Handle.File(); h != nil && h.Kind == pathexpr.Field && h.Args[0].Kind == pathexpr.Param {
					fields[h.Type+"."+h.Text] = true
				}
			}
		}
		return fields
	}).(map[string]bool)
}

// summaries are the effects of which a caller elsewhere could learn; f has them,
// or is nil where the function that it returns does.
func (p *Package) summaries(f *Func, effects []*Effect, fails Failing) []SummaryEffect {
	var list []SummaryEffect
	for _, e := range effects {
		if !e.travels() {
			continue
		}
		e = p.passedOn(e)
		if f != nil && (e.Kind == Decode || e.Kind == Read) {
			ignored, optional, empty := fails(f, e)
			e.Ignored, e.Optional, e.Empty = e.Ignored || ignored, optional, empty
		}
		action := e.mapped(cut)
		action.ReturnsHandle, action.Site = e.ReturnsHandle && e.Kind == Read, p.siteOf(e)
		list = append(list, SummaryEffect{Action: action, From: told(e.From), Below: e.Depth()})
	}
	return list
}

// Site names a place of the package so that others can tell it: by the import
// path and the name of the file, as facts must not name directories.
func (p *Package) Site(pos token.Pos) string {
	at := p.Pass.Fset.Position(pos)
	return fmt.Sprintf("%s/%s:%d:%d", p.Pass.Pkg.Path(), filepath.Base(at.Filename), at.Line, at.Column)
}

// siteOf is where a write stands that only its callers may know to be one of
// state; other effects need none.
func (p *Package) siteOf(e *Effect) string {
	if e.Kind != Truncate || e.Foreign != "" {
		return e.Site
	}
	return p.Site(e.Pos)
}

// travels reports whether a caller elsewhere could learn from the effect: its
// path depends on an argument or is named the same everywhere.
func (e *Effect) travels() bool {
	switch e.Kind {
	case List, Seek, TruncateTo, Flush, Escape, StoreHandle, Load, Consult, Claim, Forget, Acquire, Release:
		return false
	case Invoke:
		return e.Data != nil && e.Data.Kind == pathexpr.Param
	case Stat:
		return fromCaller(e.Path)
	}
	switch e.Kind {
	case Lock, Unlock:
		return true
	case StoreLoaded:
		return memory.IsRooted(e.Target) && (len(told(e.From)) > 0 || e.Object != nil)
	}
	for _, t := range []*pathexpr.Term{e.Path, e.Data, e.Target} {
		if t != nil && (t.Has(pathexpr.Param) || t.PackageKey() != "") {
			return true
		}
	}
	return false
}

func pathLike(t *pathexpr.Term) bool {
	switch t.Kind {
	case pathexpr.Join,
		pathexpr.Concat,
		pathexpr.Handle,
		pathexpr.Content,
		pathexpr.Encoded,
		pathexpr.Fresh,
		pathexpr.Input,
		pathexpr.LockHandle:
		return true
	case pathexpr.Field, pathexpr.Global:
		return true
	}
	return false
}

func cut(t *pathexpr.Term) *pathexpr.Term {
	if t != nil && t.Depth() > maxSummaryDepth {
		return pathexpr.New(pathexpr.Unknown, "")
	}
	return t
}

// summaries hands what functions yield to those who follow values.
type summaries struct{ p *Package }

// Results are those of [memory.Summaries].
func (s summaries) Results(fn *ssa.Function) (results []*pathexpr.Term, settled bool) {
	f := s.p.fn(fn)
	if f == nil {
		return nil, false
	}
	return f.Results, !s.p.funcs.Open(fn)
}

// Sources are those of [memory.Summaries].
func (s summaries) Sources(fn *ssa.Function) (from [][]memory.Source, settled bool) {
	from = s.p.yielded.Ask(fn)
	return from, !s.p.yielded.Open(fn)
}

// ResultsOf are those of [memory.Summaries].
func (s summaries) ResultsOf(fn *types.Func) []*pathexpr.Term {
	if fact := s.p.Fact(fn); fact != nil {
		return fact.Results
	}
	return nil
}

// SourcesOf are those of [memory.Summaries].
func (s summaries) SourcesOf(fn *types.Func) (from [][]*pathexpr.Term, ok bool) {
	fact := s.p.Fact(fn)
	if fact == nil {
		return nil, false
	}
	return fact.From, true
}
