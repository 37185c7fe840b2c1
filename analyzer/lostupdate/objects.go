package lostupdate

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/failure"
	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

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
