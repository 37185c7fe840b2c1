package effects

import (
	"go/token"
	"math"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// A Cycle is a file that a function reads and writes again, with content that
// derives from what was read.
type Cycle struct {
	// File is the path of the file.
	File *pathexpr.Term
	// Read is where the content is read that reaches the bytes written.
	Read *Effect
	// Write is where they are written, Rename where the file that holds them is
	// moved over File; nil where they are written to File itself.
	Write, Rename *Effect
}

// Last is the effect that changes the file.
func (c Cycle) Last() *Effect {
	if c.Rename != nil {
		return c.Rename
	}
	return c.Write
}

// Grows reports whether what the file holds stays in it as it is, and something is
// added.
func (c Cycle) Grows() bool {
	data := c.Write.Data
	return data != nil && encoder(data) == "" && reads(data, c.File)
}

// PutsBack reports whether the write is given the very bytes that the read has
// returned, with no element assigned to: the file was removed in between, or written
// over.
func (c Cycle) PutsBack() bool {
	write, ok := c.Write.instr.(ssa.CallInstruction)
	made, isValue := c.Read.instr.(ssa.Value)
	return ok && isValue && slices.ContainsFunc(callArgs(write.Common()), func(arg ssa.Value) bool {
		read, ok := arg.(*ssa.Extract)
		return ok && read.Tuple == made && known.IsBytes(read.Type()) && !slices.ContainsFunc(flow.Uses(read), assigns)
	})
}

// assigns reports whether an element of a slice is assigned to by its address.
func assigns(i ssa.Instruction) bool {
	elem, ok := i.(*ssa.IndexAddr)
	return ok && slices.ContainsFunc(flow.Uses(elem), func(i ssa.Instruction) bool {
		st, ok := i.(*ssa.Store)
		return ok && st.Addr == elem
	})
}

// Varies reports whether the file may be another when it is written: it is read in a
// loop, and has no name, so that each time round it can be one of several.
func (c Cycle) Varies() bool {
	read := c.Read.instr
	return c.File.Named("") == "" && read != nil && c.Read.flow.Reaches(read, read)
}

// OneCall reports whether one call of the function both reads and writes.
func (c Cycle) OneCall() bool { return c.Read.instr == c.Last().instr }

// Cycles lists the cycles of the function, those of the functions that it calls
// included.
func (f *Func) Cycles() []Cycle {
	var list []Cycle
	for _, w := range f.Effects {
		if w.Kind != Write && w.Kind != Replace {
			continue
		}
		for _, s := range w.From {
			if s.File() == nil {
				continue
			}
			if c, ok := f.cycle(s, w); ok {
				list = append(list, c)
			}
		}
		if c, ok := f.objectCycle(w); ok {
			list = append(list, c)
		}
	}
	return list
}

// objectCycle is the cycle of an object that the function loads and saves.
func (f *Func) objectCycle(w *Effect) (Cycle, bool) {
	c := Cycle{Write: w}
	if w.Object == nil {
		return c, false
	}
	var last *Effect
	if c.File, last = f.Saves(w); c.File == nil {
		return c, false
	}
	if last != w {
		c.Rename = last
	}
	for _, e := range f.OfKind(Load, Fill) {
		if e.Object != nil && e.Object.Key() == w.Object.Key() && ofFile(e, c.File) && Reaches(e, w) && (c.Read == nil || Before(c.Read, e)) {
			c.Read = e
		}
	}
	return c, c.Read != nil
}

// ofFile reports whether memory may be filled from a file: it is not known to be
// filled from others alone.
func ofFile(fill *Effect, file *pathexpr.Term) bool {
	others := false
	for _, s := range fill.From {
		if from := s.File(); from != nil {
			if mayBe(from, file) {
				return true
			}
			others = true
		}
	}
	return !others
}

// cycle is the cycle that a write closes whose bytes derive from s.
func (f *Func) cycle(s Source, w *Effect) (Cycle, bool) {
	c := Cycle{File: s.File(), Write: w}
	if w.Path == nil || f.appends(w) {
		return c, false
	}
	if !mayBe(pendingFor(w.Path), c.File) {
		c.Rename = f.moved(w, c.File)
		if c.Rename == nil {
			return c, false
		}
	}
	c.Read = f.readAt(s, c.Last())
	return c, c.Read != nil
}

// mayBe reports whether a path is the file, or one of several of which it is one:
// the content that was read there says which.
func mayBe(path, file *pathexpr.Term) bool {
	return SameFile(path, file) || path.Kind == pathexpr.Alt && slices.ContainsFunc(path.Args, func(t *pathexpr.Term) bool { return SameFile(t, file) })
}

// Saves is the file of which w writes all content, and the effect that changes it:
// w, or the rename that puts what w writes in its place. It is nil where w writes
// a part, or to a file that the function did not open.
func (f *Func) Saves(w *Effect) (file *pathexpr.Term, last *Effect) {
	if w.Kind != Write && w.Kind != Replace || w.Path == nil || f.appends(w) {
		return nil, nil
	}
	for _, e := range f.OfKind(Rename) {
		if SameFile(e.Path, w.Path) && e.Target != nil && (Reaches(w, e) || inOneGoroutine(w, e)) {
			return e.Target, e
		}
	}
	if w.Kind == Write && !slices.ContainsFunc(f.OfKind(Truncate, CreateExclusive), func(e *Effect) bool {
		return e.On(w.Handle)
	}) {
		return nil, nil
	}
	return pendingFor(w.Path), w
}

// inOneGoroutine reports whether b happens after a in the goroutine of both.
func inOneGoroutine(a, b *Effect) bool {
	return a.When == Spawned && b.When == Spawned && a.instr == b.instr && a.seq < b.seq
}

// appends reports whether what w writes comes behind what the file holds.
func (f *Func) appends(w *Effect) bool {
	return slices.ContainsFunc(f.OfKind(Append), func(e *Effect) bool { return e.On(w.Handle) })
}

// pendingFor is the file in whose place a pending one is put when it is
// committed, and the path itself for any other.
func pendingFor(path *pathexpr.Term) *pathexpr.Term {
	if path.Kind == pathexpr.Fresh && len(path.Args) == 1 {
		return path.Args[0]
	}
	return path
}

// moved is the rename that puts what w writes in the place of a file.
func (f *Func) moved(w *Effect, file *pathexpr.Term) *Effect {
	for _, e := range f.OfKind(Rename) {
		if SameFile(e.Path, w.Path) && SameFile(e.Target, file) && Reaches(w, e) {
			return e
		}
	}
	return nil
}

// readAt is the effect that reads the content s for the write w.
func (f *Func) readAt(s Source, w *Effect) *Effect {
	var found *Effect
	for _, e := range f.OfKind(Read) {
		if !SameFile(e.Path, s.File()) || !Reaches(e, w) {
			continue
		}
		if e.instr == s.at {
			return e
		}
		if found == nil && (s.at == nil || e.flow.Reaches(s.at, e.instr)) {
			found = e
		}
	}
	return found
}

// releases are the effects that let go of the two kinds of locks.
var releases = map[Kind]Kind{Lock: Unlock, Acquire: Release}

// Spanning is a lock of the kind, Lock or Acquire, that is held from a to b by
// nobody else at the same time; nil where there is none. One that is only tried is
// taken to be had: what a program does without it is its own affair.
func (f *Func) Spanning(kind Kind, a, b *Effect) *Effect {
	for _, l := range f.OfKind(kind) {
		if !l.Shared && Before(l, a) && Before(l, b) && !f.letGo(l, b) {
			return l
		}
	}
	return nil
}

// LockedAt reports whether a lock between processes that nobody else has is held
// wherever an instruction of the function is come to.
func (f *Func) LockedAt(i ssa.Instruction) bool {
	at := &Effect{instr: i, seq: math.MaxInt, flow: f.flow}
	return f.Spanning(Lock, at, at) != nil
}

// letGo reports whether the lock l may be let go of before e.
func (f *Func) letGo(l, e *Effect) bool {
	return slices.ContainsFunc(f.OfKind(releases[l.Kind]), func(u *Effect) bool {
		return u.When == Inline && (SameLock(u, l) || SameFile(u.Path, l.Path)) && l.leadsTo(u, nil) && u.leadsTo(e, l)
	})
}

// leadsTo reports whether b can happen after a with nothing of what past does in
// between.
func (a *Effect) leadsTo(b, past *Effect) bool {
	if a.instr == b.instr && a.seq < b.seq {
		return true
	}
	switch {
	case past == nil:
		return a.flow.Reaches(a.instr, b.instr)
	case past.instr == b.instr && past.seq < b.seq:
		return false // the call that does b does past first
	}
	return a.flow.Goes(a.instr, b.instr, past.instr)
}

// Recursive reports whether the function can come to call itself.
func (p *Package) Recursive(f *Func) bool {
	return slices.ContainsFunc(p.below(f), func(g *Func) bool { return slices.Contains(g.Callees, f.SSA) })
}

// Leads reports whether f can come to call g.
func (p *Package) Leads(f, g *Func) bool { return slices.Contains(p.below(f), g) }

// TakesMutex reports whether f takes a mutex, or a function that it leads to does.
func (p *Package) TakesMutex(f *Func) bool {
	return slices.ContainsFunc(p.below(f), func(g *Func) bool {
		return slices.ContainsFunc(g.Effects, func(e *Effect) bool { return e.Kind == Acquire })
	})
}

// below are the functions of the package that f leads to, itself included.
func (p *Package) below(f *Func) []*Func {
	return flow.Reach(p.flow.Budget, p.next, f)
}

// CallsParameter reports whether the function calls one that it is given.
func (f *Func) CallsParameter() bool {
	return slices.ContainsFunc(f.Effects, func(e *Effect) bool { return e.Kind == invoke })
}

// Entered reports whether code that is not seen can call the function: it is
// exported, or nothing of the package calls it.
func (p *Package) Entered(f *Func) bool {
	return f.SSA.Object() == nil || f.SSA.Object().Exported() || !slices.ContainsFunc(p.Funcs, func(g *Func) bool { return slices.Contains(g.Callees, f.SSA) })
}

// Forgives reports whether f can end without an error and without having saved,
// although it could not load the file of the cycle.
func (p *Package) Forgives(f *Func, c Cycle) bool { return p.forgives(f, c, broken) }

// ForgivesAbsence reports whether it can where there is no such file.
func (p *Package) ForgivesAbsence(f *Func, c Cycle) bool { return p.forgives(f, c, absent) }

func (p *Package) forgives(f *Func, c Cycle, why cause) bool {
	for _, o := range p.failing(f, c.Read, why) {
		r := p.follow(f, c.Read, o, why, c.Last().instr)
		if slices.ContainsFunc(r.ends, func(o *outcome) bool { return !o.tells }) {
			return true
		}
	}
	return false
}

// Skips reports whether f can load the file of the cycle and end without an error
// and without having saved.
func (f *Func) Skips(c Cycle) bool {
	for r := range flow.Returns(f.SSA) {
		if succeeds(r) && f.flow.Goes(c.Read.instr, r, c.Last().instr) {
			return true
		}
	}
	return false
}

// Unloaded reports whether the file is saved only where it could not be read or
// decoded: what is saved then is nothing that was loaded.
func (p *Package) Unloaded(f *Func, c Cycle) bool {
	last := c.Last()
	if last.When != Inline {
		return false
	}
	return slices.ContainsFunc(f.Effects, func(r *Effect) bool {
		loads := r.Kind == Read && r.When == Inline && SameFile(r.Path, c.File) && (r == c.Read || Before(r, c.Read))
		return loads && r.instr != last.instr && !p.loaded(f, r, last)
	})
}

// loaded reports whether control comes from a read to another effect on a way on
// which nothing says that the file could not be read or decoded.
func (p *Package) loaded(f *Func, read, to *Effect) bool {
	return flow.Search{
		At: func(i ssa.Instruction) flow.Step {
			if i == to.instr {
				return flow.Found
			}
			return flow.Go
		},
		Edge: func(b *ssa.BasicBlock, n int) bool {
			branch := flow.BranchOf(b)
			return branch == nil || n != p.failed(f, branch.Cond, read.Path)
		},
	}.After(p.flow, read.instr)
}

// failed is the branch that is taken where a condition says that the file could
// not be read or decoded, -1 where it says nothing of that.
func (p *Package) failed(f *Func, cond ssa.Value, file *pathexpr.Term) int {
	switch v := cond.(type) {
	case *ssa.UnOp:
		if n := p.failed(f, v.X, file); n >= 0 && v.Op == token.NOT {
			return 1 - n
		}
	case *ssa.BinOp:
		k, ok := v.Y.(*ssa.Const)
		if !ok || !k.IsNil() || !isErrorType(v.X.Type()) || !f.loads(callBehind(v.X), file) {
			return -1
		}
		if v.Op == token.EQL {
			return 1
		}
		return 0
	case *ssa.Call:
		if fn := p.callee(&v.Call); asksAbsence(fn, v.Call.Args) && f.loads(callBehind(v.Call.Args[0]), file) {
			return 0
		}
	}
	return -1
}

// loads reports whether a call reads the file, or decodes it.
func (f *Func) loads(call *ssa.Call, file *pathexpr.Term) bool {
	return call != nil && slices.ContainsFunc(f.Effects, func(e *Effect) bool {
		return e.instr == ssa.Instruction(call) && (e.Kind == Decode && reads(e.Data, file) || e.Kind == Read && SameFile(e.Path, file))
	})
}
