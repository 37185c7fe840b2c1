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

// isFirst reports whether f comes to w only where there is no such file, or where it cannot be read and
// f writes what it has in memory: nothing that was there is lost.
func isFirst(p *failure.Package, f *effects.Func, w *effects.Effect, path *pathexpr.Term) bool {
	anew := isRendered(f, w) || makesUp(f, w)
	return asksBefore(p, f, w, path, func(e *effects.Effect) bool { return e.Kind == effects.Stat || e.Kind == effects.Read && anew }) ||
		anew && isOneOfTwo(p, f, w, path)
}

// isOneOfTwo reports whether f asks for the file and for another one that it writes behind it, as a
// certificate and its key are, and comes to w only where one of them is not there: where w does not
// end, the other is missing, and both are made again.
func isOneOfTwo(p *failure.Package, f *effects.Func, w *effects.Effect, path *pathexpr.Term) bool {
	if path == nil || w.When != effects.Inline {
		return false
	}
	var asks []*effects.Effect
	own := false
	for _, e := range f.OfKind(effects.Stat, effects.Read) {
		if _, ok := e.At.(*ssa.Call); !ok || e.When != effects.Inline || !p.Flow.Reaches(e.At, w.At) {
			continue
		}
		file := failure.File(e)
		switch {
		case memory.SameFile(file, path):
			own = true
		case !slices.ContainsFunc(f.OnFile(file, effects.Write, effects.Replace), func(o *effects.Effect) bool { return o.When == effects.Inline && effects.Before(w, o) }):
			continue
		}
		asks = append(asks, e)
	}
	return own && len(asks) > 1 && p.Flow.Dominates(asks[0].At, w.At) && p.FailsOne(f, asks, w)
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

// isRendered reports whether all that is written is what an encoder or a template makes, and
// not a copy of what stands elsewhere.
func isRendered(f *effects.Func, w *effects.Effect) bool {
	written := false
	for _, e := range f.OfKind(effects.Write, effects.Replace) {
		if e.At != w.At && !e.On(w.Handle) {
			continue
		}
		if e.Data == nil || e.Data.Kind != pathexpr.Encoded && e.Data.Kind != pathexpr.Made {
			return false
		}
		written = true
	}
	return written
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
