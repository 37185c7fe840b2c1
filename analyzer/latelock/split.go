package latelock

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/lexicon"
	"github.com/lockvet/lockvet/internal/locks"
	"github.com/lockvet/lockvet/internal/memory"
)

// A look is where a function asks whether something is there: an entry of a map or of
// another container, or a field.
type look struct {
	*locks.Access
	value ssa.Value // that says so
	key   ssa.Value // nil for a field
}

// A change is what a function does because it found nothing.
type entry struct {
	key   ssa.Value // nil for a field
	value ssa.Value // nil where it cannot be told
}

// lookAt is the look that an access is; false for another.
func lookAt(acc *locks.Access) (look, bool) {
	if acc.Of != nil || acc.Write {
		return look{}, false
	}
	switch i := acc.Instr.(type) {
	case *ssa.Lookup:
		return look{acc, i, i.Index}, true
	case *ssa.UnOp:
		return look{acc, i, nil}, true
	case *ssa.Call:
		if len(i.Call.Args) > 1 {
			return look{acc, i, i.Call.Args[1]}, true
		}
	}
	return look{}, false
}

// entryAt is what an access enters; false for one that changes anything else.
func entryAt(acc *locks.Access) (entry, bool) {
	if acc.Of != nil || !acc.Write {
		return entry{}, false
	}
	switch i := acc.Instr.(type) {
	case *ssa.MapUpdate:
		return entry{i.Key, i.Value}, true
	case *ssa.Store:
		switch i.Addr.(type) {
		case *ssa.FieldAddr, *ssa.Global:
			return entry{nil, i.Val}, true
		}
	case *ssa.Call:
		if changes, ok := container(i); ok && changes && len(i.Call.Args) > 2 {
			return entry{i.Call.Args[1], i.Call.Args[2]}, true
		}
	}
	return entry{}, false
}

// container is what a call does to a container.
func container(c *ssa.Call) (changes, ok bool) {
	callee := c.Call.StaticCallee()
	if callee == nil {
		return false, false
	}
	fn, ok := callee.Object().(*types.Func)
	if !ok {
		return false, false
	}
	return known.Container(fn)
}

// unchecked is the look that made a change enter what it found missing, although the lock
// was not held since then; nil where there is none. Where the place is looked at again before
// the change, that is again, and the look is one for those who want to know of it.
func (c *checker) unchecked(u *use) (first *look, again *locks.Access) {
	made, ok := entryAt(u.Access)
	if !ok || u.mode != locks.Writing || made.key == nil && !c.begins(u, made.value) || u.says == onlyMade {
		return nil, nil
	}
	for _, acc := range u.f.Accesses {
		if acc.Place != u.Place {
			continue
		}
		l, ok := lookAt(acc)
		if !ok || !c.sameKey(u.f, l, made.key) || !c.decides(u.f, l, u.Instr.Block()) || c.isolated(u, l) == nil || !c.isLost(u, l, made) {
			continue
		}
		if c.log.Asks(claimedKey) && (c.claims(u.f, l) || c.reserves(u, made.key)) {
			continue
		}
		second := looksAgain(u, l)
		if second == nil || !c.log.Asks(looksOnceMore) {
			return &l, nil
		}
		if c.log.Keeps() && first == nil {
			first, again = &l, second
		}
	}
	return first, again
}

// isolated is where the lock is taken for a change that is not held since the look, nil
// where it is.
func (c *checker) isolated(u *use, l look) *locks.Event {
	switch l.Held[u.lock] {
	case locks.Reading, locks.Writing:
		return apart(u.f, u.lock, l.Instr, u.Instr)
	case locks.Mixed:
		return nil
	}
	for _, take := range u.f.EventsOf(u.lock) {
		if take.Mode == locks.Writing && u.f.Flow().Dominates(l.Instr, take.Instr) && u.f.Flow().Dominates(take.Instr, u.Instr) {
			return take
		}
	}
	return nil
}

// isLost reports whether something is lost where two callers enter: a new object, of which
// there must be one only, a flag that says that something has begun, or the promise that an
// entry which is there is an error.
func (c *checker) isLost(u *use, l look, made entry) bool {
	if made.value == nil {
		return refuses(l, u.Instr.Block())
	}
	return made.key == nil || c.fresh(u.f, made.value) || c.carried(u.f, made.value) != nil || refuses(l, u.Instr.Block())
}

// sameKey reports whether a look and an entry have one key: the same value, or what a place
// holds that the function does not change in between.
func (c *checker) sameKey(f *locks.Func, l look, key ssa.Value) bool {
	if l.key == key {
		return true
	}
	a, ok := l.key.(*ssa.UnOp)
	b, isLoad := key.(*ssa.UnOp)
	if !ok || !isLoad || a.Op != token.MUL || b.Op != token.MUL {
		return false
	}
	at := c.locks.Place(a.X)
	return at == c.locks.Place(b.X) && !slices.ContainsFunc(c.storesAt(f, at), func(i ssa.Instruction) bool {
		return f.Flow().Reaches(l.Instr, i) && f.Flow().Reaches(i, b)
	})
}

// setsUp reports whether each call of a function is made with an object that its caller has just
// made: nobody else has it.
func (c *checker) setsUp(u *use) bool {
	par, ok := u.Place.Root.(*ssa.Parameter)
	if !ok || par.Parent() != u.f.SSA || c.locks.Entered(u.f.SSA) {
		return false
	}
	n := slices.Index(u.f.SSA.Params, par)
	return !slices.ContainsFunc(c.p.Callers().Sites(u.f.SSA), func(site ssa.CallInstruction) bool {
		args := site.Common().Args
		return n >= len(args) || !c.locks.Made(c.locks.Place(args[n]).Root)
	})
}

// claims reports whether the function has the key for itself before it looks: it has entered
// that into a map where the first who comes enters, and the others find it.
func (c *checker) claims(f *locks.Func, l look) bool {
	if l.key == nil {
		return false
	}
	at := c.locks.Place(l.key)
	for i := range flow.Instrs(f.SSA) {
		call, ok := i.(*ssa.Call)
		if !ok || call.Call.StaticCallee() == nil || call.Call.StaticCallee().Name() != "LoadOrStore" || !f.Flow().Dominates(call, l.Instr) {
			continue
		}
		if slices.ContainsFunc(call.Call.Args, func(v ssa.Value) bool { return c.locks.Place(v) == at }) {
			return true
		}
	}
	return false
}

// reserves reports whether the function has entered something under the key when it found none,
// and had the lock all the time: others find that, and the change replaces it.
func (c *checker) reserves(u *use, key ssa.Value) bool {
	in := func(acc *locks.Access) bool { return acc.Place == u.Place }
	return slices.ContainsFunc(u.f.Accesses, func(acc *locks.Access) bool {
		made, ok := acc.Instr.(*ssa.MapUpdate)
		return ok && in(acc) && made != u.Instr && u.f.Flow().Dominates(made, u.Instr) && slices.ContainsFunc(u.f.Accesses, func(acc *locks.Access) bool {
			l, ok := lookAt(acc)
			return ok && in(acc) && c.sameKey(u.f, l, key) && c.sameKey(u.f, l, made.Key) && u.f.Flow().Dominates(l.Instr, made) && apart(u.f, u.lock, l.Instr, made) == nil
		})
	})
}

// storesAt are the stores of a function to a place, or to a part of it.
func (c *checker) storesAt(f *locks.Func, at locks.Ref) []ssa.Instruction {
	var list []ssa.Instruction
	for i := range flow.Instrs(f.SSA) {
		if st, ok := i.(*ssa.Store); ok && (c.locks.Place(st.Addr).Within(at) || at.Within(c.locks.Place(st.Addr))) {
			list = append(list, i)
		}
	}
	return list
}

// carried is a new object that a field of a struct holds, where the struct is made in a
// variable and v is its value; nil for none.
func (c *checker) carried(f *locks.Func, v ssa.Value) ssa.Value {
	load, ok := v.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return nil
	}
	cell, ok := load.X.(*ssa.Alloc)
	if !ok {
		return nil
	}
	for _, i := range flow.Uses(cell) {
		field, ok := i.(*ssa.FieldAddr)
		if !ok {
			continue
		}
		for _, st := range flow.StoresAt(field) {
			if _, pointer := st.Val.Type().Underlying().(*types.Pointer); pointer && c.fresh(f, st.Val) {
				return st.Val
			}
		}
	}
	return nil
}

// isState reports whether what a use enters can come to hold more than it was made of: a
// flag, a map that others enter something into, a channel, or a struct that has one of these,
// a lock, or methods that can change it. What two callers enter is the same otherwise.
func (c *checker) isState(u *use, g *guard) bool {
	made := entryOf(u)
	if inside := c.carried(u.f, made); inside != nil {
		made = inside
	}
	switch made.(type) {
	case nil:
		return true
	case *ssa.MakeMap:
		return slices.ContainsFunc(g.others(g.held, u), func(o *use) bool {
			acc := o.Access
			for acc.Of != nil {
				acc = acc.Of
			}
			_, enters := acc.Instr.(*ssa.MapUpdate)
			return enters && outermost(acc.In) != outermost(u.In)
		})
	}
	ptr, ok := made.Type().Underlying().(*types.Pointer)
	if !ok {
		return true
	}
	if types.NewMethodSet(ptr).Len() > types.NewMethodSet(ptr.Elem()).Len() {
		return true
	}
	st, ok := ptr.Elem().Underlying().(*types.Struct)
	if !ok {
		return true
	}
	for v := range st.Fields() {
		switch v.Type().Underlying().(type) {
		case *types.Map, *types.Chan:
			return true
		}
		if known.IsLock(v.Type()) {
			return true
		}
	}
	return false
}

// begins reports whether a field is set to a new object, or is a flag which an exported
// function sets: what stands in the middle of something has been looked at before.
func (c *checker) begins(u *use, v ssa.Value) bool {
	k, ok := v.(*ssa.Const)
	if !ok {
		return c.fresh(u.f, v)
	}
	return k.Value != nil && k.Value.Kind() == constant.Bool && constant.BoolVal(k.Value) && u.f.SSA.Object() != nil && u.f.SSA.Object().Exported()
}

// refuses reports whether a function returns an error where the look finds something.
func refuses(l look, b *ssa.BasicBlock) bool {
	return slices.ContainsFunc(flow.Conditions(b), func(c flow.Condition) bool {
		missing, known := absent(c.Value, l)
		if !known || missing != c.Holds {
			return false
		}
		return slices.ContainsFunc(flow.Uses(c.Value), func(i ssa.Instruction) bool {
			branch, ok := i.(*ssa.If)
			if !ok {
				return false
			}
			found, other := flow.Arms(branch)
			if c.Holds {
				found = other
			}
			ret := flow.ReturnOf(found)
			return ret != nil && failing(ret)
		})
	})
}

// failing reports whether a return gives an error.
func failing(ret *ssa.Return) bool {
	if len(ret.Results) == 0 {
		return false
	}
	last := memory.Result(ret, len(ret.Results)-1)
	k, isConst := last.(*ssa.Const)
	return memory.IsErrorType(last.Type()) && !(isConst && k.IsNil())
}

// fresh reports whether a value is a new object, of which there must be one only.
func (c *checker) fresh(f *locks.Func, v ssa.Value) bool {
	for _, v := range locks.Origins(f.Flow().Budget, v) {
		switch v := v.(type) {
		case *ssa.MakeMap, *ssa.MakeChan:
			continue
		case *ssa.Alloc:
			if _, isStruct := v.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct); isStruct {
				continue
			}
		case *ssa.Call, *ssa.Extract:
			if _, pointer := v.Type().Underlying().(*types.Pointer); pointer && (c.locks.Made(v) || c.makes(v)) {
				continue
			}
		}
		return false
	}
	return true
}

// makes reports whether a value comes of a function that cannot be seen, and makes something by
// its name.
func (c *checker) makes(v ssa.Value) bool {
	call, ok := result(v).(*ssa.Call)
	if !ok || !c.log.Asks(namedMaker) || c.p.Body(&call.Call) != nil {
		return false
	}
	callee := call.Call.StaticCallee()
	return callee != nil && lexicon.Constructs.Begins(callee.Name())
}

// apart is where the lock is taken again that is released between a and b, nil
// for nowhere.
func apart(f *locks.Func, lock locks.Ref, a, b ssa.Instruction) *locks.Event {
	for _, free := range f.EventsOf(lock) {
		if free.Mode != locks.Free || !f.Flow().Dominates(a, free.Instr) {
			continue
		}
		for _, take := range f.EventsOf(lock) {
			if take.Mode == locks.Writing && f.Flow().Dominates(free.Instr, take.Instr) && f.Flow().Dominates(take.Instr, b) {
				return take
			}
		}
	}
	return nil
}

// decides reports whether control comes to a block because the look found nothing, or because
// a variable is nil that would hold what it found.
func (c *checker) decides(f *locks.Func, l look, b *ssa.BasicBlock) bool {
	return slices.ContainsFunc(flow.Conditions(b), func(cond flow.Condition) bool {
		missing, known := absent(cond.Value, l)
		return known && missing == cond.Holds || c.isUnfound(f, cond, l)
	})
}

// isUnfound reports whether a condition says that a variable is nil which is nil at first, and
// is otherwise what the look found, or a part of that.
func (c *checker) isUnfound(f *locks.Func, cond flow.Condition, l look) bool {
	b, ok := cond.Value.(*ssa.BinOp)
	if !ok || b.Op != token.EQL && b.Op != token.NEQ || (b.Op == token.EQL) != cond.Holds {
		return false
	}
	k, ok := b.Y.(*ssa.Const)
	phi, isPhi := b.X.(*ssa.Phi)
	if !ok || !k.IsNil() || !isPhi || l.key == nil {
		return false
	}
	from := func(v ssa.Value) []ssa.Value {
		list := flow.OperandsOf(v)
		if a, ok := v.(*ssa.Alloc); ok {
			for _, st := range flow.StoresAt(a) {
				list = append(list, st.Val)
			}
		}
		return list
	}
	found := func(v ssa.Value) bool { return v == l.value }
	some := false
	return !slices.ContainsFunc(flow.Edges(f.Flow().Budget, phi), func(v ssa.Value) bool {
		if k, ok := v.(*ssa.Const); ok && k.IsNil() {
			return false
		}
		some = true
		return !flow.Any(f.Flow().Budget, found, from, v)
	}) && some
}

// absent reports whether a condition that holds says that the look found
// nothing, or that it found something.
func absent(cond ssa.Value, l look) (missing, known bool) {
	if cond == l.value && memory.IsBool(cond.Type()) {
		return false, true
	}
	switch c := cond.(type) {
	case *ssa.UnOp:
		if c.Op == token.NOT {
			missing, known = absent(c.X, l)
			return !missing, known
		}
	case *ssa.Extract:
		return false, c.Tuple == l.value && memory.IsBool(c.Type())
	case *ssa.BinOp:
		k, ok := c.Y.(*ssa.Const)
		if ok && k.IsNil() && result(c.X) == l.value {
			return c.Op == token.EQL, c.Op == token.EQL || c.Op == token.NEQ
		}
	}
	return false, false
}

func result(v ssa.Value) ssa.Value {
	if x, ok := v.(*ssa.Extract); ok {
		return x.Tuple
	}
	return v
}

// looksAgain is where the place is looked at under the lock that the change has, nil for
// nowhere.
func looksAgain(u *use, first look) *locks.Access {
	for _, acc := range u.f.Accesses {
		switch acc.Instr.(type) {
		case *ssa.UnOp:
			if first.key != nil { // it loads the map that is changed
				continue
			}
		case *ssa.Lookup, *ssa.Call:
		default:
			continue
		}
		if m := acc.Held[u.lock]; acc.Place == u.Place && (m == locks.Writing || m == locks.Reading) && acc.Instr != first.Instr && acc.Instr != u.Instr && u.f.Flow().Dominates(acc.Instr, u.Instr) && apart(u.f, u.lock, acc.Instr, u.Instr) == nil && u.f.Flow().Dominates(first.Instr, acc.Instr) {
			return acc
		}
	}
	return nil
}

// escaped is where the function changes, behind the lock, an element of a slice
// that it took the address of under the lock. When the slice grows meanwhile,
// the element that is changed is no longer one of it.
func escaped(u *use) *locks.Access {
	load, ok := u.Instr.(*ssa.UnOp)
	if !ok || u.Of != nil || u.mode == locks.Unknown || u.mode == locks.Free {
		return nil
	}
	for _, ref := range flow.Uses(load) {
		elem, ok := ref.(*ssa.IndexAddr)
		if !ok || elem.X != ssa.Value(load) || !isStructElem(elem) {
			continue
		}
		for _, root := range reached(u.f, elem) {
			for _, acc := range u.f.Accesses {
				if acc.Write && (acc.Place.Root == root || storesInto(acc.Instr, root)) && leftBehind(u, elem, acc.Instr) {
					return acc
				}
			}
		}
	}
	return nil
}

// storesInto reports whether an instruction stores into a struct at an address.
func storesInto(i ssa.Instruction, addr ssa.Value) bool {
	st, ok := i.(*ssa.Store)
	if !ok {
		return false
	}
	for v := st.Addr; ; {
		if v == addr {
			return true
		}
		field, ok := v.(*ssa.FieldAddr)
		if !ok {
			return false
		}
		v = field.X
	}
}

func isStructElem(elem *ssa.IndexAddr) bool {
	_, ok := elem.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct)
	return ok
}

// leftBehind reports whether the lock under which the element was found is let
// go of before the change.
func leftBehind(u *use, elem *ssa.IndexAddr, change ssa.Instruction) bool {
	for _, ev := range u.f.EventsOf(u.lock) {
		if ev.Mode == locks.Free && u.f.Flow().Dominates(ev.Instr, change) && reachable(u.f, elem.Block(), ev.Instr.Block()) {
			return true
		}
	}
	return false
}

// reached lists the values of the function that the address may become: itself,
// and what is taken out of the local slices that it is put into.
func reached(f *locks.Func, elem *ssa.IndexAddr) []ssa.Value {
	return flow.Reach(f.Flow().Budget, func(v ssa.Value) []ssa.Value {
		var list []ssa.Value
		for _, ref := range flow.Uses(v) {
			if next := becomes(v, ref, elem); next != nil {
				list = append(list, next)
			}
		}
		return list
	}, ssa.Value(elem))
}

// becomes is what an instruction makes of the address of an element, or of a slice that it
// is in; nil where that is neither.
func becomes(v ssa.Value, ref ssa.Instruction, elem *ssa.IndexAddr) ssa.Value {
	switch r := ref.(type) {
	case *ssa.Phi:
		return r
	case *ssa.Slice:
		return r
	case *ssa.IndexAddr:
		if r.X == v {
			return r
		}
	case *ssa.UnOp:
		if r.Op == token.MUL && r.X == v && v != ssa.Value(elem) {
			return r
		}
	case *ssa.Store:
		if ia, ok := r.Addr.(*ssa.IndexAddr); ok && r.Val == v {
			return ia.X
		}
	case *ssa.Call:
		if b, ok := r.Call.Value.(*ssa.Builtin); ok && b.Name() == "append" {
			return r
		}
	}
	return nil
}
