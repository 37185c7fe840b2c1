package effects

import (
	"fmt"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
	"github.com/lockvet/lockvet/internal/process"
)

// invoke is the effect of calling a function that is a parameter; its effects
// are those of the argument. It never leaves the package.
const Invoke Kind = 255

// opening is the effect of opening a file in the way that Data, a parameter, says.
const opening Kind = 254

// A Summary is what a caller in another package must know of a function: its
// effects and results in terms of its parameters and of names that mean the
// same everywhere.
type Summary struct {
	Effects []SummaryEffect
	Results []*pathexpr.Term
	// Gives are, by result, the effects of the function that is returned.
	Gives [][]SummaryEffect
	// From are, by result, the contents of files and the memory that it derives
	// from.
	From [][]*pathexpr.Term
	// Loads says, by result, whether it is an object loaded from its file.
	Loads []bool
}

// A SummaryEffect is one effect of a Summary.
type SummaryEffect struct {
	Kind      Kind
	Path      *pathexpr.Term
	Target    *pathexpr.Term
	Handle    *pathexpr.Term
	Data      *pathexpr.Term
	From      []*pathexpr.Term
	Object    *pathexpr.Term
	When      When
	Dropped   bool
	Swallowed bool
	Empty     []bool
	Whole     bool
	Makes     bool
	Synced    bool
	Try       bool
	Shared    bool
	Sidecar   bool
	Record    bool
	Reported  bool
	How       known.Op
	Maybe     bool
	Site      string
}

// AFact marks Summary as a fact.
func (*Summary) AFact() {}

func (*Summary) String() string { return "summary" }

// touches is the fact of a package whose functions touch files.
type touches struct{ Files bool }

func (*touches) AFact() {}

func (*touches) String() string { return "touches files" }

// Facts lists the fact types, for the analyzer that carries them.
func Facts() []analysis.Fact { return []analysis.Fact{new(Summary), new(touches), new(process.Fact)} }

// Fact is the summary of a function of another package, nil where there is none.
func (p *Package) Fact(fn *types.Func) *Summary {
	fn = fn.Origin()
	s, ok := p.facts[fn]
	if !ok {
		var fact Summary
		if p.Pass.ImportObjectFact(fn, &fact) {
			s = fact.keyed()
		}
		p.facts[fn] = s
	}
	return s
}

// keyed is the summary with terms that have their keys.
func (s *Summary) keyed() *Summary {
	k := &Summary{Effects: keyedEffects(s.Effects), Loads: s.Loads}
	for _, r := range s.Results {
		k.Results = append(k.Results, r.Keyed())
	}
	for _, given := range s.Gives {
		k.Gives = append(k.Gives, keyedEffects(given))
	}
	for _, from := range s.From {
		k.From = append(k.From, keyedTerms(from))
	}
	return k
}

func keyedEffects(effects []SummaryEffect) []SummaryEffect {
	list := slices.Clone(effects)
	for i := range list {
		e := &list[i]
		e.Path, e.Target, e.Handle, e.Data = e.Path.Keyed(), e.Target.Keyed(), e.Handle.Keyed(), e.Data.Keyed()
		e.From, e.Object = keyedTerms(e.From), e.Object.Keyed()
	}
	return list
}

func keyedTerms(terms []*pathexpr.Term) []*pathexpr.Term {
	list := make([]*pathexpr.Term, len(terms))
	for i, t := range terms {
		list[i] = t.Keyed()
	}
	return list
}

func (s *SummaryEffect) effect() *Effect {
	return &Effect{
		Kind: s.Kind, Path: s.Path, Target: s.Target, Handle: s.Handle, Data: s.Data, From: memory.SourcesOf(s.From), Object: s.Object,
		When: s.When, Dropped: s.Dropped, Swallowed: s.Swallowed, Empty: s.Empty, Whole: s.Whole, Makes: s.Makes, Synced: s.Synced, Try: s.Try, Shared: s.Shared, Sidecar: s.Sidecar, Record: s.Record, Reported: s.Reported, how: s.How, Maybe: s.Maybe, Site: s.Site,
	}
}

// Bounds of a fact: a function that does more is a program, not a helper. What it
// lets go of is told in any case: it would seem to be had for ever.
const (
	maxSummary      = 24
	maxSummaryDepth = 6
)

// Failing says of a function and a Decode or a Read of its own whether it does not tell
// its caller that that has failed, and lists by result what is empty where it tells by
// that alone.
type Failing func(f *Func, e *Effect) (silent bool, empty []bool)

// Export hands the summaries of exported functions on to the packages that
// import this one. Functions with nothing to say get none.
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
	return p.exported(f) != nil && givenPath(e.Path)
}

func (p *Package) summary(f *Func, fails Failing) *Summary {
	s := &Summary{Effects: p.summaries(f, f.Effects, fails), Loads: f.Fresh}
	telling := len(s.Effects)+len(s.Loads) > 0
	for i, given := range f.Gives {
		if sums := p.summaries(nil, given, fails); len(sums) > 0 {
			if s.Gives == nil {
				s.Gives = make([][]SummaryEffect, len(f.Gives))
			}
			s.Gives[i], telling = sums, true
		}
	}
	for _, r := range f.Results {
		r = cut(r)
		if r == nil || r.Kind == pathexpr.Unknown {
			r = pathexpr.New(pathexpr.Unknown, "")
		} else if pathLike(r) {
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

// summaries are the effects of which a caller elsewhere could learn; f has them,
// or is nil where the function that it returns does.
func (p *Package) summaries(f *Func, effects []*Effect, fails Failing) []SummaryEffect {
	var list []SummaryEffect
	for _, e := range effects {
		if len(list) >= maxSummary && e.Kind != Unlock || !e.travels() {
			continue
		}
		e = p.passedOn(e)
		if f != nil && (e.Kind == Decode || e.Kind == Read) {
			swallowed, empty := fails(f, e)
			e.Swallowed, e.Empty = e.Swallowed || swallowed, empty
		}
		list = append(list, SummaryEffect{
			Kind: e.Kind, Path: cut(e.Path), Target: cut(e.Target), Handle: cut(e.Handle), Data: cut(e.Data), From: told(e.From), Object: cut(e.Object), When: e.When,
			Dropped: e.Dropped, Swallowed: e.Swallowed, Empty: e.Empty, Whole: e.Whole, Makes: e.Makes, Synced: e.Synced, Try: e.Try, Shared: e.Shared, Sidecar: e.Sidecar, Record: e.Record, Reported: e.Reported, How: e.how, Maybe: e.Maybe, Site: p.siteOf(e),
		})
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
	case List, Seek, Cut, Flush, Escape, Acquire, Release, Keep, Invoke:
		return false
	case Stat:
		return givenPath(e.Path)
	}
	switch e.Kind {
	case Lock, Unlock:
		return true
	case Fill:
		return memory.IsRooted(e.Target) && (len(told(e.From)) > 0 || e.Object != nil)
	case Load:
		return false
	}
	for _, t := range []*pathexpr.Term{e.Path, e.Data, e.Target} {
		if t != nil && (len(t.Params()) > 0 || t.Abstract() != "") {
			return true
		}
	}
	return false
}

func pathLike(t *pathexpr.Term) bool {
	switch t.Kind {
	case pathexpr.Join, pathexpr.Concat, pathexpr.Handle, pathexpr.Content, pathexpr.Encoded, pathexpr.Fresh, pathexpr.Input:
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

func (s summaries) Results(fn *ssa.Function) (results []*pathexpr.Term, settled bool) {
	f := s.p.fn(fn)
	if f == nil {
		return nil, false
	}
	return f.Results, !s.p.funcs.Open(fn)
}

func (s summaries) Sources(fn *ssa.Function) [][]memory.Source { return s.p.yielded.Ask(fn) }

func (s summaries) ResultsOf(fn *types.Func) []*pathexpr.Term {
	if fact := s.p.Fact(fn); fact != nil {
		return fact.Results
	}
	return nil
}

func (s summaries) SourcesOf(fn *types.Func) (from [][]*pathexpr.Term, ok bool) {
	fact := s.p.Fact(fn)
	if fact == nil {
		return nil, false
	}
	return fact.From, true
}

// actsByFact reports whether the fact of a function of another package says that it acts
// on a file which its caller names, or on an object's own.
func actsByFact(pass *analysis.Pass, fn *types.Func) bool {
	var sum Summary
	if !pass.ImportObjectFact(fn, &sum) {
		return false
	}
	if slices.Contains(sum.Loads, true) {
		return true
	}
	for _, e := range sum.Effects {
		if e.Object != nil {
			return true
		}
		switch e.Kind {
		case Decode, Write, Flush, Sync, Close, Seek, Cut, Stat, List, Escape:
			continue
		}
		if e.Kind == Lock || e.Kind == Unlock || givenPath(e.Path) || givenPath(e.Target) {
			return true
		}
	}
	return false
}
