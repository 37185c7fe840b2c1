package effects

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/flow"
)

// awaited reports whether a goroutine tells on a channel when it is done, and the function that
// starts it waits on one: so a lock is taken that the caller can cease to wait for.
func awaited(g *ssa.Go) bool {
	lit := literal(g.Call.Value)
	return lit != nil && has(lit, tells) && has(g.Parent(), hears)
}

// has reports whether something is so of an instruction of a function.
func has(fn *ssa.Function, is func(ssa.Instruction) bool) bool {
	for i := range flow.Instrs(fn) {
		if is(i) {
			return true
		}
	}
	return false
}

// tells reports whether an instruction sends on a channel, or closes one, at once or in the end.
func tells(i ssa.Instruction) bool {
	switch i := i.(type) {
	case *ssa.Send:
		return true
	case ssa.CallInstruction:
		b, ok := i.Common().Value.(*ssa.Builtin)
		return ok && b.Name() == "close"
	}
	return false
}

// hears reports whether an instruction waits on a channel.
func hears(i ssa.Instruction) bool {
	switch i := i.(type) {
	case *ssa.UnOp:
		return i.Op == token.ARROW
	case *ssa.Select:
		return true
	}
	return false
}
