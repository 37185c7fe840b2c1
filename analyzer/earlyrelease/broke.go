package earlyrelease

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/memory"
)

// broke reports whether b happens only where the call a, which says whether it has
// the lock, has ended with an error instead: whoever has the lock does not make it.
func broke(a, b *effects.Effect) bool {
	v, ok := a.At.(ssa.Value)
	if !ok || !a.Try || b.At == nil || len(effects.AnswersOf(v)) == 0 {
		return false
	}
	return slices.ContainsFunc(flow.Uses(v), func(ref ssa.Instruction) bool {
		err, ok := ref.(*ssa.Extract)
		return ok && memory.IsErrorType(err.Type()) && slices.ContainsFunc(flow.Uses(err), func(ref ssa.Instruction) bool {
			cond, ok := ref.(*ssa.BinOp)
			return ok && cond.Op == token.NEQ && memory.IsNil(cond.Y) && effects.OnSide(cond, b.At.Block())
		})
	})
}
