package locks

import (
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
	paired := map[*types.Var]bool{}
	for _, fn := range s.all() {
		s.pair(fn, paired)
	}
	maps.DeleteFunc(s.tokens, func(v *types.Var, _ token.Token) bool { return !paired[v] })
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
	return s.fresh(s.ref(i.Chan).Root) ||
		fn.Parent() == nil && (fn.Name() == "init" || strings.HasPrefix(fn.Name(), "init#"))
}

// pair notes the channels that a function takes and gives back after that, itself or by what it
// calls. One that is filled if there is room, and forgotten if there is none, is a signal, and so is
// one that one function fills and another drains.
func (s *Package) pair(fn *ssa.Function, paired map[*types.Var]bool) {
	taken := map[*types.Var][]*ssa.BasicBlock{}
	for i := range flow.Instrs(fn) {
		for _, h := range s.moves(i) {
			if s.tokens[h.v] == h.dir {
				taken[h.v] = append(taken[h.v], i.Block())
			}
		}
	}
	for i := range flow.Instrs(fn) {
		atEnd := false
		switch i.(type) {
		case *ssa.Defer, *ssa.MakeClosure: // whenever it runs
			atEnd = true
		}
		for _, h := range s.moves(i) {
			before := func(b *ssa.BasicBlock) bool { return atEnd || b.Dominates(i.Block()) }
			if s.tokens[h.v] != h.dir && slices.ContainsFunc(taken[h.v], before) {
				paired[h.v] = true
			}
		}
	}
}

// moves are the sends and waits of an instruction, or of the function that it runs.
func (s *Package) moves(i ssa.Instruction) []half {
	list := s.halves(i)
	if callee := s.runs(i); callee != nil {
		for i := range flow.Instrs(callee) {
			list = append(list, s.halves(i)...)
		}
	}
	return list
}

// runs is the function of the package that an instruction calls or makes, but
// for goroutines; nil for none.
func (s *Package) runs(i ssa.Instruction) *ssa.Function {
	switch i := i.(type) {
	case *ssa.Call:
		return s.effects.Body(&i.Call)
	case *ssa.Defer:
		return s.effects.Body(&i.Call)
	case *ssa.MakeClosure:
		if !slices.ContainsFunc(flow.Uses(i), func(r ssa.Instruction) bool { _, spawned := r.(*ssa.Go); return spawned }) {
			return i.Fn.(*ssa.Function)
		}
	}
	return nil
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
