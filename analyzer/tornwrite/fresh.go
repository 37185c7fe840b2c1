package tornwrite

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/failure"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// isFresh reports whether f comes to w, which writes a file whose name is or becomes
// path, only where nothing of the file is lost: where the file cannot be loaded, so
// that a torn one is made again the next time; where there is none, and what f writes
// it makes up itself, so that another run makes up the same; or where there was none to be
// emptied by another call.
func isFresh(p *failure.Package, f *effects.Func, w *effects.Effect, path *pathexpr.Term) bool {
	return asksBefore(p, f, w, path, func(e *effects.Effect) bool {
		return e.Kind == effects.Truncate || e.Kind != effects.Stat && parses(e.At.(*ssa.Call)) || makesUp(f, w) && !draws(f, w)
	})
}

// asksBefore reports whether a call in f that asks for the file, and counts, fails wherever
// f comes to w.
func asksBefore(p *failure.Package, f *effects.Func, w *effects.Effect, path *pathexpr.Term, counts func(*effects.Effect) bool) bool {
	if path == nil || w.When != effects.Inline {
		return false
	}
	return slices.ContainsFunc(f.OfKind(effects.Stat, effects.Read, effects.Decode, effects.Truncate), func(e *effects.Effect) bool {
		call, ok := e.At.(*ssa.Call)
		if !ok || e.When != effects.Inline || e.At == w.At || !p.Flow.Dominates(e.At, w.At) {
			return false
		}
		if !memory.SameFile(failure.File(e), path) && !hasArgument(p, call, path) {
			return false
		}
		return counts(e) && p.Fails(f, e, w)
	})
}

// hasArgument reports whether a call has the path among its arguments: the tables know one
// file of a call that loads two.
func hasArgument(p *failure.Package, call *ssa.Call, path *pathexpr.Term) bool {
	return slices.ContainsFunc(
		memory.CallArgs(&call.Call),
		func(arg ssa.Value) bool { return memory.IsString(arg.Type()) && memory.SameFile(p.Term(arg), path) },
	)
}

// parses reports whether what a call that reads a file returns is no longer text, nor
// an open file.
func parses(call *ssa.Call) bool {
	res := call.Call.Signature().Results()
	if res.Len() == 0 {
		return false
	}
	t := res.At(0).Type()
	switch t.Underlying().(type) {
	case *types.Slice, *types.Basic:
		return false
	}
	return !memory.IsOSFile(t) && !memory.IsErrorType(t)
}

// draws reports whether the content that f writes is drawn at random, as a secret is: what
// somebody has encrypted with it is lost with it.
func draws(f *effects.Func, w *effects.Effect) bool {
	return slices.ContainsFunc(f.OfKind(effects.Write, effects.Replace), func(e *effects.Effect) bool {
		return (e.At == w.At || e.On(w.Handle)) && (slices.ContainsFunc(e.From, memory.Source.Random) || e.Data.Has(pathexpr.Random))
	})
}

// makesUp reports whether the content that f writes comes from nothing that f was
// given or has read.
func makesUp(f *effects.Func, w *effects.Effect) bool {
	written := false
	for _, e := range f.OfKind(effects.Write, effects.Replace) {
		if e.At != w.At && !e.On(w.Handle) {
			continue
		}
		if slices.ContainsFunc(e.From, func(s memory.Source) bool { return !s.Random() }) || e.Data.Has(pathexpr.Param, pathexpr.Content) {
			return false
		}
		written = true
	}
	return written
}
