package failure

import (
	"go/ast"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
	"github.com/lockvet/lockvet/internal/syntax"
)

// ownError is the outcome of a call that returns the error as its last result.
func ownError(c *ssa.CallCommon) *outcome {
	o := &outcome{results: make([]fact, c.Signature().Results().Len()), tells: true}
	if n := len(o.results); n > 0 {
		o.results[n-1] = failed
	}
	return o
}

// decodes reports whether the effect decodes the whole content of the file.
func decodes(e *effects.Effect, file *pathexpr.Term) bool {
	return e.Kind == effects.Decode && e.When == effects.Inline && e.Data != nil && !e.Data.Has(pathexpr.Elem) &&
		effects.Reads(e.Data, file)
}

// MovesAway reports whether the effect gives the file Path another name.
func MovesAway(e *effects.Effect) bool { return e.Kind == effects.Rename || e.Kind == effects.Link }

// File is the file that the effect reads or decodes.
func File(e *effects.Effect) *pathexpr.Term {
	if e.Kind != effects.Decode || e.Data == nil {
		return e.Path
	}
	var file *pathexpr.Term
	e.Data.Any(func(t *pathexpr.Term) bool {
		if t.Kind == pathexpr.Content {
			file = t.Args[0].Path()
		}
		return file != nil
	})
	return file
}

// ignoredAt is the place in f where the error of e is lost: a return, or the call
// where ret is nil.
func (p *Package) ignoredAt(f *effects.Func, e *effects.Effect, ret *ssa.Return) *Ignored {
	call := e.Here()
	if call == nil {
		return nil
	}
	s := &Ignored{Failed: e, In: f, Call: call, Own: len(e.Via) == 0 && e.Foreign == ""}
	s.Foreign = e.Foreign != "" && (e.Ignored || e.Empty != nil)
	s.Told = s.Foreign && e.Empty == nil && slices.ContainsFunc(f.OfKind(effects.Read), func(r *effects.Effect) bool {
		return r.At == e.At && r.Reported && memory.SameFile(r.Path, File(e))
	})
	if ret != nil {
		s.Return = returnAt(f, ret.Pos())
	}
	return s
}

// returnAt is the return statement at a position, nil for the end of a function or
// of a loop over one.
func returnAt(f *effects.Func, pos token.Pos) *ast.ReturnStmt {
	if !pos.IsValid() || effects.BodyOf(f.SSA) == nil {
		return nil
	}
	for r := range syntax.Nodes[*ast.ReturnStmt](effects.BodyOf(f.SSA)) {
		if r.Return == pos {
			return r
		}
	}
	return nil
}

// Returned is the outcome of a call that returns its error, if it has one.
func Returned(c *ssa.CallCommon) []*outcome {
	if !memory.ReturnsError(c.Signature()) {
		return nil
	}
	return []*outcome{ownError(c)}
}
