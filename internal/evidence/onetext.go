package evidence

import (
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// oneText is where the package reads a file, and takes the one text or number that it holds, as of
// a version, a counter or an identifier; nil where it does not read it, or takes more anywhere.
func (x *Index) oneText(path *pathexpr.Term) (first *effects.Effect) {
	key := path.PackageKey()
	if key == "" {
		return nil
	}
	asked := map[token.Pos]bool{}
	for _, f := range x.p.Funcs {
		for _, e := range f.OfKind(effects.Read) {
			if e.Path == nil || e.Path.PackageKey() != key || asked[e.Pos] {
				continue
			}
			if asked[e.Pos] = true; !x.takesText(e) {
				return nil
			}
			if first == nil {
				first = e
			}
		}
	}
	return first
}

// takesText reports whether the whole file is read by a call, and one text or number taken of it.
func (x *Index) takesText(e *effects.Effect) bool {
	if e.Call == nil {
		return false
	}
	for i := range flow.Instrs(e.In) {
		if call, ok := i.(*ssa.Call); ok && call.Pos() == e.Call.Lparen {
			row, _ := known.Lookup(x.p.CalleeOf(&call.Call))
			return row.Op == known.ReadFile && x.taken(call)
		}
	}
	return false
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
					whole = whole && row.Op != known.Decode && !known.TakesApart(name)
				case known.Trims(name):
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

// writesTime reports whether all that w writes is a time in words.
func writesTime(w *effects.Effect) bool {
	for w.CalleeEffect != nil {
		w = w.CalleeEffect
	}
	call, ok := w.At.(*ssa.Call)
	return ok && w.Whole && slices.ContainsFunc(call.Call.Args, isTime)
}

// isTime reports whether a value is what a time is formatted to.
func isTime(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Call:
		return calledName(v) == "(time.Time).Format"
	case *ssa.Convert:
		return isTime(v.X)
	}
	return false
}

// trimmed reports whether a value is what trimming yields.
func trimmed(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Call:
		return known.Trims(calledName(v))
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
