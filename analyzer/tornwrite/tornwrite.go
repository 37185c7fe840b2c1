package tornwrite

import (
	_ "embed"
	"go/token"
	"slices"
	"sync"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/cycles"
	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/failure"
	"github.com/lockvet/lockvet/internal/finding"
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
const Name = "tornwrite"

// A candidate is one write seen from one function: the function that writes, or
// one that calls it and knows more of the path.
type candidate struct {
	root    *effects.Func
	write   *effects.Effect
	finding *finding.Finding // nil where this context gives no reason to speak
	guarded *finding.Finding // what is left of it if every context holds a lock
	temp    bool             // in this context the file is a temporary one that is renamed
	locked  bool             // a lock between processes is held here
	alone   bool             // no other process makes this write, for any reason
	fresh   func() bool      // nothing of the file is lost: see isFresh; nil where it can be
	target  *pathexpr.Term   // what the file is renamed to, nil for nothing
}

// Root implements [state.Context].
func (k *candidate) Root() *effects.Func { return k.root }

// pos is where the report stands.
func (k *candidate) pos() token.Pos {
	if k.finding != nil {
		return k.finding.Pos
	}
	return k.write.Pos
}

// Run reports torn writes of the package. Every write is judged in the
// function that makes it and in every caller that leads to it; the report
// stands at the write, once.
func Run(p *effects.Package, x *state.Index) []*finding.Finding {
	c := visited(p, x)
	var out []*finding.Finding
	for cands := range c.writes.Places() {
		if f := c.decide(cands); f != nil {
			out = append(out, f)
		}
	}
	return out
}

// visited is the checker that has visited all functions of the package, the same for
// Run and Offers.
func visited(p *effects.Package, x *state.Index) *checker {
	return p.Derived(visit{x}, func() any { return newChecker(p, x) }).(*checker)
}

type visit struct{ x *state.Index }

// newChecker visits all functions of the package.
func newChecker(p *effects.Package, x *state.Index) *checker {
	c := &checker{
		p:      failure.Of(p),
		x:      x,
		temps:  map[token.Pos]bool{},
		proven: map[token.Pos]bool{},
	}
	for _, f := range p.Funcs {
		c.visit(f)
	}
	return c
}

type checker struct {
	p      *failure.Package
	x      *state.Index
	writes state.Contexts[*candidate]
	temps  map[token.Pos]bool // writes of files that some context renames
	proven map[token.Pos]bool // writes of files of which some context shows what they are to the program
}

// holdsState weighs whether the file of w holds state.
func (c *checker) holdsState(
	k *verdict.Candidate, root *effects.Func, w *effects.Effect, path *pathexpr.Term, how state.WriteContext,
) state.Verdict {
	v := c.x.Judge(k, root, w, path, how)
	if v.State && v.Proven {
		c.proven[w.Pos] = true
	}
	return v
}

// visit judges every write among the effects of f.
func (c *checker) visit(f *effects.Func) {
	renamed := map[*effects.Effect]bool{}
	for i, e := range f.Effects {
		if e.Kind != effects.Rename {
			continue
		}
		if w := creator(f, i); w != nil {
			renamed[w] = true
			c.temps[w.Pos] = true
			k := &candidate{
				root: f, write: w, temp: true, locked: cycles.Locked(c.p.Package, f, w, e.Target),
				alone: c.x.KeepsOpen(w, e.Target) || rounds(c.p.Package, w.In),
				fresh: c.freshness(isFresh, f, w, e.Target), target: e.Target,
			}
			k.finding, k.guarded = c.judgeReplacement(f, w, e)
			c.add(k)
		}
	}
	for _, e := range f.Effects {
		if renamed[e] || e.When == effects.Spawned && e.Path == nil {
			continue
		}
		switch e.Kind {
		case effects.Truncate, effects.Open, effects.OpenOrCreate:
			if isHanded(e) && c.candidate(e).Says(handed, e.Pos, "the handle is a parameter") {
				continue
			}
			if journaled(f, e) && c.candidate(e).Says(journal, e.Pos, "the function keeps a copy, and puts it back") {
				e.Reported = true // whoever calls this package need not hear of it
				continue
			}
			k := &candidate{
				root: f, write: e, locked: cycles.Locked(c.p.Package, f, e, e.Path),
				fresh: c.freshness(isFresh, f, e, e.Path),
			}
			k.finding, k.guarded = c.inPlace(f, e)
			c.add(k)
		}
	}
}

// freshness is the question whether f makes a file by a write, anew or for the first time:
// it takes long, and is asked of findings alone.
func (c *checker) freshness(
	is func(*failure.Package, *effects.Func, *effects.Effect, *pathexpr.Term) bool,
	f *effects.Func,
	w *effects.Effect,
	file *pathexpr.Term,
) func() bool {
	return sync.OnceValue(func() bool { return is(c.p, f, w, file) })
}

func (c *checker) add(cand *candidate) {
	if pos := cand.pos(); pos.IsValid() {
		c.writes.Add(pos, cand)
	}
}

// rank orders the variants of one write: the worst is reported.
var rank = []string{
	"removefirst", "crossdir", "fixedtemp", "pidtemp", "stucktemp", "renameopen", "closeerror", "nosync", "inplace", "oldtail",
}

// decide chooses what is reported of one write out of the contexts it is seen
// in. A file that is renamed in any context is a temporary one. Where every
// outermost caller holds a lock, other processes neither share a temporary name
// nor read half a file: what is left is the crash. Where they are alone for another
// reason, they share no temporary name; who reads need not know of it.
func (c *checker) decide(cands []*candidate) *finding.Finding {
	guarded := state.Everywhere(cands, func(k *candidate) bool { return k.locked })
	alone := state.Everywhere(cands, func(k *candidate) bool { return k.locked || k.alone })
	var best *candidate
	var said *finding.Finding // of the best
	for _, k := range cands {
		f := k.finding
		if guarded && c.candidate(k.write).Says(locked, k.write.Pos, "a lock is held however the write is reached") ||
			alone && k.temp && c.candidate(k.write).Says(owned, k.write.Pos, "no other process makes this write") {
			f = k.guarded
		}
		if f == nil ||
			!k.temp && c.temps[k.write.Pos] && c.candidate(k.write).Says(temporary, k.write.Pos, "it is renamed in another context") {
			continue
		}
		if best == nil || better(k, best, f, said) {
			best, said = k, f
		}
	}
	if best == nil {
		return nil
	}
	look := c.candidate(best.write).Is(said.Variant)
	if c.isScratch(cands) && look.Says(scratch, best.write.Pos, "its directory is one that every caller has made") ||
		c.onAllWays(cands, func(k *candidate) bool { return k.fresh != nil && k.fresh() }) &&
			look.Says(fresh, said.Pos, "it is written where nothing of it is lost") {
		return nil
	}
	look.Reported, said.Verdict = true, look
	file := best.target
	if file == nil {
		file = best.write.Path
	}
	c.x.Weigh(look, said, c.proven[best.write.Pos], best.root, best.write, file, said.Variant == "fixedtemp" || said.Variant == "pidtemp")
	if said.Passing && said.Variant == "nosync" &&
		look.Says(passing, best.write.Pos, "what it holds is made again, and no half of it is seen") {
		look.Reported = false
		return nil
	}
	for _, k := range cands {
		k.write.Reported = true
	}
	if !best.temp {
		c.keepInPlace(said, cands)
		c.byWriter(said, best.write)
	}
	if said.Passing && said.Remedy != nil {
		said.Remedy = finding.Unsynced{Remedy: said.Remedy}
	}
	return said
}

// public reports whether functions of other packages can call one, too.
func (c *checker) public(fn *ssa.Function) bool {
	return fn.Parent() == nil && token.IsExported(fn.Name()) && c.p.Pass.Pkg.Name() != "main"
}

// candidate is a write as a candidate of the check.
func (c *checker) candidate(w *effects.Effect) *verdict.Candidate {
	return c.x.Candidate(Name, w)
}

// onAllWays reports whether something is so however the write is reached: for other packages, too,
// which can call what is exported.
func (c *checker) onAllWays(cands []*candidate, is func(*candidate) bool) bool {
	inner := state.Inner(cands)
	return !slices.ContainsFunc(cands, func(k *candidate) bool {
		return (!inner[k.root] || c.public(k.root.SSA)) && !c.onWay(k, cands, is)
	})
}

// onWay reports whether something is so in a context, or in one on the way from there to the
// write.
func (c *checker) onWay(k *candidate, cands []*candidate, is func(*candidate) bool) bool {
	if is(k) {
		return true
	}
	for i, call := range k.write.Via {
		way := k.write.Via[i+1:]
		if f := c.p.Callee(call); slices.ContainsFunc(
			cands,
			func(o *candidate) bool { return o.root == f && slices.Equal(o.write.Via, way) && is(o) },
		) {
			return true
		}
	}
	return false
}

// better reports whether more is to be said by fa, in the context a, than by fb in b.
func better(a, b *candidate, fa, fb *finding.Finding) bool {
	ra, rb := slices.Index(rank, fa.Variant), slices.Index(rank, fb.Variant)
	if ra != rb {
		return ra < rb
	}
	if na, nb := len(a.write.Via), len(b.write.Via); na != nb {
		return na < nb
	}
	return len(fa.Evidence) > len(fb.Evidence)
}

// isScratch reports whether all callers of a function that no other package can call hand
// it a path in a directory that they have made for themselves, or that they move afterwards.
func (c *checker) isScratch(cands []*candidate) bool {
	called := false
	for _, k := range state.Outermost(cands) {
		in := k.write.In
		own := len(k.write.Via) == 0 && k.root.SSA == in
		if k.temp || own || c.public(in) ||
			!k.write.Path.Has(pathexpr.Fresh) && state.Staged(k.write.Path) == "" && !c.movesAway(k.root, k.write) {
			return false
		}
		called = true
	}
	return called
}

// about fills what all findings share.
func about(w *effects.Effect, variant string, ev []finding.Evidence) *finding.Finding {
	f := &finding.Finding{
		Check: Name, Variant: variant, Pos: w.Pos, End: w.Pos, Func: memory.FuncName(w.In), Evidence: ev,
	}
	if w.Call != nil {
		f.End = w.Call.End()
	}
	return f
}
