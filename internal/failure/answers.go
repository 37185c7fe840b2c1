package failure

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/known"
)

// AsksAbsence reports whether a call asks an error whether it says that a file
// is not there.
func AsksAbsence(fn *types.Func, args []ssa.Value) bool {
	switch {
	case known.Is(fn, "os.IsNotExist"):
		return true
	case known.Is(fn, "errors.Is"):
		load, ok := args[1].(*ssa.UnOp)
		if !ok {
			return false
		}
		g, ok := load.X.(*ssa.Global)
		return ok && (g.Name() == "ErrNotExist" || g.Name() == "ENOENT")
	}
	return false
}

// yieldedBy reports whether v is a result of a call.
func yieldedBy(v ssa.Value, call ssa.Instruction) bool {
	if x, ok := v.(*ssa.Extract); ok {
		v = x.Tuple
	}
	i, ok := v.(*ssa.Call)
	return ok && i == call
}

// asksForPresence reports whether a function answers whether a file is there, by its
// name.
func asksForPresence(fn *types.Func) bool {
	name := strings.ToLower(fn.Name())
	return strings.Contains(name, "exist") && !strings.Contains(name, "not")
}
