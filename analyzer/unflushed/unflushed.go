package unflushed

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
const Name = "unflushed"

// Run reports, of each function, the unlocks that come too early.
func Run(p *effects.Package, x *state.Index) []*finding.Finding {
	var out []*finding.Finding
	for _, f := range p.Funcs {
		for _, u := range f.OfKind(effects.Unlock, effects.Release) {
			if u.Here() == nil || u.Foreign != "" || u.When == effects.Spawned {
				continue
			}
			look := x.Log().Candidate(Name, u.Here().Pos(), f.Name())
			if look.Reported {
				continue
			}
			if fd := judge(f, u, look); fd != nil {
				look.Is(fd.Variant).Reported = true
				out = append(out, fd)
			}
		}
	}
	return out
}

// judge makes the finding of an unlock, nil where nothing that was written under the lock is
// flushed behind it.
func judge(f *effects.Func, u *effects.Effect, look *verdict.Candidate) *finding.Finding {
	l := taken(f, u)
	if l == nil {
		return nil
	}
	for _, late := range f.Effects {
		if !flushes(late) || late.Call == nil || late.Foreign != "" || !effects.Follows(u, late) || inOneCall(u, late) {
			continue
		}
		w, text := written(f, l, u, late), guard(f, l, late)
		if w != nil && text != "" && look.Says(lockForFile, l.Pos, text) && !silent(f, l, u, late, look) {
			return report(f, l, u, w, late)
		}
	}
	return nil
}

// silent reports whether a rule says that nothing is lost: nobody else knows the file, the writer
// is also flushed under the lock, or a lock is held at the flush.
func silent(f *effects.Func, l, u, late *effects.Effect, look *verdict.Candidate) bool {
	path := late.Handle.Path()
	fresh := path.Has(pathexpr.Fresh) || path.Last().Has(pathexpr.Random)
	if fresh && look.Says(freshPlace, late.Pos, "nobody else knows the file") {
		return true
	}
	return slices.ContainsFunc(f.Effects, func(e *effects.Effect) bool {
		switch {
		case e.Kind == effects.Lock || e.Kind == effects.Acquire:
			return effects.Follows(u, e) && (effects.Follows(e, late) || effects.Reaches(e, late)) &&
				look.Says(lockedAgain, e.Pos, "a lock is taken before it is flushed")
		case flushes(e) && e != late && e.Handle.Equal(late.Handle):
			return effects.Reaches(l, e) && effects.Reaches(e, u) &&
				look.Says(flushedBefore, e.Pos, "it is flushed under the lock, too")
		}
		return false
	})
}

// inOneCall reports whether a declared function that is called has both effects:
// then the order is its own.
func inOneCall(a, b *effects.Effect) bool {
	return len(a.Via) > 0 && len(b.Via) > 0 && a.Via[0] == b.Via[0]
}

// taken is the lock that u releases.
func taken(f *effects.Func, u *effects.Effect) *effects.Effect {
	kind := effects.Lock
	if u.Kind == effects.Release {
		kind = effects.Acquire
	}
	for _, l := range f.OfKind(kind) {
		same := l.Handle != nil && u.Handle != nil && l.Handle.Equal(u.Handle)
		if same && l.When == effects.Inline && effects.Follows(l, u) {
			return l
		}
	}
	return nil
}

// flushes reports whether the effect ends a buffered writer: it is flushed, or
// closed. The handle of a plain file holds nothing back.
func flushes(e *effects.Effect) bool {
	return e.Handle != nil && (e.Kind == effects.Flush || e.Kind == effects.Close && e.Handle.Kind == pathexpr.Wrap)
}

// written is the first write under the lock that the flush brings to the file, nil for none. In a
// loop, what comes behind lock and unlock each time round is not under it.
func written(f *effects.Func, l, u, flush *effects.Effect) *effects.Effect {
	for _, w := range f.OfKind(effects.Write) {
		if through(w, flush.Handle) && effects.Before(l, w) && !effects.Before(u, w) && effects.Reaches(w, u) {
			return w
		}
	}
	return nil
}

// through reports whether a write goes through the writer w.
func through(e *effects.Effect, w *pathexpr.Term) bool {
	t := e.Handle
	for t != nil && !t.Equal(w) && t.Kind == pathexpr.Wrap && len(t.Args) > 0 {
		t = t.Args[0]
	}
	return t != nil && t.Equal(w)
}

// guard says why a lock is one for what is flushed; empty if nothing says so. A lock between
// processes is, if it is on the file or beside it, and any lock that is a field beside the writer.
func guard(f *effects.Func, l, flush *effects.Effect) string {
	a, b := l.Handle, flush.Handle
	switch {
	case l.Kind == effects.Lock && (f.LockOf(l, b.File()) || effects.Beside(l, b.Path())):
		return "the lock is on the file, or on one beside it"
	case a.Kind == pathexpr.Field && b.Kind == pathexpr.Field && a.Type == b.Type && a.Args[0].Equal(b.Args[0]):
		return "the lock stands beside the writer"
	}
	return ""
}

// report makes the finding of an unlock.
func report(f *effects.Func, l, u, w, late *effects.Effect) *finding.Finding {
	at := u.Here()
	fd := &finding.Finding{
		Check: Name, Variant: "unlock", Pos: at.Pos(), End: at.End(), Func: f.Name(), Claim: "is guarded by the lock",
		Evidence: []finding.Evidence{
			{Pos: l.Pos, Text: memory.FuncName(l.In) + " takes the lock"},
			{Pos: w.Pos, Text: memory.FuncName(w.In) + " writes to the buffer under it"},
		},
	}
	if u.When == effects.Deferred {
		fd.Variant = "defers"
	}
	who := "another process"
	if l.Kind == effects.Acquire {
		who = "another goroutine"
	}
	fd.Sentence = fmt.Sprintf("%s releases the lock on %s before what it wrote is flushed: the bytes reach the "+
		"file when %s can have the lock", fd.Func, late.Handle.Named("its file"), who)
	fd.Schedule = []finding.Step{
		{Actor: "A", Pos: l.Pos, Does: "takes the lock, and fills a buffer", Memory: "what A is to write"},
		{Actor: "A", Pos: u.Pos, Does: "releases the lock", File: "nothing of that, or a part"},
		{Actor: "B", Pos: l.Pos, Does: "takes the lock, and reads or writes the file",
			Acts: []finding.Act{finding.LocksUnflushed}},
		{Actor: "A", Pos: late.Pos, Does: "writes what it had in memory",
			File: "the bytes of A and B mixed, or what A wrote over B"},
	}
	fd.NoFix = "flush it before the lock is released; only its author can say what to do with its error"
	for _, o := range f.OfKind(effects.Truncate) { // published, it is flushed under no lock
		if u.When == effects.Deferred && o.ReturnsHandle && len(o.Via) == 0 && o.Call != nil && o.On(late.Handle) {
			fd.Remedy, fd.NoFix = finding.FlushPublished{Open: o.Call}, ""
		}
	}
	return fd
}
