package locks

import (
	"cmp"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/known"
)

// indexTokens finds the channels that are mutexes: made with room for one, and
// taken and given back by one function. A channel that a constructor fills is
// taken by receiving from it.
func (s *Package) indexTokens() {
	made, wide, filled := map[*types.Var]bool{}, map[*types.Var]bool{}, map[*types.Var]bool{}
	for _, fn := range s.all() {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				switch i := i.(type) {
				case *ssa.Store:
					v := varOf(i.Addr)
					if mc, ok := i.Val.(*ssa.MakeChan); ok && v != nil && known.IsLock(mc.Type()) {
						made[v] = true
						wide[v] = wide[v] || !isOne(mc.Size)
					}
				case *ssa.Send:
					if v := varOf(i.Chan); v != nil && s.filling(i) {
						filled[v] = true
					}
				}
			}
		}
	}
	for v := range made {
		if wide[v] {
			continue
		}
		s.tokens[v] = token.MUL // a send takes it
		if filled[v] {
			s.tokens[v] = token.ARROW
		}
	}
	paired := s.pairs()
	for v := range s.tokens {
		if !paired[v] {
			delete(s.tokens, v)
		}
	}
}

// all are the functions of the package and the initialisation of its variables.
func (s *Package) all() []*ssa.Function {
	var list []*ssa.Function
	for _, f := range s.effects.All() {
		list = append(list, f.SSA)
	}
	if len(list) > 0 && list[0].Pkg != nil {
		if init := list[0].Pkg.Func("init"); init != nil {
			list = append(list, init)
		}
	}
	return list
}

func isOne(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.Value != nil && c.Value.String() == "1"
}

// filling reports whether a send is part of making the channel: nobody else can
// know it yet.
func (s *Package) filling(i *ssa.Send) bool {
	fn := i.Parent()
	return s.fresh(s.ref(i.Chan).Root) || fn.Parent() == nil && (fn.Name() == "init" || strings.HasPrefix(fn.Name(), "init#"))
}

func (h half) compare(o half) int {
	return cmp.Or(cmp.Compare(h.v.Pos(), o.v.Pos()), cmp.Compare(h.dir, o.dir))
}

// pairs finds the channels that some function takes and later gives back, itself
// or through helpers. One that is filled if there is room, and forgotten if there
// is none, is a signal, and so is one that one function fills and another drains.
func (s *Package) pairs() map[*types.Var]bool {
	paired := map[*types.Var]bool{}
	for _, fn := range s.all() {
		s.pair(fn, paired)
	}
	return paired
}

// pair notes the channels that a function takes before it gives them back.
func (s *Package) pair(fn *ssa.Function, paired map[*types.Var]bool) {
	taken := map[*types.Var]*ssa.BasicBlock{}
	take := func(v *types.Var, b *ssa.BasicBlock) {
		if taken[v] == nil {
			taken[v] = b
		}
	}
	given := map[*types.Var]bool{}
	for _, b := range fn.DomPreorder() {
		for _, i := range b.Instrs {
			if v, room := s.tried(i); v != nil {
				take(v, room)
			}
			for _, h := range s.moves(i) {
				switch i.(type) {
				case *ssa.Defer, *ssa.MakeClosure:
					given[h.v] = given[h.v] || s.tokens[h.v] != h.dir // whenever it returns
				default:
					given[h.v] = given[h.v] || s.tokens[h.v] != h.dir && taken[h.v] != nil && taken[h.v].Dominates(b)
				}
				if s.tokens[h.v] == h.dir {
					take(h.v, b)
				}
			}
		}
	}
	for v := range taken {
		if given[v] {
			paired[v] = true
		}
	}
}

// onChannels are the sends and waits of a function, and of those that it calls, on
// channels that could be locks.
func (s *Package) onChannels(fn *ssa.Function) map[half]bool {
	all := map[half]bool{}
	for i := range flow.Instrs(fn) {
		for _, h := range s.moves(i) {
			all[h] = true
		}
	}
	return all
}

// moves are the sends and waits of an instruction, and of the functions that it runs. A
// function that does both with a channel says nothing of its callers.
func (s *Package) moves(i ssa.Instruction) []half {
	list := s.halves(i)
	for _, callee := range s.runs(i) {
		inside := s.channels.Ask(callee)
		for _, h := range slices.SortedFunc(maps.Keys(inside), half.compare) {
			if !inside[half{h.v, opposite(h.dir)}] {
				list = append(list, h)
			}
		}
	}
	return list
}

// tried is the channel that a select takes if it has room, and does something
// else if it has none, and the block that comes if it had room; nil for any other
// instruction.
func (s *Package) tried(i ssa.Instruction) (*types.Var, *ssa.BasicBlock) {
	sel, ok := i.(*ssa.Select)
	if !ok || sel.Blocking || len(sel.States) != 1 {
		return nil, nil
	}
	dir := token.ARROW
	if sel.States[0].Dir == types.SendOnly {
		dir = token.MUL
	}
	v := varOf(sel.States[0].Chan)
	if take, ok := s.tokens[v]; !ok || take != dir {
		return nil, nil
	}
	branch := flow.BranchOf(i.Block())
	if branch == nil {
		return nil, nil
	}
	room, _ := flow.Arms(branch)
	if flow.Joined(room) {
		return nil, nil
	}
	return v, room
}

func opposite(dir token.Token) token.Token {
	if dir == token.MUL {
		return token.ARROW
	}
	return token.MUL
}

// runs are the functions of the package that an instruction calls or makes, but
// for goroutines.
func (s *Package) runs(i ssa.Instruction) []*ssa.Function {
	var fn *ssa.Function
	switch i := i.(type) {
	case *ssa.Call:
		fn = s.effects.Body(&i.Call)
	case *ssa.Defer:
		fn = s.effects.Body(&i.Call)
	case *ssa.MakeClosure:
		if !slices.ContainsFunc(flow.Uses(i), func(r ssa.Instruction) bool { _, spawned := r.(*ssa.Go); return spawned }) {
			fn = i.Fn.(*ssa.Function)
		}
	}
	if s.effects.Of(fn) == nil {
		return nil
	}
	return []*ssa.Function{fn}
}

// halves are the sends and waits of an instruction on channels that could be
// locks.
func (s *Package) halves(i ssa.Instruction) []half {
	var list []half
	add := func(ch ssa.Value, dir token.Token) {
		if v := varOf(ch); v != nil {
			if _, ok := s.tokens[v]; ok {
				list = append(list, half{v, dir})
			}
		}
	}
	switch i := i.(type) {
	case *ssa.Send:
		if !s.filling(i) {
			add(i.Chan, token.MUL)
		}
	case *ssa.UnOp:
		if i.Op == token.ARROW {
			add(i.X, token.ARROW)
		}
	case *ssa.Select:
		for _, st := range i.States {
			switch {
			case !i.Blocking:
			case st.Dir == types.SendOnly:
				add(st.Chan, token.MUL)
			default:
				add(st.Chan, token.ARROW)
			}
		}
	}
	return list
}

// token is what sending to (MUL) or receiving from (ARROW) a channel does to the
// lock that it is, nil where it is none.
func (s *Package) token(ch ssa.Value, dir token.Token) *Event {
	take, ok := s.tokens[varOf(ch)]
	if !ok {
		return nil
	}
	mode := Free
	if take == dir {
		mode = Writing
	}
	return &Event{Lock: s.ref(ch), Mode: mode}
}
