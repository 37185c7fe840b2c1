package trunclock

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/token"
	"slices"

	"github.com/lockvet/lockvet/internal/cycles"
	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/evidence"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/lexicon"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
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
	// why is the rule by which no lock comes too late here, and said what that has seen; then
	// there is no lock, and unneeded is what would be it.
	why      *verdict.Rule
	said     string
	unneeded *effects.Effect
}

// Root implements [evidence.Context].
func (k *context) Root() *effects.Func { return k.root }

// Run reports truncations of the package that come before their lock. Every
// truncation is judged in the function that makes it and in all that lead to
// it; the report stands at the truncation, once.
func Run(p *effects.Package, x *evidence.Index) []*finding.Finding {
	c := &checker{p: p, x: x}
	for _, f := range p.Funcs {
		c.visit(f)
	}
	var out []*finding.Finding
	for ks := range c.cuts.Places() {
		if f := c.decide(ks); f != nil {
			out = append(out, f)
		}
	}
	return out
}

type checker struct {
	p    *effects.Package
	x    *evidence.Index
	cuts evidence.Contexts[*context]
}

// visit notes the truncations among the effects of f. What one call truncates,
// writes and closes nobody can lock in between.
func (c *checker) visit(f *effects.Func) {
	for _, e := range f.OfKind(effects.Truncate) {
		if e.Whole || e.Handle == nil || e.Call == nil || e.Foreign != "" || e.When != effects.Inline {
			continue
		}
		k := &context{root: f, cut: e}
		k.findLock(c.p, c.x.Log())
		c.cuts.Add(e.Pos, k)
	}
}

// findLock finds the lock that comes too late: none where the file is a
// temporary one, which other checks judge, or where a lock comes before.
func (k *context) findLock(p *effects.Package, log *verdict.Log) {
	if k.cut.Path == nil {
		return
	}
	if k.inTime(p, log); k.why != nil && !log.Keeps() {
		return
	}
	for _, l := range k.root.OfKind(effects.Lock) {
		if l.When != effects.Inline || !effects.Reaches(k.cut, l) {
			continue
		}
		if k.own(l) {
			k.lock, k.sidecar = l, false
			break
		}
		if k.lock == nil && effects.Beside(l, k.cut.Path) && k.writtenAfter(l) != nil {
			k.lock, k.sidecar = l, true
		}
	}
	if k.why != nil {
		k.lock, k.unneeded = nil, k.lock
	}
}

// inTime notes the rule by which no lock comes too late.
func (k *context) inTime(p *effects.Package, log *verdict.Log) {
	switch {
	case log.Asks(freshPlace) && k.cut.Path.Has(pathexpr.Fresh):
		k.why, k.said = freshPlace, "it stands in a fresh temporary place"
	case log.Asks(renamed) && k.renamed():
		k.why, k.said = renamed, "it is renamed afterwards"
	case log.Asks(locked) && k.lockedBefore(p):
		k.why, k.said = locked, "a lock is taken before"
	}
}

// own reports whether the effect locks the file itself.
func (k *context) own(l *effects.Effect) bool { return k.root.LockOf(l, k.cut.Handle) }

// lockedBefore reports whether a lock that can be one for the file can have been taken
// before, and is held. The lock on a handle that is only opened here is none: it comes
// round in a loop.
func (k *context) lockedBefore(p *effects.Package) bool {
	return slices.ContainsFunc(k.root.OfKind(effects.Lock), func(l *effects.Effect) bool {
		return effects.Reaches(l, k.cut) && !(k.cut.ReturnsHandle && k.own(l)) && k.forFile(l) && !cycles.LetGo(p, k.root, l, k.cut)
	})
}

// forFile reports whether a lock can be one for the file: it is on the file or beside it,
// its path is made of what the file's is made of, or it is not known.
func (k *context) forFile(l *effects.Effect) bool {
	return k.own(l) || l.Path == nil || effects.Beside(l, k.cut.Path) || !pathexpr.Apart(l.Path, k.cut.Path)
}

func (k *context) renamed() bool {
	return slices.ContainsFunc(k.root.OfKind(effects.Rename), func(r *effects.Effect) bool {
		return memory.SameFile(r.Path, k.cut.Path) && effects.Reaches(k.cut, r)
	})
}

// writtenAfter is the first write to the file behind the lock.
func (k *context) writtenAfter(l *effects.Effect) *effects.Effect {
	i := slices.IndexFunc(k.root.Effects, func(w *effects.Effect) bool {
		return w.Kind == effects.Write && k.reaches(w.Handle) && effects.Reaches(l, w)
	})
	if i < 0 {
		return nil
	}
	return k.root.Effects[i]
}

// writtenBefore reports whether the file is written without the lock, too, or by
// the very call that takes it.
func (k *context) writtenBefore() bool {
	return slices.ContainsFunc(k.root.OfKind(effects.Write), func(w *effects.Effect) bool {
		return k.reaches(w.Handle) && (effects.Reaches(w, k.lock) || w.Here() == k.lock.Here())
	})
}

// reaches reports whether a handle is that of the file, or the field that keeps
// it.
func (k *context) reaches(h *pathexpr.Term) bool {
	return h != nil && k.own(&effects.Effect{Action: effects.Action{Handle: h.File()}})
}

// decide chooses the context that tells of the lock with the fewest calls in
// between, unless a lock is held in all that lead here.
func (c *checker) decide(ks []*context) *finding.Finding {
	var best *context
	for _, k := range ks {
		if k.lock != nil && (best == nil || k.calls() < best.calls()) {
			best = k
		}
	}
	if best == nil {
		for _, k := range ks {
			if k.unneeded != nil {
				c.x.Candidate(Name, k.cut).Says(k.why, k.cut.Pos, k.said)
			}
		}
		return nil
	}
	look := c.x.Candidate(Name, best.cut).Is(best.variant())
	if evidence.Everywhere(ks, func(k *context) bool { return cycles.Locked(c.p, k.root, k.cut, k.cut.Path) }) &&
		look.Says(locked, best.cut.Pos, "a lock is held however it is reached") {
		return nil
	}
	f := c.judge(look, best, ks)
	look.Reported = f != nil
	for _, k := range ks {
		k.cut.Reported = k.cut.Reported || f != nil
	}
	return f
}

// variant is the mistake that a context shows.
func (k *context) variant() string {
	if k.sidecar {
		return "sidecar"
	}
	return "open"
}

func (k *context) calls() int { return len(k.cut.Via) + len(k.lock.Via) }

// judge makes the finding, nil where the file has no content to lose.
func (c *checker) judge(look *verdict.Candidate, k *context, ks []*context) *finding.Finding {
	claim, ev := c.content(look, k, ks)
	if len(ev) == 0 {
		return nil
	}
	f := &finding.Finding{
		Check: Name, Variant: k.variant(), Pos: k.cut.Call.Pos(), End: k.cut.Call.End(), Func: memory.FuncName(k.cut.In),
		Claim: claim, Evidence: ev, Sentence: k.sentence(), Schedule: k.schedule(), Covers: []string{"tornwrite/inplace"},
	}
	f.Remedy, f.NoFix = c.remedy(k, ks)
	return f
}

// content is why the file is believed to have content: the program keeps state
// in it, writes it under the lock, or reads it; or it is any file that the
// caller of a library names.
func (c *checker) content(look *verdict.Candidate, k *context, ks []*context) (claim string, ev []finding.Evidence) {
	v, ev := c.x.Judge(look, k.root, k.cut, k.cut.Path, evidence.WriteContext{})
	if v.State {
		return "", ev
	}
	against := func(pos token.Pos) bool {
		return v.Against() != "" && !v.Is(pathexpr.IsPid) && look.Says(speaksAgainst, pos, v.Against())
	}
	const loses = "has content to lose"
	ev = nil
	under := false
	if w := k.writtenIn(ks); w != nil {
		if !w.Data.Has(pathexpr.Pid) && against(w.Pos) {
			return "", nil
		}
		if text := memory.FuncName(w.In) + " writes it under the lock"; look.Says(written, w.Pos, text) {
			under, ev = true, append(ev, finding.Evidence{Pos: w.Pos, Text: text})
		}
	}
	if r := c.x.Reader(k.root, k.cut.Path); r != nil && (under || !against(r.Pos)) {
		if text := memory.FuncName(r.In) + " reads it"; look.Says(isRead, r.Pos, text) {
			ev = append(ev, finding.Evidence{Pos: r.Pos, Text: text})
		}
	}
	if len(ev) == 0 && v.Against() == "" {
		if at := namedByImporters(c.p, k.cut.Path); at.IsValid() &&
			!(saysLock(k.cut.Path) && look.Says(speaksAgainst, k.cut.Pos, "the path says that it is a lock file")) {
			if text := "the caller of this package names the file"; look.Says(library, at, text) {
				return "may have content to lose", []finding.Evidence{{Pos: at, Text: text}}
			}
		}
	}
	return loses, ev
}

// saysLock reports whether a path says that its file is a lock file.
func saysLock(path *pathexpr.Term) bool {
	word, _ := lexicon.LockFile.In(path.String())
	return word != ""
}

// writtenIn is the first write to the file behind the lock in one of its contexts.
func (k *context) writtenIn(ks []*context) *effects.Effect {
	for _, o := range ks {
		lock := o.lock
		if lock == nil {
			lock = k.lock
		}
		if w := o.writtenAfter(lock); w != nil {
			return w
		}
	}
	return nil
}

func (k *context) sentence() string {
	path, on := k.cut.Path.Named("a file"), "it"
	if k.sidecar && !k.sameFile() {
		on = "the file beside it"
	}
	return fmt.Sprintf("%s empties %s before the lock on %s is held: a process that only waits for the lock destroys "+
		"what its holder has written",
		memory.FuncName(k.cut.In), path, on)
}

func (k *context) schedule() []finding.Step {
	path := k.cut.Path.Named("a file")
	return []finding.Step{
		{Actor: "process A", Pos: k.lock.Pos, Does: "holds the lock and has written " + path, File: "the content of A"},
		{Actor: "process B", Pos: k.cut.Pos, Does: "opens " + path + " and truncates it, without a lock", File: "nothing"},
		{Actor: "process B", Pos: k.lock.Pos, Does: "waits for the lock, or does not get it"},
		{Actor: "process A", Does: "releases the lock; readers of what it wrote find no data",
			Acts: []finding.Act{finding.LocksTruncated}},
	}
}

// remedy is the end state for a file that is emptied too early.
func (c *checker) remedy(k *context, ks []*context) (finding.Remedy, string) {
	body := effects.BodyOf(k.cut.In)
	switch {
	case k.cut.ByHelper():
		return nil, "a helper opens the file, with the flags that it is given"
	case body == nil || !k.cut.ReturnsHandle:
		return nil, "the file is emptied through a handle that was opened before"
	case c.isPinned(k.cut):
		return nil, "it is mounted in containers, and may not be replaced: open it without O_TRUNC, and empty it by Truncate once it is locked"
	case k.sidecar && k.sameFile():
		return nil, "the lock is on the file itself, which may not be replaced"
	case k.sidecar && len(k.cut.Via) > 0:
		return nil, "another function opens the file"
	case k.sidecar:
		return finding.PublishHandle{Body: body, Open: k.cut.Call}, ""
	case !slices.ContainsFunc(ks, func(o *context) bool { return o.lock != nil && o.writtenAfter(o.lock) != nil }) && !c.writesField(k):
		return nil, "nothing is written through it: open it without O_TRUNC, as it is"
	case len(k.cut.Via) > 0 || !within(body, k.lock.Here()):
		return nil, "the file is opened and locked in different functions"
	case k.writtenBefore():
		return nil, "the file is written before it is locked, or by the call that locks it"
	case k.root.Outlives(k.cut.Handle):
		return nil, "it stays locked, and may not be replaced: open it without O_TRUNC, and empty it by Truncate once it is locked"
	}
	locks, why := c.dispensable(k)
	if why != "" {
		return nil, why
	}
	return finding.PublishHandle{Body: body, Open: k.cut.Call, Locks: locks}, ""
}

// isPinned reports whether the file has to stay the one that it is.
func (c *checker) isPinned(w *effects.Effect) bool {
	why, _ := c.x.Pinned(w)
	return why != ""
}

// sameFile reports whether the lock of another handle is on the file itself.
func (k *context) sameFile() bool {
	path := k.cut.Path.Path()
	beside := k.lock.Path.Any(func(t *pathexpr.Term) bool { return t.Extends(path) && t.Kind != pathexpr.Call })
	return !beside && k.lock.Path.Any(func(t *pathexpr.Term) bool { return t.Equal(path) })
}

// writesField reports whether a field that keeps the handle is written to
// anywhere in the package.
func (c *checker) writesField(k *context) bool {
	for _, keep := range k.root.OfKind(effects.StoreHandle) {
		if !keep.On(k.cut.Handle) {
			continue
		}
		for _, f := range c.p.Funcs {
			for _, w := range f.Effects {
				if (w.Kind == effects.Write || w.Kind == effects.Escape && w.Call != nil) && w.Handle != nil && w.Handle.File().Kind == pathexpr.Field &&
					w.Handle.File().Type == keep.Target.Type &&
					w.Handle.File().Text == keep.Target.Text {
					return true
				}
			}
		}
	}
	return false
}

func within(body *ast.BlockStmt, call *ast.CallExpr) bool {
	return call != nil && body.Pos() <= call.Pos() && call.End() <= body.End()
}
