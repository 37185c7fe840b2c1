package droppedlock

import (
	_ "embed"
	"fmt"
	"go/token"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/evidence"
	"github.com/lockvet/lockvet/internal/failure"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/lexicon"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/verdict"
)

// Doc is the source of doc.go, the only text of the check's documentation.
//
//go:embed doc.go
var Doc string

// Name is the name of the check.
const Name = "droppedlock"

type checker struct {
	p    *failure.Package
	x    *evidence.Index
	seen map[token.Pos]bool
	out  []*finding.Finding
}

// Run reports locks that are taken and not held.
func Run(p *effects.Package, x *evidence.Index) []*finding.Finding {
	c := &checker{p: failure.Of(p), x: x, seen: map[token.Pos]bool{}}
	for _, f := range p.Funcs {
		for _, e := range f.Effects {
			c.visit(f, e)
		}
	}
	return c.out
}

// candidate is the call that f makes to lead to an effect.
func (c *checker) candidate(f *effects.Func, e *effects.Effect) *verdict.Candidate {
	pos := e.Pos
	if call := e.Here(); call != nil {
		pos = call.Pos()
	}
	return c.x.Log().Candidate(Name, pos, f.Name())
}

func (c *checker) visit(f *effects.Func, e *effects.Effect) {
	switch {
	case e.Kind == effects.Lock && unasked(c.p, e): // see escape.go, as lost
		c.ignored(f, e)
	case e.Kind == effects.Lock && c.lost(f, e):
		c.collected(f, e)
	}
}

// add puts a finding at the call that f makes to lead to e, for which a rule speaks by what
// it has seen.
func (c *checker) add(f *effects.Func, e *effects.Effect, variant string, by *verdict.Rule, text string) *finding.Finding {
	at := e.Call
	if len(e.Via) > 0 {
		at = e.Via[0]
	}
	if at == nil || c.seen[at.Pos()] {
		return nil
	}
	k := c.candidate(f, e).Is(variant)
	if !k.Says(by, e.Pos, text) {
		return nil
	}
	k.Reported = true
	c.seen[at.Pos()] = true
	fd := &finding.Finding{
		Check:   Name,
		Variant: variant,
		Pos:     at.Pos(),
		End:     at.End(),
		Func:    f.Name(),
		Claim:   "is a lock between processes",
	}
	// What the lock is for, its function says.
	if word, name := lexicon.MadeAgain(f.SSA.Name(), memory.FuncName(e.In)); word != "" {
		k.Says(lexicon.Again.Rule, e.Pos, "\""+name+"\" says "+word)
	}
	c.out = append(c.out, fd)
	return fd
}

// file is the lock file, as a reader would write it.
func file(e *effects.Effect) string {
	return e.Path.Named("the lock file")
}

func (c *checker) collected(f *effects.Func, e *effects.Effect) {
	fd := c.add(f, e, "collected", unkept, "nothing keeps the open file")
	if fd == nil {
		return
	}
	path := file(e)
	fd.Sentence = fmt.Sprintf("%s locks %s and nothing keeps the open file: the garbage collector closes it, and that "+
		"releases the lock", fd.Func, path)
	fd.Evidence = []finding.Evidence{{Pos: e.Pos, Text: memory.FuncName(e.In) + " locks " + path}}
	fd.Schedule = []finding.Step{
		{Actor: "process A", Pos: fd.Pos, Does: "locks " + path + "; nothing refers to the open file any more"},
		{Actor: "process A", Does: "collects garbage, which closes the file and releases the lock"},
		{Actor: "process B", Pos: fd.Pos, Does: "locks " + path + ", too, while A goes on as if it had it",
			Acts: []finding.Act{finding.LocksDropped}},
	}
	fd.NoFix = "only its author can say what is to hold the lock, and until when; a *safeio.Held holds it until it is unlocked"
	if endless(c.p, f, e) {
		fd.NoFix = "something has to refer to the open file until the process ends: defer its Close behind the lock"
	}
}

func (c *checker) ignored(f *effects.Func, e *effects.Effect) {
	fd := c.add(f, e, "ignored", unchecked, "its result is ignored")
	if fd == nil {
		return
	}
	path := file(e)
	what := "the error of locking " + path
	if e.Try {
		what = "whether it has got the lock on " + path
	}
	fd.Sentence = fmt.Sprintf("%s ignores %s: it goes on whether or not it holds the lock", fd.Func, what)
	fd.Evidence = []finding.Evidence{{Pos: e.Pos, Text: memory.FuncName(e.In) + " is to lock " + path}}
	fd.Schedule = []finding.Step{
		{Actor: "process A", Pos: e.Pos, Does: "locks " + path},
		{Actor: "process B", Pos: e.Pos, Does: "does not get the lock, and goes on"},
		{Actor: "process A", Does: "changes what the lock guards, and so does B at the same time"},
	}
	fd.NoFix = "only its author can say what to do without the lock; safeio.Lock waits for it, safeio.TryLock returns an error"
}
