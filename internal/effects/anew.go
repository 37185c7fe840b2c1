package effects

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/pathexpr"
	"github.com/lockvet/lockvet/internal/pattern"
)

// MadeAnew reports whether f comes to w, which writes a file whose name is or becomes
// path, only where nothing of the file is lost: where the file cannot be loaded, so
// that a torn one is made again the next time; where there is none, and what f writes
// it makes up itself; or where there was none to be emptied by another call.
func (p *Package) MadeAnew(f *Func, w *Effect, path *pathexpr.Term) bool {
	if path == nil || w.When != Inline {
		return false
	}
	return slices.ContainsFunc(f.OfKind(Stat, Read, Decode, Truncate), func(e *Effect) bool {
		call, ok := e.instr.(*ssa.Call)
		if !ok || e.When != Inline || e.instr == w.instr || !p.flow.Dominates(e.instr, w.instr) {
			return false
		}
		if !SameFile(e.file(), path) && !p.isGiven(call, path) {
			return false
		}
		return (e.Kind == Truncate || e.Kind != Stat && parses(call) || f.makesUp(w)) && p.fails(f, e, w)
	})
}

// isGiven reports whether a call has the path among its arguments: the tables know one
// file of a call that loads two.
func (p *Package) isGiven(call *ssa.Call, path *pathexpr.Term) bool {
	return slices.ContainsFunc(callArgs(&call.Call), func(arg ssa.Value) bool { return isString(arg.Type()) && SameFile(p.term(arg), path) })
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
	return !isOSFile(t) && !isErrorType(t)
}

// fails reports whether f comes to w only where the call that has the effect e fails,
// or answers that the file is not there.
func (p *Package) fails(f *Func, e, w *Effect) bool {
	call := e.instr.(*ssa.Call)
	results := p.wellOf(call)
	if results == nil {
		return false
	}
	if call.Block() == w.instr.Block() {
		return false
	}
	well := &road{p: p, f: f, load: e, still: map[ssa.Value]fact{}}
	_, comes := well.from(call, results)[w.instr.Block()]
	return !comes
}

// wellOf are the results of a call that looks for a file, or loads one, where it is
// there; nil where that cannot be told.
func (p *Package) wellOf(call *ssa.Call) []fact {
	fn := p.callee(&call.Call)
	if fn == nil {
		return nil
	}
	res := call.Call.Signature().Results()
	if res.Len() == 1 && isBool(res.At(0).Type()) && asksForPresence(fn) {
		return []fact{nonzero}
	}
	if list := returned(&call.Call); list != nil && loading.MatchString(fn.Name()) {
		return succeeded(call, list[0])
	}
	return nil
}

// loading are names of functions whose error is that of looking for a file or loading
// it, and not of looking for something in what was loaded.
var loading = pattern.New(`(?i)^l?stat|^(must)?(load|read|open|parse|unmarshal|decode)`)

// asksForPresence reports whether a function answers whether a file is there, by its
// name.
func asksForPresence(fn *types.Func) bool {
	name := strings.ToLower(fn.Name())
	return strings.Contains(name, "exist") && !strings.Contains(name, "not")
}

// makesUp reports whether the content that f writes comes from nothing that f was
// given or has read.
func (f *Func) makesUp(w *Effect) bool {
	written := false
	for _, e := range f.OfKind(Write, Replace) {
		if e.instr != w.instr && !e.On(w.Handle) {
			continue
		}
		if slices.ContainsFunc(e.From, func(s Source) bool { return !s.random() }) || e.Data != nil && e.Data.Any(comesFromElsewhere) {
			return false
		}
		written = true
	}
	return written
}

// comesFromElsewhere reports whether a term is an argument, or what a file or a stream
// held.
func comesFromElsewhere(t *pathexpr.Term) bool {
	return t.Kind == pathexpr.Param || t.Kind == pathexpr.Content
}
