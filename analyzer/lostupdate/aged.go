package lostupdate

import (
	"cmp"
	"fmt"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/cycles"
	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/evidence"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/lexicon"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
	"github.com/lockvet/lockvet/internal/verdict"
)

// A cell is state that a program has in memory for as long as it runs: a field of a struct
// type, a package variable, or all of an object of a struct type. Whichever object it is, the
// program has one.
type cell struct {
	typ   string // the struct type, empty for a variable
	field string // of it, empty for the whole; the name of the variable
}

// of reports whether one cell is the other or a part of it.
func (c cell) of(o cell) bool {
	return c == o || c.typ != "" && c.typ == o.typ && (c.field == "" || o.field == "")
}

// cells are those that memory lies in: a field, or the struct that it or a variable holds or
// points to.
func (c *checker) cells(m *pathexpr.Term) []cell {
	var list []cell
	for ; m != nil && m.Kind == pathexpr.Field; m = m.Args[0] {
		if held := c.heldType(m.Type, m.Text); held != "" {
			return append(list, cell{typ: held})
		}
		list = append(list, cell{m.Type, m.Text})
	}
	switch {
	case m == nil || len(list) > 0:
	case m.Kind == pathexpr.Global:
		list = append(list, cell{field: m.Text})
		if v, ok := c.p.Pass.Pkg.Scope().Lookup(strings.TrimPrefix(m.Text, c.p.Pass.Pkg.Path()+".")).(*types.Var); ok && memory.NamedType(v.Type()) != "" {
			list = append(list, cell{typ: memory.NamedType(v.Type())})
		}
	case m.Type != "":
		list = append(list, cell{typ: m.Type})
	}
	return list
}

// heldType is the struct type that a field of a type of the package holds or points to, empty
// for any other.
func (c *checker) heldType(typ, field string) string {
	name, ok := strings.CutPrefix(typ, c.p.Pass.Pkg.Path()+".")
	obj := c.p.Pass.Pkg.Scope().Lookup(name)
	if !ok || obj == nil {
		return ""
	}
	if s := memory.StructOf(obj.Type()); s != nil {
		for f := range s.Fields() {
			if f.Name() == field {
				return memory.NamedType(f.Type())
			}
		}
	}
	return ""
}

// A filling is where a function loads a cell from a file.
type filling struct {
	f     *effects.Func
	load  *effects.Effect
	cells []cell
	files []*pathexpr.Term
}

// fillings are those of the package.
func (c *checker) fillings() []filling {
	var list []filling
	for _, f := range c.p.Funcs {
		for _, e := range f.OfKind(effects.Fill) {
			if len(e.Via) > 0 || !memory.IsRooted(e.Target) {
				continue
			}
			fl := filling{f: f, load: e, cells: c.cells(e.Target)}
			for _, s := range e.From {
				if s.File() != nil {
					fl.files = append(fl.files, s.File())
				}
			}
			if len(fl.files) > 0 && len(fl.cells) > 0 {
				list = append(list, fl)
			}
		}
	}
	return list
}

// An aging is a function that saves what the program has in memory, as another has loaded
// it, and a third changes it.
type aging struct {
	saving
	cells   []cell
	loaded  filling
	change  ssa.Instruction
	renamed bool // the file is replaced by a rename
}

// aged reports the functions that save what another function has loaded, in a program that
// stays open: whatever another instance has saved since is lost.
func (c *checker) aged() []*finding.Finding {
	if !slices.ContainsFunc(c.p.Pass.Pkg.Imports(), func(pkg *types.Package) bool { return known.DrawsScreen(pkg.Path()) }) {
		return nil
	}
	fillings := c.fillings()
	if len(fillings) == 0 {
		return nil
	}
	var out []*finding.Finding
	for _, f := range c.p.Funcs {
		for _, w := range f.Effects {
			a := c.aging(f, w, fillings)
			if a == nil {
				continue
			}
			at := a.last.Here().Pos()
			k := c.candidateAt(at, f)
			if k.Reported {
				continue
			}
			if !k.Is("stale").Says(staysOpen, at, a.loaded.f.Name()+" has loaded it, and "+memory.FuncName(a.change.Parent())+" changes it") || a.excused(c, k.Says) {
				continue
			}
			if found := c.judgeAged(a, k); found != nil {
				k.Reported = true
				out = append(out, found)
				break
			}
		}
	}
	return out
}

// awaited reports the functions that are given an object, wait for the user, change the object
// and save it: whoever asks for an answer leaves others the time to save theirs.
func (c *checker) awaited() []*finding.Finding {
	var out []*finding.Finding
	for _, f := range c.p.Funcs {
		for _, w := range f.Effects {
			if w.Kind != effects.Write && w.Kind != effects.Replace || w.When != effects.Inline || w.Object == nil || w.At == nil || len(w.Via) > maxSave {
				continue
			}
			s := &saving{f: f, write: w, asked: true}
			if s.file, s.last = f.Saves(w); s.file == nil || s.last.Here() == nil {
				continue
			}
			at, object := s.last.Here(), c.handedOn(f, w)
			if object == nil || !c.p.Process.AsksUserBefore(effects.BodyOf(f.SSA), at.Pos()) || !c.changedBy(f, object, w) || !c.hasLoader(object.Type()) {
				continue
			}
			k := c.candidateAt(at.Pos(), f)
			if k.Reported || !k.Is("stale").Says(asksUser, f.SSA.Pos(), "it waits for the user, and has not loaded "+nameOf(object)) ||
				(&aging{saving: *s}).excused(c, k.Says) {
				continue
			}
			if found := c.judgeStale(s, k); found != nil {
				k.Reported = true
				found.Sentence = fmt.Sprintf("%s waits for the user and then saves %s as it was loaded before: what another process has saved meanwhile is lost", found.Func, nameOf(object))
				out = append(out, found)
				break
			}
		}
	}
	return out
}

// handedOn is the object that a call saves and that its function has not made, nor loaded
// itself: it was given it, or got it from what it was given. It is nil for any other.
func (c *checker) handedOn(f *effects.Func, w *effects.Effect) ssa.Value {
	call, ok := w.At.(ssa.CallInstruction)
	if !ok || slices.ContainsFunc(f.OfKind(effects.Fill, effects.Load), func(e *effects.Effect) bool {
		return e.Object != nil && e.Object.Equal(w.Object) || e.Target != nil && memory.RootOf(e.Target).Equal(w.Object)
	}) {
		return nil
	}
	for _, arg := range memory.CallArgs(call.Common()) {
		if m := c.p.Memory(arg); m == nil || m.Key() != w.Object.Key() {
			continue
		}
		switch v := memory.Unwrapped(arg).(type) {
		case *ssa.Parameter:
			return arg
		case *ssa.Call:
			fn := c.p.CalleeOf(&v.Call)
			if fn == nil {
				continue
			}
			if words := lexicon.Words(fn.Name()); effects.IsMethod(fn) && len(memory.CallArgs(&v.Call)) == 1 && len(words) > 0 && !lexicon.Begins[words[0]] {
				return arg
			}
		}
	}
	return nil
}

// nameOf is how a message calls an object: by its type and, if it is a parameter, by its name.
func nameOf(object ssa.Value) string {
	name := ""
	if par, ok := memory.Unwrapped(object).(*ssa.Parameter); ok {
		name = " " + par.Name()
	}
	if named, ok := types.Unalias(known.Pointee(object.Type())).(*types.Named); ok && named.Obj().Pkg() != nil {
		return "the " + named.Obj().Pkg().Name() + "." + named.Obj().Name() + name
	}
	return cmp.Or(strings.TrimSpace(name), "what it was given")
}

// changedBy reports whether a function changes an object before it saves it: by an assignment,
// or by a method to which it gives something.
func (c *checker) changedBy(f *effects.Func, object ssa.Value, w *effects.Effect) bool {
	return changes(c.p, f, w, w.Object) || slices.ContainsFunc(flow.Uses(object), func(i ssa.Instruction) bool {
		call, ok := i.(*ssa.Call)
		if !ok || ssa.Instruction(call) == w.At || !c.p.Flow.Reaches(call, w.At) {
			return false
		}
		args := memory.CallArgs(&call.Call)
		return len(args) > 1 && args[0] == object && call.Call.Signature().Results().Len() == 0
	})
}

// hasLoader reports whether a method of a type loads an object of it from a file, or a function
// of its package does.
func (c *checker) hasLoader(t types.Type) bool {
	named, ok := types.Unalias(known.Pointee(t)).(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return false
	}
	fills := func(fn *types.Func) bool {
		if f := c.p.Of(c.p.SSA.Prog.FuncValue(fn)); f != nil {
			return slices.ContainsFunc(f.Effects, func(e *effects.Effect) bool {
				return e.Kind == effects.Fill && e.Object != nil && e.Object.Kind == pathexpr.Param && e.Object.Index == 0
			})
		}
		fact := c.p.Fact(fn)
		return fact != nil && slices.ContainsFunc(fact.Effects, func(e effects.SummaryEffect) bool {
			return e.Kind == effects.Fill && e.Object != nil && e.Object.Kind == pathexpr.Param && e.Object.Index == 0
		})
	}
	if iface, ok := named.Underlying().(*types.Interface); ok {
		for m := range iface.Methods() {
			if fills(m) {
				return true
			}
		}
		return false
	}
	for m := range named.Methods() {
		if fills(m) {
			return true
		}
	}
	return loadedBy(c.p, named.Obj().Pkg(), memory.NamedType(t))
}

// aging is what a write saves, nil where it is not what the program has in memory, or nothing
// else loads it from there.
func (c *checker) aging(f *effects.Func, w *effects.Effect, fillings []filling) *aging {
	if w.Kind != effects.Write && w.Kind != effects.Replace || w.At == nil || len(w.Via) > maxSave {
		return nil
	}
	a := &aging{saving: saving{f: f, write: w, notReloaded: true}}
	if a.file, a.last = f.Saves(w); a.file == nil || a.last.Here() == nil || !c.sharedFile(a.file) {
		return nil
	}
	for e := w.Of; e != nil; e = e.Of {
		if len(c.savedCells(e)) > 0 {
			return nil // a function that it calls knows what it saves
		}
	}
	for _, m := range c.savedCells(w) {
		cells := c.cells(m)
		i := slices.IndexFunc(fillings, func(fl filling) bool {
			return fl.f != f && overlap(fl.cells, cells) && c.fromThere(fl, a.file, m)
		})
		if i < 0 || c.reloads(f, w, cells) {
			continue
		}
		a.renamed = a.last != w
		own := *w
		own.Object = memory.RootOf(m)
		a.write, a.cells, a.loaded = &own, cells, fillings[i]
		a.variable = own.Object.Kind == pathexpr.Global
		if a.change = c.changer(a, fillings); a.change != nil {
			return a
		}
	}
	return nil
}

// reloads reports whether a function, or one by which it comes to a write, loads a cell before.
func (c *checker) reloads(f *effects.Func, w *effects.Effect, cells []cell) bool {
	for e := w; e != nil && e.At != nil; e = e.Of {
		g := c.p.Of(e.At.Parent())
		if g != nil && slices.ContainsFunc(g.OfKind(effects.Fill), func(l *effects.Effect) bool {
			return effects.Reaches(l, e) && overlap(c.cells(l.Target), cells) && slices.ContainsFunc(l.From, func(s memory.Source) bool { return s.File() != nil })
		}) {
			return true
		}
	}
	return false
}

// sharedFile reports whether every instance of the program has the same name for a file.
func (c *checker) sharedFile(file *pathexpr.Term) bool {
	return inSharedPlace(c.p, file) || slices.ContainsFunc(effects.Alternatives(file), func(t *pathexpr.Term) bool { return t.Abstract() != "" })
}

// savedCells is the memory of the program that a write saves.
func (c *checker) savedCells(w *effects.Effect) []*pathexpr.Term {
	var list []*pathexpr.Term
	for _, s := range w.From {
		if s.Term == nil || s.File() != nil || !memory.IsRooted(s.Term) {
			continue
		}
		switch r := memory.RootOf(s.Term); {
		case r.Kind == pathexpr.Global, r.Type != "" && r.Index < memory.Outer && w.At != nil && isPointer(w.At.Parent(), r.Index):
			list = append(list, s.Term)
		}
	}
	return list
}

// isPointer reports whether a function is given a pointer: what it is given by value, its
// caller may just have made.
func isPointer(fn *ssa.Function, index int) bool {
	if index >= len(fn.Params) {
		return false
	}
	_, ok := fn.Params[index].Type().Underlying().(*types.Pointer)
	return ok
}

// overlap reports whether one of some cells is one of others, or a part of one.
func overlap(a, b []cell) bool {
	return slices.ContainsFunc(a, func(x cell) bool { return slices.ContainsFunc(b, x.of) })
}

// fromThere reports whether a cell is loaded from the file to which it is saved: by the path,
// or, where an object names its file itself, because a caller names it for the load.
func (c *checker) fromThere(fl filling, file, saved *pathexpr.Term) bool {
	return slices.ContainsFunc(fl.files, func(from *pathexpr.Term) bool {
		for _, alt := range effects.Alternatives(file) {
			if memory.SameFile(from, alt) || abstractly(from, alt) {
				return true
			}
		}
		root := memory.RootOf(saved)
		return from.Kind == pathexpr.Param && file.Any(func(t *pathexpr.Term) bool {
			return t.Kind == pathexpr.Field && t.Args[0].Equal(root)
		})
	})
}

// changer is an instruction by which another function than those that load a cell changes it.
func (c *checker) changer(a *aging, fillings []filling) ssa.Instruction {
	for _, f := range c.p.Funcs {
		if slices.ContainsFunc(fillings, func(fl filling) bool { return fl.f == f && overlap(fl.cells, a.cells) }) {
			continue
		}
		if i := c.changesCell(f, a.cells); i != nil {
			return i
		}
	}
	return nil
}

// changesCell is an instruction by which a function itself assigns to a cell of an object that
// it has not made, nil for none.
func (c *checker) changesCell(f *effects.Func, cells []cell) ssa.Instruction {
	for i := range flow.Instrs(f.SSA) {
		at := changed(i)
		if at == nil {
			continue
		}
		if m := c.p.Memory(at); m != nil && memory.IsRooted(m) && (m.Kind == pathexpr.Field || m.Kind == pathexpr.Global) && overlap(c.cells(m), cells) {
			return i
		}
	}
	return nil
}

// excused reports whether a rule speaks against an aging.
func (a *aging) excused(c *checker, says listener) bool {
	at, f := a.last.Here().Pos(), a.f
	if lexicon.CallersLock(f.SSA.Name()) && says(lockedName, at, "its name says that callers have the lock") ||
		begins(f) && says(beginning, at, "it is named for making what it saves") {
		return true
	}
	if l := cycles.Spanning(c.p.Package, f, effects.Lock, a.last, a.last, a.file); l != nil && says(otherLock, l.Pos, "a lock is held at the save") {
		return true
	}
	if g := a.loaded.f; g != nil && c.lockedAbove(g) && says(callersHold, g.SSA.Pos(), "a lock is held where "+g.Name()+" loads it, and as long as the program runs") {
		return true
	}
	return c.below[f] && says(oneCause, at, "a function that saves by this one is reported") ||
		c.lockedAbove(f) && says(callersHold, f.SSA.Pos(), "a lock is held where it is called")
}

// judgeAged is the finding of an aging, nil where the file holds no state.
func (c *checker) judgeAged(a *aging, k *verdict.Candidate) *finding.Finding {
	pos := a.last.Here().Pos()
	if c.x.Generated(pos) && k.Says(generated, pos, "the source is generated") ||
		pathexpr.Chosen(a.file) && k.Says(chosen, pos, "the user names the file") ||
		forWho(a.file) && k.Says(whoIsThere, pos, "its name says that it is a lock, a pid file or a heartbeat") ||
		cycles.IsCache(a.file) && k.Says(cache, pos, "it is named as a cache") {
		return nil
	}
	v, ev := c.x.Judge(k, a.f, a.write, a.file, evidence.Manner{Published: a.renamed, Updated: true})
	if !v.State {
		return nil
	}
	at := a.last.Here()
	f := &finding.Finding{
		Check: Name, Variant: "stale", Pos: at.Pos(), End: at.End(), Func: a.f.Name(), Evidence: ev,
		NoFix: "the function has to load it again, and knows best where",
	}
	c.x.Weigh(k, f, v.Proven, a.f, a.write, a.file, true)
	what, loader := a.cells[0].name(), a.loaded.f.Name()
	f.Sentence = fmt.Sprintf("%s saves %s as %s has loaded it, with the changes of this instance of the program alone: what another has saved since is lost", f.Func, what, loader)
	f.Schedule = []finding.Step{
		{Actor: "process A", Pos: a.loaded.load.Pos, Does: "loads " + what + ", and stays open", Memory: "what the file held then"},
		{Actor: "process B", Pos: at.Pos(), Does: "has loaded the same, and saves it with its change", File: "the change of B"},
		{Actor: "process A", Pos: a.change.Pos(), Does: "changes " + what + " in its memory"},
		{Actor: "process A", Pos: at.Pos(), Does: "saves that", File: "the change of A, and not that of B"},
	}
	return f
}

// name is how a message calls a cell.
func (c cell) name() string {
	switch short := pathexpr.ShortName(c.typ); {
	case c.typ == "":
		return pathexpr.ShortName(c.field)
	case c.field == "":
		return "the " + short
	default:
		return short + "." + c.field
	}
}
