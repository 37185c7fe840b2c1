package effects

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/known"
)

// CallBehind is the call of which v is a result.
func CallBehind(v ssa.Value) *ssa.Call {
	if x, ok := v.(*ssa.Extract); ok {
		v = x.Tuple
	}
	call, _ := v.(*ssa.Call)
	return call
}

// IsStarter reports whether a function starts a program.
func IsStarter(fn *types.Func) bool {
	switch known.Path(fn) {
	case "os/exec", "os", "syscall":
		return starters[fn.FullName()]
	}
	return false
}

// starters are the functions that start a program.
var starters = map[string]bool{
	"(*os/exec.Cmd).Start": true, "(*os/exec.Cmd).Run": true, "(*os/exec.Cmd).Output": true, "(*os/exec.Cmd).CombinedOutput": true,
	"os.StartProcess": true, "syscall.ForkExec": true, "syscall.StartProcess": true,
}
