package earlyrelease

import (
	"cmp"
	"fmt"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/lexicon"
	"github.com/lockvet/lockvet/internal/locks"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/verdict"
)

// A misorder is a deferred call that saves something, and an unlock that is
// deferred later and so comes first.
type misorder struct {
	f         *effects.Func
	save, let *ssa.Defer
}

// saved reports the deferred calls that change what a lock guards, and save it,
// after the deferred unlock. Which locks are held is worked out only where a
// package has such an order.
func (c *checker) saved() {
	var list []misorder
	for _, f := range c.p.Funcs {
		list = append(list, c.misorders(f)...)
	}
	if len(list) == 0 {
		return
	}
	held := locks.Of(c.p)
	for _, m := range list {
		for _, lf := range held.Funcs {
			if lf.SSA == m.f.SSA {
				c.judgeSave(m, lf, held)
			}
		}
	}
}

// misorders are those of one function.
func (c *checker) misorders(f *effects.Func) []misorder {
	var saves, lets []*ssa.Defer
	for _, b := range f.SSA.Blocks {
		for _, i := range b.Instrs {
			d, ok := i.(*ssa.Defer)
			switch {
			case !ok:
			case unlocks(&d.Call):
				lets = append(lets, d)
			case c.saves(c.p.Body(&d.Call)):
				saves = append(saves, d)
			}
		}
	}
	var list []misorder
	for _, s := range saves {
		for _, l := range lets {
			if s.Block().Dominates(l.Block()) && (s.Block() != l.Block() || s.Pos() < l.Pos()) {
				list = append(list, misorder{f, s, l})
				break
			}
		}
	}
	return list
}

// unlocks reports whether a call releases a mutex.
func unlocks(call *ssa.CallCommon) bool {
	if call.IsInvoke() {
		return call.Method.Name() == "Unlock" && known.IsMutex(call.Value.Type())
	}
	fn := call.StaticCallee()
	return fn != nil && fn.Name() == "Unlock" && fn.Signature.Recv() != nil && known.IsMutex(fn.Signature.Recv().Type())
}

// saves reports whether a function, or one that it leads to, calls one that is named as
// saving something.
func (c *checker) saves(fn *ssa.Function) bool {
	if fn == nil {
		return false
	}
	return flow.Any(c.p.Flow.Budget, callsSaver, func(fn *ssa.Function) []*ssa.Function {
		var list []*ssa.Function
		for i := range flow.Instrs(fn) {
			if call, ok := i.(ssa.CallInstruction); ok {
				if body := c.p.Body(call.Common()); body != nil {
					list = append(list, body)
				}
			}
		}
		return list
	}, fn)
}

// callsSaver reports whether a function itself calls one that is named as saving
// something.
func callsSaver(fn *ssa.Function) bool {
	for i := range flow.Instrs(fn) {
		call, ok := i.(ssa.CallInstruction)
		if !ok {
			continue
		}
		name := ""
		if call.Common().IsInvoke() {
			name = call.Common().Method.Name()
		} else if callee := call.Common().StaticCallee(); callee != nil {
			name = callee.Name()
		}
		if lexicon.Saves(name) {
			return true
		}
	}
	return false
}

// judgeSave looks for a change by the deferred call of what its function, and
// others, hold the lock for. Whatever is known of the lock then, the unlock has
// run.
func (c *checker) judgeSave(m misorder, lf *locks.Func, held *locks.Package) {
	for _, acc := range held.At(lf, m.save) {
		if !acc.Write {
			continue
		}
		for _, ev := range lf.Events {
			lock, mode := ev.Lock, acc.Held[ev.Lock]
			if ev.Mode != locks.Writing || mode == locks.Writing || mode == locks.Reading || !stands(lock, acc.Place) || !isField(m.let, lock) {
				continue
			}
			var why []verdict.Reason
			if ofAnother(held, lock, acc.Place) && c.stops(&why, ofObject, acc.Pos, "it is in an object with a lock of its own") {
				continue
			}
			if users := usersUnder(held, lf, lock, acc.Place); len(users) > 0 {
				if c.addSave(m, acc, lock, users, why); len(why) == 0 {
					return
				}
			}
		}
	}
}

// isField reports whether a deferred call releases the lock in the field at the
// end of a place.
func isField(let *ssa.Defer, lock locks.Ref) bool {
	v := let.Call.Value
	if !let.Call.IsInvoke() {
		v = let.Call.Args[0]
	}
	if load, ok := v.(*ssa.UnOp); ok {
		v = load.X
	}
	field, ok := v.(*ssa.FieldAddr)
	if !ok {
		return false
	}
	st, ok := known.Pointee(field.X.Type()).Underlying().(*types.Struct)
	_, last, _ := cutLast(lock.Path)
	return ok && st.Field(field.Field).Name() == last
}

// stands reports whether a lock is a field of the object that holds the place.
func stands(lock, place locks.Ref) bool {
	object, _, nested := cutLast(lock.Path)
	return lock.Path != "" && place != lock && place.Within(locks.Ref{Root: lock.Root, Path: object}) && (nested || place.Path != "")
}

// ofAnother reports whether the place is in another object, which is reached from the one
// that has the lock and has one of its own.
func ofAnother(held *locks.Package, lock, place locks.Ref) bool {
	object, _, _ := cutLast(lock.Path)
	at := locks.Ref{Root: place.Root, Path: place.Path}
	for at.Path, _, _ = cutLast(at.Path); len(at.Path) > len(object); at.Path, _, _ = cutLast(at.Path) {
		if t := held.TypeOf(at); t != nil && len(held.LockFields(t)) > 0 {
			return true
		}
	}
	return false
}

func cutLast(path string) (before, last string, nested bool) {
	i := strings.LastIndexByte(path, '.')
	return path[:max(i, 0)], path[i+1:], i >= 0
}

// A user is a function that uses something under a lock, and where.
type user struct {
	fn *ssa.Function
	at token.Pos
}

// usersUnder are the other functions that use the same field, or what it holds,
// under the lock.
func usersUnder(held *locks.Package, own *locks.Func, lock, place locks.Ref) []user {
	object, _, _ := cutLast(lock.Path)
	field := strings.TrimPrefix(strings.TrimPrefix(place.Path, object), ".")
	field, _, _ = strings.Cut(field, ".")
	var list []user
	seen := map[*ssa.Function]bool{own.SSA: true}
	its := locks.Ref{Path: lock.Path}
	guarded := locks.Ref{Path: strings.TrimPrefix(object+"."+field, ".")}
	for _, lf := range held.Funcs {
		for _, acc := range lf.Accesses {
			its.Root, guarded.Root = acc.Place.Root, acc.Place.Root
			if !acc.Place.Within(guarded) || !types.Identical(acc.Place.Root.Type(), place.Root.Type()) {
				continue
			}
			for w := range held.Ways(acc, its, nil) {
				if fn := w.Func.SSA; w.Mode() == locks.Writing && !w.Deferred() && fn.Parent() == nil && !seen[fn] {
					seen[fn] = true
					list = append(list, user{fn, cmp.Or(w.Instr.Pos(), acc.Pos)})
				}
			}
		}
	}
	return list
}

func (c *checker) addSave(m misorder, acc *locks.Access, lock locks.Ref, users []user, why []verdict.Reason) {
	fd := &finding.Finding{
		Check: Name, Variant: "defers", Pos: m.save.Pos(), End: m.save.Pos() + token.Pos(len("defer")), Func: m.f.Name(),
		NoFix: "what the two deferred calls need of each other has to be read first",
		Claim: "is guarded by the lock",
	}
	place := acc.Place.String()
	fd.Sentence = fmt.Sprintf("%s changes %s and saves it in a deferred call that runs after the deferred unlock of %s: "+
		"who takes the lock in between works on what is changed under its hands", fd.Func, place, lock)
	for _, u := range users[:min(len(users), 3)] {
		fd.Evidence = append(fd.Evidence, finding.Evidence{Pos: u.at, Text: memory.FuncName(u.fn) + " uses it under the lock"})
	}
	fd.Schedule = []finding.Step{
		{Actor: "goroutine A", Pos: m.let.Pos(), Does: "releases the lock, as the last deferred call comes first"},
		{Actor: "goroutine B", Pos: users[0].at, Does: "takes the lock and works on the object", Memory: "what B has half done"},
		{Actor: "goroutine A", Pos: acc.Pos, Does: "changes " + place + " without the lock, and saves what B has half done", File: "what B has half done"},
	}
	by := verdict.Reason{Rule: usedUnder, Pos: users[0].at, Text: memory.FuncName(users[0].fn) + " uses it under the lock"}
	c.add(&candidate{finding: fd, rank: 1, by: []verdict.Reason{by}, why: why})
}
