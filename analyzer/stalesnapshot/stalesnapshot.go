package stalesnapshot

import (
	_ "embed"
	"fmt"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/cycles"
	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/lexicon"
	"github.com/lockvet/lockvet/internal/locks"
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
const Name = "stalesnapshot"

// A save writes to a file what a function has read before, in its own list of
// effects.
type save struct {
	f     *effects.Func
	write *effects.Effect
	last  *effects.Effect // changes the file: the write, or the rename behind it
	file  *pathexpr.Term
}

// A snapshot is the memory that a save writes, as it was read under a lock.
type snapshot struct {
	save
	memory locks.Ref
	read   ssa.Instruction
	locks  locks.Held // at the read
	lock   locks.Ref  // the one that guards the memory
	guard  guarded
}

type checker struct {
	// changed are the changes under a lock, once asked for.
	changed map[guarded][]*locks.Access
	p       *effects.Package
	x       *state.Index
	locks   *locks.Package // nil until it is asked for
}

// Run reports the saves that come after the lock of what they save.
func Run(p *effects.Package, x *state.Index) []*finding.Finding {
	c := &checker{p: p, x: x, changed: map[guarded][]*locks.Access{}}
	var out []*finding.Finding
	for _, f := range p.Funcs {
		for _, w := range f.Effects {
			s := c.snapshot(f, w)
			if s == nil || s.last.Here() == nil {
				continue
			}
			k := c.candidate(&s.save)
			if k.Reported || !c.overtaken(s, k) {
				continue
			}
			if fd := c.judge(s, k); fd != nil {
				k.Reported = true
				out = append(out, fd)
			}
		}
	}
	return out
}

// isUnseen reports whether another package makes what is written out of what it is given: which part
// of that reaches the file is not followed there.
func isUnseen(w *effects.Effect) bool {
	call, ok := w.At.(ssa.CallInstruction)
	return ok && w.Foreign != "" &&
		!slices.ContainsFunc(memory.CallArgs(call.Common()), func(v ssa.Value) bool { return known.IsBytes(v.Type()) })
}

// candidate is a save as a candidate of the check.
func (c *checker) candidate(s *save) *verdict.Candidate {
	pos := s.last.Pos
	if call := s.last.Here(); call != nil {
		pos = call.Pos()
	}
	return c.x.Log().Candidate(Name, pos, s.f.Name())
}

// snapshot is what f reads under a lock and w writes without it; nil where w is
// no such write.
func (c *checker) snapshot(f *effects.Func, w *effects.Effect) *snapshot {
	if w.Kind != effects.Write && w.Kind != effects.Replace {
		return nil
	}
	file, last := f.Saves(w)
	if file == nil || isUnseen(w) {
		return nil
	}
	sv := save{f, w, last, file}
	s, why := c.find(sv), sv.excuse()
	if s != nil && why != nil && c.candidate(&sv).Says(why, w.Pos, "it is written to "+file.Named("its file")) {
		return nil
	}
	return s
}

// find is the snapshot that a save writes, nil for none.
func (c *checker) find(sv save) *snapshot {
	for _, src := range sv.write.From {
		if src.File() != nil {
			continue
		}
		for _, read := range src.Reads {
			if read == sv.write.At || read.Parent() != sv.f.SSA {
				continue // what the same call reads is for its callee to answer for
			}
			if s := c.taken(sv, src.Term, read); s != nil {
				return s
			}
		}
	}
	return nil
}

// maxSave bounds the calls between a function and the save that is taken for its
// own: what happens far below serves a purpose of its own.
const maxSave = 3

// excuse is the rule that speaks against a save, whatever it writes; nil for none.
func (s *save) excuse() *verdict.Rule {
	switch {
	case s.write.When == effects.Deferred || len(s.write.Via) > maxSave:
		return far
	case s.file.Kind == pathexpr.Param || s.file.Any(func(t *pathexpr.Term) bool {
		switch t.Kind {
		case pathexpr.Fresh, pathexpr.Random, pathexpr.Pid, pathexpr.Input, pathexpr.Unknown, pathexpr.Alt, pathexpr.Content:
			return true
		}
		return false
	}):
		return anyFile
	}
	return nil
}

// taken is the snapshot that f takes of memory with one read, nil where no lock
// guards it or the lock is not released before the write.
func (c *checker) taken(sv save, m *pathexpr.Term, read ssa.Instruction) *snapshot {
	root, path := placeOf(sv.f, m)
	if root == nil {
		return nil
	}
	if c.locks == nil {
		if !guardable(root) {
			return nil
		}
		c.locks = locks.Of(c.p)
	}
	f := c.locks.Of(sv.f.SSA)
	if f == nil {
		return nil
	}
	memory := locks.Ref{Root: root, Path: path}
	after := f.Held(sv.write.At)
	for _, held := range c.locks.Under(f, read, memory) {
		for _, lock := range locks.Sorted(held) {
			s := &snapshot{save: sv, memory: memory, read: read, locks: held, lock: lock}
			if mode := held[lock].Mode; mode != locks.Reading && mode != locks.Writing || !s.letGo(after) {
				continue
			}
			if s.guard = c.guardedBy(lock, memory); s.guard.owner == "" {
				continue
			}
			k := c.candidate(&sv)
			if c.spans(s, after, k) || c.alias(s, f) && k.Says(alias, read.Pos(), "this refers to what others change") {
				continue
			}
			return s
		}
	}
	return nil
}

// letGo reports whether the lock is released when the write is made. A goroutine
// of its own holds nothing.
func (s *snapshot) letGo(after locks.Held) bool {
	return s.write.When == effects.Spawned || after[s.lock].Mode == locks.Free
}

// spans reports whether another lock is held from the read to the write.
func (c *checker) spans(s *snapshot, after locks.Held, k *verdict.Candidate) bool {
	if s.write.When == effects.Spawned {
		return false
	}
	for lock, at := range s.locks {
		if lock != s.lock && at.Mode == locks.Writing && after[lock].Mode != locks.Free && after[lock].Mode != locks.Unknown &&
			k.Says(locked, s.read.Pos(), "another mutex is held from the read to the write") {
			return true
		}
	}
	return cycles.Spanning(c.p, s.f, effects.Lock, s.f.End(s.read), s.write, s.file) != nil && k.Says(locked, s.write.Pos, "a "+
		"lock between processes is held from the read to the write")
}

// judge is the finding of a snapshot, nil where the file holds no state.
func (c *checker) judge(s *snapshot, k *verdict.Candidate) *finding.Finding {
	if c.ordered(s) && k.Says(ordered, s.last.Here().Pos(), "numbers of changes are compared on the way to the write") {
		return nil
	}
	v := c.x.Judge(k, s.f, s.write, s.file, state.WriteContext{Published: s.last != s.write})
	if !v.State {
		return nil
	}
	return c.report(s, v.Evidence)
}

// overtaken reports whether two goroutines can be on their way from the read to the write, and one of
// them has a change that the other has not.
func (c *checker) overtaken(s *snapshot, k *verdict.Candidate) bool {
	return !c.callersLock(s, k) && c.changes(s, k) && !c.isAlone(s.f.SSA)
}

// isAlone reports whether a function runs while nothing else uses the object, or in the one loop that
// runs for as long as the object lives, as far as names tell: its own, or those of all its callers.
func (c *checker) isAlone(fn *ssa.Function) bool {
	alone := func(fn *ssa.Function) bool {
		name := memory.Outermost(fn).Name()
		return lexicon.Phases.MatchString(name) || lexicon.Loops.MatchString(name)
	}
	return alone(fn) || c.p.Callers().Always(fn, func(site ssa.CallInstruction) bool { return alone(site.Parent()) })
}

// report says what is lost, and how.
func (c *checker) report(s *snapshot, ev []finding.Evidence) *finding.Finding {
	call := s.last.Here()
	memory, lock, file := s.memory.String(), s.lock.String(), s.file.Named("its file")
	took, change, write := s.read.Pos(), c.change(s).Pos, call.Pos()
	return &finding.Finding{
		Check: Name, Variant: "copied", Pos: write, End: call.End(), Func: s.f.Name(), Evidence: ev,
		Sentence: fmt.Sprintf("%s copies %s under %s and writes it to %s after it has released it: "+
			"a save in between is overwritten with an older state", s.f.Name(), memory, lock, file),
		Schedule: []finding.Step{
			{
				Actor: "goroutine A", Pos: took,
				Does: "copies " + memory + " and releases " + lock, Memory: "the state that A has copied",
			},
			{
				Actor: "goroutine B", Pos: change,
				Does: "takes " + lock + " and changes " + memory, Memory: "the change of B",
			},
			{Actor: "goroutine B", Pos: write, Does: "writes " + file, File: "the change of B"},
			{
				Actor: "goroutine A", Pos: write,
				Does: "writes what it has from before", File: "an older state, without the change of B",
			},
		},
		NoFix: "only its author can say who may wait for the disk: hold " + lock +
			" until the file is written, or a lock of its own from the copy to the write",
	}
}

// callersLock reports whether every way to f holds a lock that keeps others out.
func (c *checker) callersLock(s *snapshot, k *verdict.Candidate) bool {
	return c.p.Callers().Always(s.f.SSA, func(site ssa.CallInstruction) bool {
		f, g := c.locks.Of(site.Parent()), c.p.Of(site.Parent())
		if f == nil || g == nil {
			return false
		}
		for lock, at := range f.Held(site) {
			if at.Mode == locks.Writing && lock != s.lock {
				return true
			}
		}
		return cycles.LockedAt(c.p, g, site)
	}) && k.Says(locked, s.f.SSA.Pos(), "another lock is held where it is called")
}
