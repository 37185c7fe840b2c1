package failure

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/memory"
)

// AnswerUsed reports whether anything is done with what a call tells of a file, but for its error.
func AnswerUsed(e *effects.Effect) bool {
	for e.CalleeEffect != nil {
		e = e.CalleeEffect
	}
	call, ok := e.At.(*ssa.Call)
	if !ok || call.Call.Signature().Results().Len() < 2 {
		return true
	}
	return slices.ContainsFunc(flow.Uses(call), func(ref ssa.Instruction) bool {
		x, ok := ref.(*ssa.Extract)
		return !ok || !memory.IsErrorType(x.Type()) && len(flow.Uses(x)) > 0
	})
}
