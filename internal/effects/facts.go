package effects

import (
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
	"github.com/lockvet/lockvet/internal/process"
)

// told are the sources that mean the same to a caller elsewhere.
func told(from []memory.Source) []*pathexpr.Term {
	var list []*pathexpr.Term
	for _, s := range from {
		if s.Local != nil || s.Term.Depth() > maxSummaryDepth {
			continue
		}
		if s.File() != nil && !s.Term.Has(pathexpr.Param) && s.Term.PackageKey() == "" {
			continue
		}
		if s.File() == nil && !memory.IsRooted(s.Term) {
			continue
		}
		list = append(list, s.Term)
	}
	return list
}

// A Summary is what a caller in another package must know of a function: its
// effects and results in terms of its parameters and of names that mean the
// same everywhere.
type Summary struct {
	Effects []SummaryEffect
	Results []*pathexpr.Term
	// OfResults are, by result, the effects of the function that is returned.
	OfResults [][]SummaryEffect
	// From are, by result, the contents of files and the memory that it derives
	// from.
	From [][]*pathexpr.Term
	// Loads says, by result, whether it is an object loaded from its file.
	Loads []bool
}

// A SummaryEffect is one effect of a Summary.
type SummaryEffect struct {
	Action
	From  []*pathexpr.Term
	Below int
}

// AFact marks Summary as a fact.
func (*Summary) AFact() {}

// touches is the fact of a package whose functions touch files.
type touches struct{ Files bool }

// AFact marks touches as a fact.
func (*touches) AFact() {}

// Facts lists the fact types, for the analyzer that carries them.
func Facts() []analysis.Fact {
	return []analysis.Fact{new(Summary), new(touches), new(process.Fact)}
}

func (s *SummaryEffect) effect() *Effect {
	return &Effect{Action: s.Action, From: memory.SourcesOf(s.From), Below: int32(s.Below)}
}

// mapped is the action with other terms.
func (a Action) mapped(to func(*pathexpr.Term) *pathexpr.Term) Action {
	for _, t := range []**pathexpr.Term{&a.Path, &a.Target, &a.Handle, &a.Data, &a.Flags, &a.Object} {
		*t = to(*t)
	}
	args := make([]*pathexpr.Term, len(a.Args))
	for i, t := range a.Args {
		args[i] = to(t)
	}
	a.Args = args
	return a
}

// maxSummaryDepth bounds the terms of a fact.
const maxSummaryDepth = 6

// acts reports whether a function acts on a file which its caller names, or on an object's own.
func (s *Summary) acts() bool {
	if slices.Contains(s.Loads, true) {
		return true
	}
	for _, e := range s.Effects {
		if e.Object != nil {
			return true
		}
		switch e.Kind {
		case Decode, Write, Flush, Sync, Close, Seek, TruncateTo, Stat, List, Escape:
			continue
		}
		if e.Kind == Lock || e.Kind == Unlock || fromCaller(e.Path) || fromCaller(e.Target) {
			return true
		}
	}
	return false
}

// fromCaller reports whether a caller says which file it is. Otherwise the other
// package knows all that there is to know of the path, and has judged it.
func fromCaller(t *pathexpr.Term) bool {
	return t != nil && t.Path().Kind == pathexpr.Param && t.Path().Type == ""
}
