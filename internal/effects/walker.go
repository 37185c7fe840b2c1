package effects

import (
	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// A walker collects the effects of one function.
type walker struct {
	p        *Package
	f        *Func
	deferred []*Effect
	choosing map[ssa.Value]bool // the function values whose alternatives are being called
	seq      int32
}

// bounded is a list of effects without those beyond its bound that come from calls and end
// nothing which is in it.
func (w *walker) bounded(list []*Effect) []*Effect {
	if len(list) <= maxEffects {
		return list
	}
	w.p.Flow.GiveUp("effects", w.f.Name(), flow.Size)
	return withEnds(list, func(i int) bool { return i < maxEffects || list[i].own() })
}

// add appends an effect, or keeps it for the end of the function.
func (w *walker) add(e *Effect, i ssa.Instruction, c *ssa.CallCommon, when When) {
	w.place(e, i, c, when)
	if when == Deferred {
		w.deferred = append(w.deferred, e)
		return
	}
	w.f.Effects = append(w.f.Effects, e)
}

// note adds what happens at an instruction that is no call.
func (w *walker) note(kind Kind, path *pathexpr.Term, at ssa.Instruction) *Effect {
	e := w.f.New(kind, path, at)
	w.add(e, at, nil, Inline)
	return e
}

// place says where an effect happens.
func (w *walker) place(e *Effect, i ssa.Instruction, c *ssa.CallCommon, when When) {
	w.seq++
	e.At, e.Seq, e.flow = i, w.seq, w.p.Flow
	if e.Flags != nil {
		w.p.opened(e)
	}
	switch e.Kind {
	case Lock, Unlock:
		w.p.resolveMode(e)
		e.Path = w.p.LockFile(e.Handle)
	case Write, Replace:
		if len(e.Via) == 0 && e.Foreign == "" {
			e.Data = madeBy(w.f.Effects, e.Data) // the buffer is the function's own: callers know nothing of it
		}
	case Remove:
		if e.Path != nil && e.Path.Kind == pathexpr.Field {
			e.Path = w.p.LockFile(e.Path) // the name of an open file in a field
		}
	}
	if e.In == nil {
		e.In = w.f.SSA
		e.Call = w.p.calls[c.Pos()]
		e.Pos = c.Pos()
		if e.Call != nil {
			e.Pos = e.Call.Pos()
		}
	}
	if e.When != Spawned {
		e.When = when
	}
}

// result is the handle that a call returns. A call whose handle is thrown away
// still truncates.
func (w *walker) result(i ssa.Instruction, path *pathexpr.Term) *pathexpr.Term {
	if call, ok := i.(*ssa.Call); ok {
		fn := w.p.CalleeOf(&call.Call)
		if row, ok := known.Lookup(fn); ok && row.Op != known.None {
			return w.p.CallTerm(&call.Call, call, 0)
		}
	}
	return pathexpr.New(pathexpr.Handle, w.p.instrID(i), path)
}

func (p *Package) instrID(i ssa.Instruction) string {
	if v, ok := i.(ssa.Value); ok {
		return p.Unknown(v).Text
	}
	return p.Fset.Position(i.Pos()).String()
}

// maxEffects bounds what one function is taken to do by what it calls: where there is
// more, what comes last is not known, and the run says so.
const maxEffects = 4000

func literal(v ssa.Value) *ssa.Function {
	switch v := v.(type) {
	case *ssa.MakeClosure:
		return v.Fn.(*ssa.Function)
	case *ssa.ChangeType:
		return literal(v.X)
	case *ssa.MakeInterface:
		return literal(v.X)
	case *ssa.Function:
		if v.Parent() != nil {
			return v
		}
	}
	return nil
}
