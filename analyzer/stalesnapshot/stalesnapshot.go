package stalesnapshot

import (
	_ "embed"
	"fmt"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/cycles"
	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/evidence"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/locks"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
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
	locks  map[locks.Ref]locks.Mode // at the read
	lock   locks.Ref                // the one that guards the memory
	guard  guarded
}

type checker struct {
	p     *effects.Package
	x     *evidence.Index
	locks *locks.Package // nil until it is asked for
	calls *calls
	// changed are the changes under a lock, once asked for.
	changed map[guarded][]*locks.Access
}

// Run reports the saves that come after the lock of what they save.
func Run(p *effects.Package, x *evidence.Index) []*finding.Finding {
	c := &checker{p: p, x: x, changed: map[guarded][]*locks.Access{}}
	var list []*snapshot
	for _, f := range p.Funcs {
		for _, w := range f.Effects {
			if s := c.snapshot(f, w); s != nil {
				list = append(list, s)
			}
		}
	}
	var out []*finding.Finding
	said := map[token.Pos]bool{}
	first := map[state]token.Pos{}
	for _, s := range list {
		at := s.last.Here()
		if at == nil || said[at.Pos()] || !c.overtaken(s, list) {
			continue
		}
		f := c.judge(s)
		if f == nil {
			continue
		}
		k, of := c.candidate(&s.save), state{s.f, s.memory}
		if pos, ok := first[of]; ok && k.Says(sameCause, pos, "the function saves the same copy here, too") {
			continue
		}
		if c.unseen(s) && k.Says(elsewhere, s.write.Pos, pathexpr.ShortName(s.write.Foreign)+"() writes it") {
			evidence.Lower(k, f)
		}
		if c.x.Meanwhile(s.f, s.write) == "" && k.Says(callersOnly, s.write.Pos, "whether two goroutines save at a time is for its callers to know") {
			evidence.Lower(k, f)
		}
		said[at.Pos()], first[of], k.Reported = true, s.last.Pos, true
		out = append(out, f)
	}
	return out
}

// A state is what a function copies, however often it saves that.
type state struct {
	f      *effects.Func
	memory locks.Ref
}

// unseen reports whether another package makes what is written out of what it is given.
func (c *checker) unseen(s *snapshot) bool {
	call, ok := s.write.At.(ssa.CallInstruction)
	return ok && s.write.Foreign != "" && !slices.ContainsFunc(memory.CallArgs(call.Common()), func(v ssa.Value) bool { return known.IsBytes(v.Type()) })
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
	if file == nil {
		return nil
	}
	sv := save{f, w, last, file}
	against := c.excuses(&sv)
	if len(against) > 0 && !c.x.Log().Keeps() {
		return nil
	}
	s := c.find(sv)
	if s == nil || len(against) == 0 {
		return s
	}
	for _, e := range against {
		c.candidate(&sv).Says(e.Rule, w.Pos, e.text)
	}
	return nil
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

// An excuse is a rule that speaks against a save, whatever it writes.
type excuse struct {
	*verdict.Rule
	text  string // what it sees
	holds func() bool
}

// excuses are the rules that speak against a save, whatever it writes: the first, or all
// where they are noted.
func (c *checker) excuses(s *save) []excuse {
	has := func(kinds ...pathexpr.Kind) func() bool {
		return func() bool {
			return s.file.Any(func(t *pathexpr.Term) bool { return slices.Contains(kinds, t.Kind) })
		}
	}
	var spoke []excuse
	for _, r := range []excuse{
		{deferred, "it is written by a deferred call", func() bool { return s.write.When == effects.Deferred }},
		{far, "the write is far below", func() bool { return len(s.write.Via) > maxSave }},
		{callersFile, "a parameter is the file", func() bool { return s.file.Kind == pathexpr.Param }},
		{newName, "its name is new each time", has(pathexpr.Fresh, pathexpr.Random, pathexpr.Pid)},
		{chosen, "the user names the file", has(pathexpr.Input)},
		{anyFile, "it may be one of several files", has(pathexpr.Unknown, pathexpr.Alt, pathexpr.Content)},
	} {
		if c.x.Log().Asks(r.Rule) && r.holds() {
			if spoke = append(spoke, r); !c.x.Log().Keeps() {
				break
			}
		}
	}
	return spoke
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
			if mode := held[lock]; mode != locks.Reading && mode != locks.Writing || !s.letGo(after) {
				continue
			}
			if s.guard = c.guardedBy(lock, memory); s.guard.owner == "" {
				continue
			}
			says := c.candidate(&sv).Says
			if c.spans(s, after, says) || c.alias(s, f) && says(alias, read.Pos(), "this refers to what others change") {
				continue
			}
			return s
		}
	}
	return nil
}

// letGo reports whether the lock is released when the write is made. A goroutine
// of its own holds nothing.
func (s *snapshot) letGo(after map[locks.Ref]locks.Mode) bool {
	return s.write.When == effects.Spawned || after[s.lock] == locks.Free
}

// A listener is told that a rule speaks of a candidate, of what and where, and says whether
// that counts.
type listener func(r *verdict.Rule, pos token.Pos, text string) bool

// spans reports whether another lock is held from the read to the write.
func (c *checker) spans(s *snapshot, after map[locks.Ref]locks.Mode, says listener) bool {
	if s.write.When == effects.Spawned {
		return false
	}
	for lock, mode := range s.locks {
		if lock != s.lock && mode == locks.Writing && !s.strange(lock) && after[lock] != locks.Free && after[lock] != locks.Unknown && says(spanned, s.read.Pos(), "another mutex is held from the read to the write") {
			return true
		}
	}
	return cycles.Spanning(c.p, s.f, effects.Lock, s.f.End(s.read), s.write, s.file) != nil && says(locked, s.write.Pos, "a lock between processes is held from the read to the write")
}

// strange reports whether a mutex belongs to an object that has nothing to do with the
// memory and the file: an argument that is not the receiver.
func (s *snapshot) strange(lock locks.Ref) bool {
	p, ok := lock.Root.(*ssa.Parameter)
	if !ok || lock.Path == "" || lock.Root == s.memory.Root {
		return false
	}
	i := slices.Index(s.f.SSA.Params, p)
	return (i > 0 || s.f.SSA.Signature.Recv() == nil) && !slices.Contains(s.file.Params(), i)
}

// judge is the finding of a snapshot, nil where the file holds no state.
func (c *checker) judge(s *snapshot) *finding.Finding {
	k, pos := c.candidate(&s.save), s.last.Here().Pos()
	if c.ordered(s) && k.Says(ordered, pos, "numbers of changes are compared on the way to the write") {
		return nil
	}
	v, ev := c.x.Judge(k, s.f, s.write, s.file, evidence.Manner{Published: s.last != s.write})
	if !v.State {
		return nil
	}
	return c.report(s, ev)
}

// variant says in what form the state leaves the lock.
func (c *checker) variant(s *snapshot) string {
	switch {
	case s.write.When == effects.Spawned:
		return "spawned"
	case c.encoded(s):
		return "encoded"
	}
	return "copied"
}

// overtaken reports whether two goroutines can be on their way from the read to
// the write, and one of them has a change that the other has not.
func (c *checker) overtaken(s *snapshot, all []*snapshot) bool {
	if c.calls == nil {
		c.calls = indexCalls(c.p)
	}
	k, pos := c.candidate(&s.save), s.f.SSA.Pos()
	if c.callersLock(s, k.Says) || !c.changes(s, k.Says) {
		return false
	}
	own := c.calls.origins(s.f.SSA)
	if len(own) == 0 && k.Says(setUp, pos, "it runs only while an object is made or shut down") {
		return false
	}
	if len(own) == 0 || s.write.When == effects.Spawned {
		return true
	}
	o := origins{}
	for _, other := range all {
		if other.f == s.f || other.guard == s.guard && memory.SameFile(other.file, s.file) {
			o.add(c.calls.origins(other.f.SSA))
		}
	}
	return o.count() > 1 && k.Says(several, pos, "more than one goroutine comes here") ||
		o.count() <= 1 && !k.Says(oneGoroutine, pos, "one goroutine alone comes here")
}

// report says what is lost, and how.
func (c *checker) report(s *snapshot, ev []finding.Evidence) *finding.Finding {
	call := s.last.Here()
	memory, lock, file, variant := s.memory.String(), s.lock.String(), s.file.Named("its file"), c.variant(s)
	f := &finding.Finding{Check: Name, Variant: variant, Pos: call.Pos(), End: call.End(), Func: s.f.Name(), Evidence: ev}
	switch variant {
	case "spawned":
		f.Sentence = fmt.Sprintf("%s copies %s under %s and has a goroutine write it to %s: one that was started earlier can write last, and puts an older state in the place of a newer one", f.Func, memory, lock, file)
	case "encoded":
		f.Sentence = fmt.Sprintf("%s encodes %s under %s and writes it to %s after it has released it: who saves in between is overwritten with an older state", f.Func, memory, lock, file)
	default:
		f.Sentence = fmt.Sprintf("%s copies %s under %s and writes it to %s after it has released it: who saves in between is overwritten with an older state", f.Func, memory, lock, file)
	}
	f.Schedule = c.schedule(s, variant)
	f.NoFix = "who may wait for the disk only its author can say: hold " + lock + " until the file is written, or a lock of its own from the copy to the write"
	if s.write.When == effects.Spawned {
		f.NoFix = "what the goroutines write has to be put in order"
	}
	return f
}

// schedule is how an older state comes to be written last.
func (c *checker) schedule(s *snapshot, variant string) []finding.Step {
	memory, lock, file := s.memory.String(), s.lock.String(), s.file.Named("its file")
	took, change, write := s.read.Pos(), c.change(s).Pos, s.last.Here().Pos()
	if variant == "spawned" {
		return []finding.Step{
			{Actor: "one call", Pos: took, Does: "copies " + memory + " and starts goroutine A", Memory: "the older state"},
			{Actor: "the next call", Pos: change, Does: "finds " + memory + " changed, copies it and starts goroutine B", Memory: "the newer state"},
			{Actor: "goroutine B", Pos: write, Does: "writes " + file, File: "the newer state"},
			{Actor: "goroutine A", Pos: write, Does: "writes its copy", File: "the older state"},
		}
	}
	did := map[string]string{"copied": "copies", "encoded": "encodes"}[variant]
	return []finding.Step{
		{Actor: "goroutine A", Pos: took, Does: did + " " + memory + " and releases " + lock, Memory: "the state that A has " + variant},
		{Actor: "goroutine B", Pos: change, Does: "takes " + lock + " and changes " + memory, Memory: "the change of B"},
		{Actor: "goroutine B", Pos: write, Does: "writes " + file, File: "the change of B"},
		{Actor: "goroutine A", Pos: write, Does: "writes what it has from before", File: "an older state, without the change of B"},
	}
}

// callersLock reports whether every way to f holds a lock that keeps others out.
func (c *checker) callersLock(s *snapshot, says listener) bool {
	mutexes, files := c.x.Log().Asks(callersMutex), c.x.Log().Asks(callersLocked)
	mutex, file := false, false
	if !c.calls.Always(s.f.SSA, func(site ssa.CallInstruction) bool {
		for lock, mode := range c.heldAt(site) {
			if mutexes && mode == locks.Writing && lock != s.lock {
				mutex = true
				return true
			}
		}
		g := c.p.Of(site.Parent())
		if files && g != nil && cycles.LockedAt(c.p, g, site) {
			file = true
			return true
		}
		return false
	}) {
		return false
	}
	pos := s.f.SSA.Pos()
	if mutex {
		says(callersMutex, pos, "another mutex is held where it is called")
	}
	if file {
		says(callersLocked, pos, "a lock between processes is held where it is called")
	}
	return true
}

func (c *checker) heldAt(i ssa.Instruction) map[locks.Ref]locks.Mode {
	if f := c.locks.Of(i.Parent()); f != nil {
		return f.Held(i)
	}
	return nil
}
