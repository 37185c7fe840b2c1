package trunclock

import (
	_ "embed"
	"fmt"
	"slices"

	"github.com/lockvet/lockvet/internal/effects"
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
const Name = "trunclock"

// A context is one truncation seen from one function: the one that truncates,
// or one that calls it.
type context struct {
	root    *effects.Func
	cut     *effects.Effect
	lock    *effects.Effect // taken afterwards; nil where there is none
	sidecar bool            // it is on another file
}

// Root implements [state.Context].
func (k *context) Root() *effects.Func { return k.root }

// Run reports truncations of the package that come before their lock. Every
// truncation is judged in the function that makes it and in all that lead to
// it; the report stands at the truncation, once.
func Run(p *effects.Package, x *state.Index) []*finding.Finding {
	c := &checker{p: p, x: x}
	var cuts state.Contexts[*context]
	for _, f := range p.Funcs {
		for _, e := range f.OfKind(effects.Truncate) {
			// What one call truncates, writes and closes nobody can lock in between.
			if e.Whole || e.Handle == nil || e.Path == nil || e.Call == nil || e.Foreign != "" || e.When != effects.Inline {
				continue
			}
			k := &context{root: f, cut: e}
			k.findLock()
			cuts.Add(e.Pos, k)
		}
	}
	var out []*finding.Finding
	for ks := range cuts.Places() {
		if f := c.decide(ks); f != nil {
			out = append(out, f)
		}
	}
	return out
}

type checker struct {
	p *effects.Package
	x *state.Index
}

// findLock finds the lock that comes too late: on the file itself, or beside it where the file
// is written behind it.
func (k *context) findLock() {
	for _, l := range k.root.OfKind(effects.Lock) {
		if l.When != effects.Inline || !effects.Reaches(k.cut, l) {
			continue
		}
		if k.own(l) {
			k.lock, k.sidecar = l, false
			return
		}
		beside := effects.Beside(l, k.cut.Path) && !memory.SameFile(l.Path, k.cut.Path)
		if k.lock == nil && beside && k.writtenAfter(l) != nil {
			k.lock, k.sidecar = l, true
		}
	}
}

// own reports whether the effect locks the file itself.
func (k *context) own(l *effects.Effect) bool { return k.root.LockOf(l, k.cut.Handle) }

// lockedBefore reports whether a lock can have been taken before. The lock on a handle that is
// only opened here is none: it comes round in a loop.
func (k *context) lockedBefore() bool {
	return slices.ContainsFunc(k.root.OfKind(effects.Lock), func(l *effects.Effect) bool {
		return effects.Reaches(l, k.cut) && !(k.cut.ReturnsHandle && k.own(l))
	})
}

func (k *context) renamed() bool {
	return slices.ContainsFunc(k.root.OfKind(effects.Rename), func(r *effects.Effect) bool {
		return memory.SameFile(r.Path, k.cut.Path) && effects.Reaches(k.cut, r)
	})
}

// inTime reports whether a rule says that no lock comes too late.
func (k *context) inTime(look *verdict.Candidate) bool {
	at := k.cut.Pos
	return k.cut.Path.Has(pathexpr.Fresh) && look.Says(freshPlace, at, "it stands in a fresh temporary place") ||
		k.renamed() && look.Says(renamed, at, "it is renamed afterwards") ||
		k.lockedBefore() && look.Says(locked, at, "a lock is taken before")
}

// writtenAfter is the first write to the file behind the lock; nil for none.
func (k *context) writtenAfter(l *effects.Effect) *effects.Effect {
	for _, w := range k.root.OfKind(effects.Write) {
		if k.reaches(w.Handle) && effects.Reaches(l, w) {
			return w
		}
	}
	return nil
}

// reaches reports whether a handle is that of the file, or the field that keeps
// it.
func (k *context) reaches(h *pathexpr.Term) bool {
	return h != nil && k.own(&effects.Effect{Action: effects.Action{Handle: h.File()}})
}

// decide chooses the context that tells of the lock with the fewest calls in
// between, unless a lock is taken before in all that lead here.
func (c *checker) decide(ks []*context) *finding.Finding {
	var best *context
	look := c.x.Candidate(Name, ks[0].cut)
	for _, k := range ks {
		if k.lock != nil && (best == nil || k.calls() < best.calls()) && !k.inTime(look) {
			best = k
		}
	}
	if best == nil || state.Everywhere(ks, (*context).lockedBefore) &&
		look.Says(locked, best.cut.Pos, "a lock is taken before, however it is reached") {
		return nil
	}
	f := c.judge(look, best, ks)
	look.Reported = f != nil
	for _, k := range ks {
		k.cut.Reported = k.cut.Reported || f != nil
	}
	return f
}

func (k *context) calls() int { return len(k.cut.Via) + len(k.lock.Via) }

// judge makes the finding, nil where the file has no content to lose.
func (c *checker) judge(look *verdict.Candidate, k *context, ks []*context) *finding.Finding {
	variant, on := "open", "it"
	if k.sidecar {
		variant, on = "sidecar", "the file beside it"
	}
	claim, ev := c.content(look.Is(variant), k, ks)
	if len(ev) == 0 {
		return nil
	}
	f := &finding.Finding{
		Check: Name, Variant: variant, Pos: k.cut.Call.Pos(), End: k.cut.Call.End(), Func: memory.FuncName(k.cut.In),
		Claim: claim, Evidence: ev, Covers: []string{"tornwrite/inplace"},
	}
	path := k.cut.Path.Named("a file")
	f.Sentence = fmt.Sprintf("%s empties %s before the lock on %s is held: a process that only waits for the lock "+
		"destroys what its holder has written", f.Func, path, on)
	f.Schedule = []finding.Step{
		{Actor: "process A", Pos: k.lock.Pos, Does: "holds the lock and has written " + path, File: "the content of A"},
		{Actor: "process B", Pos: k.cut.Pos, Does: "opens " + path + " and truncates it, without a lock", File: "nothing"},
		{Actor: "process B", Pos: k.lock.Pos, Does: "waits for the lock, or does not get it"},
		{Actor: "process A", Does: "releases the lock; readers of what it wrote find no data",
			Acts: []finding.Act{finding.LocksTruncated}},
	}
	f.Remedy, f.NoFix = c.remedy(k)
	return f
}

// content is why the file is believed to have content: the program keeps state in it, or writes
// it under the lock and nothing speaks against state. The number of its process is what a holder
// has to lose, whatever the name of the file says.
func (c *checker) content(look *verdict.Candidate, k *context, ks []*context) (claim string, ev []finding.Evidence) {
	v := c.x.Judge(look, k.root, k.cut, k.cut.Path, state.WriteContext{})
	if v.State {
		return "", v.Evidence
	}
	for _, o := range ks {
		if o.lock == nil {
			continue
		}
		w := o.writtenAfter(o.lock)
		if w == nil || v.Against() != "" && !v.Is(state.IsPid) && !w.Data.Has(pathexpr.Pid) {
			continue
		}
		if text := memory.FuncName(w.In) + " writes it under the lock"; look.Says(written, w.Pos, text) {
			return "has content to lose", []finding.Evidence{{Pos: w.Pos, Text: text}}
		}
	}
	return "", nil
}
