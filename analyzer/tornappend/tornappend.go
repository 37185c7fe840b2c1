package tornappend

import (
	_ "embed"
	"slices"

	"github.com/lockvet/lockvet/internal/cycles"
	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
	"github.com/lockvet/lockvet/internal/state"
	"github.com/lockvet/lockvet/internal/verdict"
)

// Doc is the source of doc.go, the only text of the check's documentation.
//
//go:embed doc.go
var Doc string

// Name is the name of the check.
const Name = "tornappend"

// Run reports records of the package that are appended in pieces. Each is judged
// in the function that writes it and in every caller that leads to it; the report
// stands at its first piece, once.
func Run(p *effects.Package, x *state.Index) []*finding.Finding {
	c := &checker{p: p, x: x}
	for _, f := range p.Funcs {
		for _, open := range f.OfKind(effects.Append) {
			if open.Foreign == "" && open.Path != nil && open.Handle != nil {
				c.visit(f, open)
			}
		}
	}
	var out []*finding.Finding
	for ks := range c.torn.Places() {
		if f := c.decide(ks); f != nil {
			out = append(out, f)
		}
	}
	return out
}

type checker struct {
	p    *effects.Package
	x    *state.Index
	torn state.Contexts[*candidate]
}

// A candidate is one record in pieces, seen from one function: the one that
// writes it, or one that calls it and knows more of the file.
type candidate struct {
	root    *effects.Func
	open    *effects.Effect
	pieces  []*effects.Effect
	variant string
	look    *verdict.Candidate
}

// Root implements [state.Context].
func (k *candidate) Root() *effects.Func { return k.root }

// visit looks for records in pieces among what a function writes to a file that it
// opens to append.
func (c *checker) visit(f *effects.Func, open *effects.Effect) {
	var plain, buffered []*effects.Effect
	for _, w := range f.OnHandle(open.Handle, effects.Write) {
		switch {
		case w.Call == nil || w.Foreign != "" || w.When == effects.Deferred || w.Whole:
		case memory.Buffer(w.Handle) != "":
			buffered = append(buffered, w)
		default:
			plain = append(plain, w)
		}
	}
	for _, pieces := range records(plain) {
		k := c.candidate(f, open, pieces, "split")
		if k.look.Says(inPieces, pieces[0].Pos, "the next write goes on with the line") && !c.isAlone(k) {
			c.torn.Add(pieces[0].Pos, k)
		}
	}
	if len(buffered) == 0 {
		return
	}
	k, first := c.candidate(f, open, buffered, "buffered"), buffered[0]
	if k.look.Says(bufferCuts, first.Pos, "it is written when the buffer is full") && !c.isAlone(k) &&
		!(!k.cuts() && k.look.Says(oneWrite, first.Pos, "one write alone goes through the buffer")) &&
		!(f.Outlives(open.Handle) && k.look.Says(escapes, first.Pos, "the file stays open when the function returns")) {
		c.torn.Add(first.Pos, k)
	}
}

func (c *checker) candidate(f *effects.Func, open *effects.Effect, ws []*effects.Effect, variant string) *candidate {
	return &candidate{f, open, ws, variant, c.x.Candidate(Name, ws[0])}
}

// isAlone reports whether nobody can tell who else appends to the file, or nobody does: its
// name has the number of the process, or the function makes or empties it first, or moves it
// to another name afterwards.
func (c *checker) isAlone(k *candidate) bool {
	path := k.open.Path.Path()
	if path.Has(pathexpr.Pid) && k.look.Says(ownName, k.open.Pos, "the number of the process is in its name") {
		return true
	}
	return slices.ContainsFunc(k.root.Effects, func(e *effects.Effect) bool {
		its := e.Path != nil && (memory.SameFile(e.Path, path) || path.Under(e.Path.Path()))
		switch e.Kind {
		case effects.Escape:
			return e.On(k.open.Handle) && e.Call != nil && len(e.Call.Args) > 0 && // else it is a method of the handle itself
				k.look.Says(escapes, e.Pos, "the open file is given to code that is not seen")
		case effects.Remove, effects.Truncate, effects.CreateExclusive, effects.Replace:
			return (e.On(k.open.Handle) || its && effects.Before(e, k.open)) &&
				k.look.Says(ownFile, e.Pos, "it is made, emptied or removed")
		case effects.Rename:
			return its && effects.Reaches(k.open, e) && c.always(k, e) &&
				k.look.Says(ownFile, e.Pos, "it is moved to another name afterwards")
		}
		return false
	})
}

// always reports whether the function does not end well without e once it has the file open.
func (c *checker) always(k *candidate, e *effects.Effect) bool {
	if e.When == effects.Deferred || e.At == k.open.At {
		return true
	}
	for r := range flow.Returns(k.root.SSA) {
		if memory.Succeeds(r) && c.p.Flow.Goes(k.open.At, r, e.At) {
			return false
		}
	}
	return true
}

// decide chooses what is reported of one record out of the contexts it is seen
// in: nothing where every outermost one holds a lock.
func (c *checker) decide(ks []*candidate) *finding.Finding {
	var best *finding.Finding
	calls := 0
	for _, k := range ks {
		if n := len(k.pieces[0].Via); best == nil || n < calls {
			if f := c.judge(k); f != nil {
				best, calls = f, n
			}
		}
	}
	if best == nil {
		return nil
	}
	look := ks[0].look.Is(best.Variant)
	locked := func(k *candidate) bool {
		return cycles.Spanning(c.p, k.root, effects.Lock, k.pieces[0], k.pieces[len(k.pieces)-1], k.open.Path.Path()) != nil
	}
	if state.Everywhere(ks, locked) && look.Says(lockHeld, best.Pos, "a lock is held however it is reached") {
		return nil
	}
	look.Reported = true
	return best
}
