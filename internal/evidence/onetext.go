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
	decoder, reader := x.readers(root, w, path)
	if reader == nil || reader.Call == nil || decoder != nil && !x.parsesNumber(decoder) {
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
	returned := map[ssa.Value]bool{} // what a function has trimmed, where it is called
	flow.Reach(x.p.Flow.Budget, func(v ssa.Value) (next []ssa.Value) {
		for _, i := range flow.Uses(v) {
			switch i := i.(type) {
			case *ssa.Extract:
				if !memory.IsErrorType(i.Type()) {
					returned[i] = returned[v]
					next = append(next, i)
				}
			case *ssa.Convert, *ssa.ChangeType, *ssa.Phi:
				returned[i.(ssa.Value)] = returned[v]
				next = append(next, i.(ssa.Value))
			case *ssa.BinOp, *ssa.If, *ssa.DebugRef:
			case *ssa.Return:
				if whole = whole && (trimmed(v) || returned[v]); !whole {
					continue
				}
				for _, site := range x.p.Callers().Sites(i.Parent()) {
					if call, ok := site.(*ssa.Call); ok {
						returned[call] = true
						next = append(next, call)
					}
				}
			case *ssa.Call:
				switch name := calledName(i); {
				case returned[v]:
					row, _ := known.Lookup(x.p.CalleeOf(&i.Call))
					whole = whole && row.Op != known.Decode && !partition[name]
				case trimming[name]:
					taken = true
					next = append(next, i)
				case strings.HasPrefix(name, "strconv.Parse"), name == "strconv.Atoi":
					taken = true
				case name != "len":
					whole = false
				}
			case *ssa.Range, *ssa.Lookup, *ssa.IndexAddr, *ssa.Index, *ssa.Slice:
				whole = false
			default: // it leaves as it is
				whole = whole && (trimmed(v) || returned[v])
			}
		}
		return next
	}, ssa.Value(read))
	return whole && taken
}

// parsesNumber reports whether a file is decoded by making its text a number.
func (x *Index) parsesNumber(decoder *effects.Effect) bool {
	call, ok := decoder.At.(ssa.CallInstruction)
	if !ok {
		return false
	}
	fn := x.p.CalleeOf(call.Common())
	return fn != nil && (known.Path(fn) == "strconv" || len(decoder.Via) > 0)
}

// partition are the functions that take a text apart.
var partition = map[string]bool{
	"strings.Split": true, "strings.SplitN": true, "strings.SplitAfter": true, "strings.SplitSeq": true, "strings.Fields": true, "strings.FieldsFunc": true,
	"strings.FieldsSeq": true, "strings.Lines": true, "strings.NewReader": true, "strings.Cut": true, "bytes.NewReader": true,
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
