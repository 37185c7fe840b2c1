package evidence

import (
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// oneText is where the package reads a file that root writes at w, and takes the one text or
// number that it holds, as of a version, a counter or an identifier; nil where it does not, or
// takes more.
func (x *Index) oneText(root *effects.Func, w *effects.Effect, path *pathexpr.Term) *effects.Effect {
	_, reader := x.readers(root, w, path)
	if reader == nil || reader.Call == nil {
		return nil
	}
	fn := reader.In
	for i := range flow.Instrs(fn) {
		call, ok := i.(*ssa.Call)
		if !ok || call.Pos() != reader.Call.Lparen {
			continue
		}
		if row, _ := known.Lookup(x.p.CalleeOf(&call.Call)); row.Op == known.ReadFile && x.taken(call) {
			return reader
		}
	}
	return nil
}

// taken reports whether what a call reads is trimmed or made a number, and nothing else is done to
// it before, nor is it taken apart afterwards.
func (x *Index) taken(read *ssa.Call) bool {
	whole, taken := true, false
	flow.Reach(x.p.Flow.Budget, func(v ssa.Value) (next []ssa.Value) {
		for _, i := range flow.Uses(v) {
			switch i := i.(type) {
			case *ssa.Extract:
				if !memory.IsErrorType(i.Type()) {
					next = append(next, i)
				}
			case *ssa.Convert, *ssa.ChangeType, *ssa.Phi:
				next = append(next, i.(ssa.Value))
			case *ssa.BinOp, *ssa.If, *ssa.DebugRef:
			case *ssa.Call:
				switch name := calledName(i); {
				case trimming[name]:
					taken = true
					next = append(next, i)
				case strings.HasPrefix(name, "strconv.Parse"), name == "strconv.Atoi":
					taken = true
				case name != "len":
					whole = false
				}
			default: // it leaves as it is
				whole = whole && trimmed(v)
			}
		}
		return next
	}, ssa.Value(read))
	return whole && taken
}

// trimming are the functions that take away what surrounds a text.
var trimming = map[string]bool{
	"strings.TrimSpace": true, "strings.TrimRight": true, "strings.TrimSuffix": true, "strings.Trim": true, "bytes.TrimSpace": true,
}

// trimmed reports whether a value is what trimming yields.
func trimmed(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Call:
		return trimming[calledName(v)]
	case *ssa.Convert:
		return trimmed(v.X)
	}
	return false
}

// calledName is the name of the function or builtin that is called; empty for any other call.
func calledName(call *ssa.Call) string {
	if b, ok := call.Call.Value.(*ssa.Builtin); ok {
		return b.Name()
	}
	if fn := call.Call.StaticCallee(); fn != nil {
		return fn.String()
	}
	return ""
}
