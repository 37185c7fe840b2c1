package failure

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/flow"
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

// callsIn are the names of the functions that a value is computed with, and of
// those that they call if they are of the package.
func (p *Package) callsIn(v ssa.Value) map[string]bool {
	names := map[string]bool{}
	for _, v := range flow.Reach(p.Flow.Budget, flow.OperandsOf, v) {
		if call, ok := v.(*ssa.Call); ok {
			if fn := p.CalleeOf(&call.Call); fn != nil {
				names[fn.Name()] = true
				if body := p.DeclaredBody(&call.Call, fn); body != nil {
					p.namesCalled(body, names)
				}
			}
		}
	}
	return names
}

func (p *Package) namesCalled(fn *ssa.Function, names map[string]bool) {
	for i := range flow.Instrs(fn) {
		if call, ok := i.(*ssa.Call); ok {
			if callee := p.CalleeOf(&call.Call); callee != nil {
				names[callee.Name()] = true
			}
		}
	}
}

// asksForPresence reports whether a function answers whether a file is there, by its
// name.
func asksForPresence(fn *types.Func) bool {
	name := strings.ToLower(fn.Name())
	return strings.Contains(name, "exist") && !strings.Contains(name, "not")
}
