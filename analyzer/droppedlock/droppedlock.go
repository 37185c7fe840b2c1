package droppedlock

import (
	_ "embed"
	"fmt"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/failure"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/state"
)

// Doc is the source of doc.go, the only text of the check's documentation.
//
//go:embed doc.go
var Doc string

// Name is the name of the check.
const Name = "droppedlock"

type checker struct {
	p *failure.Package
	x *state.Index
}

// Run reports locks that are taken and not held.
func Run(p *effects.Package, x *state.Index) []*finding.Finding {
	c := &checker{p: failure.Of(p), x: x}
	var out []*finding.Finding
	for _, f := range p.Funcs {
		for _, l := range f.OfKind(effects.Lock) {
			if fd := c.judge(f, l); fd != nil {
				out = append(out, fd)
			}
		}
	}
	return out
}

// judge makes the finding of a lock, nil where there is none, or the call that takes it has one.
func (c *checker) judge(f *effects.Func, l *effects.Effect) *finding.Finding {
	call := l.Here()
	if call == nil {
		return nil
	}
	fd := &finding.Finding{
		Check: Name, Pos: call.Pos(), End: call.End(), Func: f.Name(), Claim: "is a lock between processes",
	}
	k := c.x.Log().Candidate(Name, fd.Pos, fd.Func)
	switch {
	case k.Reported:
		return nil
	case unasked(l) && k.Is("ignored").Says(unchecked, l.Pos, "its result is ignored"):
		ignored(fd, l)
	case c.lost(f, l, k) && k.Is("collected").Says(unkept, l.Pos, "nothing keeps the open file"):
		collected(fd, l)
	default:
		return nil
	}
	fd.Variant, k.Reported = k.Variant, true
	return fd
}

func collected(fd *finding.Finding, l *effects.Effect) {
	path := l.Path.Named("the lock file")
	fd.Sentence = fmt.Sprintf("%s locks %s and nothing keeps the open file: the garbage collector closes it, and that "+
		"releases the lock", fd.Func, path)
	fd.Evidence = []finding.Evidence{{Pos: l.Pos, Text: memory.FuncName(l.In) + " locks " + path}}
	fd.Schedule = []finding.Step{
		{Actor: "process A", Pos: fd.Pos, Does: "locks " + path + "; nothing refers to the open file any more"},
		{Actor: "process A", Does: "collects garbage, which closes the file and releases the lock"},
		{Actor: "process B", Pos: fd.Pos, Does: "locks " + path + ", too, while A goes on as if it had it",
			Acts: []finding.Act{finding.LocksDropped}},
	}
	fd.NoFix = "only its author can say what is to hold the lock, and until when; " +
		"a *safeio.Held holds it until it is unlocked"
}

func ignored(fd *finding.Finding, l *effects.Effect) {
	path := l.Path.Named("the lock file")
	fd.Sentence = fmt.Sprintf("%s ignores the result of locking %s: it goes on whether or not it holds the lock",
		fd.Func, path)
	fd.Evidence = []finding.Evidence{{Pos: l.Pos, Text: memory.FuncName(l.In) + " is to lock " + path}}
	fd.Schedule = []finding.Step{
		{Actor: "process A", Pos: l.Pos, Does: "locks " + path},
		{Actor: "process B", Pos: l.Pos, Does: "does not get the lock, and goes on"},
		{Actor: "process A", Does: "changes what the lock guards, and so does B at the same time"},
	}
	fd.NoFix = "only its author can say what to do without the lock; safeio.Lock waits for it, " +
		"safeio.TryLock returns an error"
}
