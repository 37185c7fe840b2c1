package lostupdate

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/cycles"
	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/failure"
	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// savesStale reports whether a write of f saves an object that f was given, and has
// changed, as somebody has loaded it before: nothing of f loads it again, not even
// on another way, as where it is made only if there is none, and it is not put into what
// the file held.
func savesStale(p *failure.Package, f *effects.Func, w *effects.Effect) bool {
	if w.Object == nil || w.Object.Kind != pathexpr.Param || w.Object.Index >= memory.Outer || w.At == nil {
		return false
	}
	merged := func(cy cycles.Cycle) bool { return cy.Write == w }
	return fills(f, w.Object) == nil && !slices.ContainsFunc(cycles.Of(p.Package, f), merged) &&
		(changes(p, f, w, w.Object) || changesBelow(p, f, w))
}

// changes reports whether f itself, and not only what it saves it by, assigns to memory
// of an object before w is done, also in a function that it hands to the call which does w,
// as to one that runs it under a lock. To put another into a parameter is to change nothing
// of what that was.
func changes(p *failure.Package, f *effects.Func, w *effects.Effect, object *pathexpr.Term) bool {
	if assigns(p, f.SSA, w.At, object) {
		return true
	}
	call, ok := w.At.(ssa.CallInstruction)
	return ok && slices.ContainsFunc(call.Common().Args, func(arg ssa.Value) bool {
		made, ok := arg.(*ssa.MakeClosure)
		if !ok {
			return false
		}
		body := made.Fn.(*ssa.Function)
		inner := p.Within(body, w)
		return inner != nil && assigns(p, body, inner.At, memory.Raise(object))
	})
}

// assigns reports whether a function assigns to memory of an object before it comes to an
// instruction.
func assigns(p *failure.Package, fn *ssa.Function, to ssa.Instruction, object *pathexpr.Term) bool {
	for i := range flow.Instrs(fn) {
		at := changed(i)
		if at == nil || !p.Flow.Reaches(i, to) {
			continue
		}
		if m := p.Memory(at); m != nil && m.Kind == pathexpr.Field && memory.RootOf(m).Equal(object) {
			return true
		}
	}
	return false
}

// changed is the memory that an instruction changes, nil for none.
func changed(i ssa.Instruction) ssa.Value {
	switch i := i.(type) {
	case *ssa.Store:
		return i.Addr
	case *ssa.MapUpdate:
		return i.Map
	case *ssa.Call:
		if d, ok := i.Call.Value.(*ssa.Builtin); ok && d.Name() == "delete" {
			return i.Call.Args[0]
		}
	}
	return nil
}

// changesBelow reports whether the function does so by which f saves it.
func changesBelow(p *failure.Package, f *effects.Func, w *effects.Effect) bool {
	if len(w.Via) == 0 {
		return false
	}
	g := p.Callee(w.Via[0])
	if g == nil || g == f {
		return false
	}
	inner := p.Within(g.SSA, w)
	return inner != nil && savesStale(p, g, inner)
}

// loadsFromFiles reports whether a function of the package loads objects of a type from files.
func loadsFromFiles(p *failure.Package, object *pathexpr.Term) bool {
	return cycles.MadeLoaded(p.Package, object) || slices.ContainsFunc(p.Funcs, func(f *effects.Func) bool {
		return slices.ContainsFunc(f.Effects, func(e *effects.Effect) bool {
			return e.Kind == effects.StoreLoaded && e.Object != nil && e.Object.Type == object.Type
		})
	})
}

// inSharedPlace reports whether a path leads to a place that every process of the user finds
// alike, also by a field that is given such a place when its object is made.
func inSharedPlace(p *failure.Package, file *pathexpr.Term) bool {
	return file.Expanded().Any(everyones) || file.Any(func(t *pathexpr.Term) bool {
		if t.Kind != pathexpr.Field {
			return false
		}
		for field, v := range p.Fields {
			if field.Name() == t.Text && ofType(p, field, t.Type) && isShared(p, v) {
				return true
			}
		}
		return false
	})
}

// everyones reports whether a term is such a place: a function that names one, or a
// constant that begins with the sign for the user's home.
func everyones(t *pathexpr.Term) bool {
	return t.Kind == pathexpr.Call && known.IsSharedPlace(t.Text) || t.Kind == pathexpr.Const && strings.HasPrefix(t.Text, "~/")
}

// ofType reports whether a field is declared by a struct type of the package.
func ofType(p *failure.Package, field *types.Var, typ string) bool {
	name, ok := strings.CutPrefix(typ, p.Pass.Pkg.Path()+".")
	obj := p.Pass.Pkg.Scope().Lookup(name)
	if !ok || obj == nil {
		return false
	}
	s := memory.StructOf(obj.Type())
	return s != nil && slices.Contains(slices.Collect(s.Fields()), field)
}

// isShared reports whether a value is such a place, or a parameter for which a
// caller gives one.
func isShared(p *failure.Package, v ssa.Value) bool {
	shared := func(v ssa.Value) bool {
		t := p.Term(v)
		return t != nil && t.Expanded().Any(everyones)
	}
	return flow.Any(p.Flow.Budget, shared, func(v ssa.Value) []ssa.Value {
		par, ok := v.(*ssa.Parameter)
		if !ok {
			return nil
		}
		n := slices.Index(par.Parent().Params, par)
		var given []ssa.Value
		for _, site := range p.Callers().Sites(par.Parent()) {
			if args := memory.CallArgs(site.Common()); n < len(args) {
				given = append(given, args[n])
			}
		}
		return given
	}, v)
}

// fills is where a function loads an object, nil where it does not.
func fills(f *effects.Func, object *pathexpr.Term) *effects.Effect {
	i := slices.IndexFunc(f.Effects, func(e *effects.Effect) bool {
		return e.Kind == effects.StoreLoaded && e.Object != nil && e.Object.Equal(object)
	})
	if i < 0 {
		return nil
	}
	return f.Effects[i]
}
