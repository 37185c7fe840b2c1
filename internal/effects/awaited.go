package effects

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/memory"
)

// awaited reports whether the function that starts a goroutine waits for what it
// tells on a channel: so a lock is taken that the caller can cease to wait for.
func awaited(g *ssa.Go) bool {
	lit := literal(g.Call.Value)
	if lit == nil {
		return false
	}
	told := map[ssa.Value]bool{}
	for _, b := range lit.Blocks {
		for _, i := range b.Instrs {
			if ch := tells(i); ch != nil {
				told[channelOf(ch, g)] = true
			}
		}
	}
	if len(told) == 0 {
		return false
	}
	for _, b := range g.Parent().Blocks {
		for _, i := range b.Instrs {
			if slices.ContainsFunc(heard(i), func(ch ssa.Value) bool { return told[channelOf(ch, g)] }) {
				return true
			}
		}
	}
	return false
}

// tells is the channel on which an instruction sends, or which it closes, at once or
// in the end.
func tells(i ssa.Instruction) ssa.Value {
	switch i := i.(type) {
	case *ssa.Send:
		return i.Chan
	case ssa.CallInstruction:
		if b, ok := i.Common().Value.(*ssa.Builtin); ok && b.Name() == "close" {
			return i.Common().Args[0]
		}
	}
	return nil
}

// heard are the channels from which an instruction receives.
func heard(i ssa.Instruction) []ssa.Value {
	switch i := i.(type) {
	case *ssa.UnOp:
		if i.Op == token.ARROW {
			return []ssa.Value{i.X}
		}
	case *ssa.Select:
		var list []ssa.Value
		for _, s := range i.States {
			if s.Dir == types.RecvOnly {
				list = append(list, s.Chan)
			}
		}
		return list
	}
	return nil
}

// channelOf is where the function that starts the goroutine has a channel of the
// literal, or of its own.
func channelOf(ch ssa.Value, g *ssa.Go) ssa.Value {
	switch v := ch.(type) {
	case *ssa.ChangeType:
		return channelOf(v.X, g)
	case *ssa.UnOp:
		if v.Op == token.MUL {
			return channelOf(v.X, g)
		}
	case *ssa.FreeVar:
		if b := memory.Binding(v); b != nil {
			return channelOf(b, g)
		}
	case *ssa.Parameter:
		if i := slices.Index(v.Parent().Params, v); v.Parent() == literal(g.Call.Value) && i < len(g.Call.Args) {
			return channelOf(g.Call.Args[i], g)
		}
	}
	return ch
}
