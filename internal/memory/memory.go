// Package memory says what the values of a package are and what they derive from: the
// canonical term of a path, the memory that a pointer leads to, the files and the memory
// from which bytes come, and what a text is to the lines of a file. What functions of the
// package yield it is told ([Summaries]); of files and locks it knows nothing.
package memory

import (
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// NewValues makes the values of a package. Where functions of it have to be known,
// sums is asked.
func NewValues(pass *analysis.Pass, pkg *ssa.Package, b *flow.Budget, s *flow.Solver, sums Summaries) *Values {
	p := &Values{
		Pass:     pass,
		SSA:      pkg,
		Flow:     flow.NewProgram(b),
		sums:     sums,
		unknowns: map[ssa.Value]*pathexpr.Term{},
		lowering: newLowering(),
		Globals:  map[*ssa.Global]ssa.Value{},
		Fields:   map[*types.Var]ssa.Value{},
		locks:    map[string]*ssa.Store{},
		calls:    map[*types.Var]*ssa.Function{},
		methods:  map[*types.Func]*ssa.Function{},
	}
	p.terms = (&flow.Query[ssa.Value, *pathexpr.Term]{
		Question: "values", About: PlaceOf,
		Eval: p.makeTerm, Start: p.Unknown, Cut: varies, Equal: (*pathexpr.Term).Same, Rounds: MaxRecursion,
	}).Bind(s)
	p.places = (&flow.Query[ssa.Value, *pathexpr.Term]{
		Question: "memory", About: PlaceOf,
		Eval: p.makeMemory, Equal: (*pathexpr.Term).Same, Rounds: MaxRecursion,
	}).Bind(s)
	p.lines = (&flow.Query[ssa.Value, Line]{
		Question: "lines", About: PlaceOf,
		Eval: p.makeLine, Equal: func(a, b Line) bool { return a == b }, Rounds: MaxRecursion,
	}).Bind(s)
	return p
}

// Assigns reports whether a function stores to a field of a struct type, both by name.
func Assigns(fn *ssa.Function, typ, field string) bool {
	for i := range flow.Instrs(fn) {
		st, ok := i.(*ssa.Store)
		if !ok {
			continue
		}
		if fa, ok := st.Addr.(*ssa.FieldAddr); ok && NamedType(fa.X.Type()) == typ &&
			StructOf(fa.X.Type()).Field(fa.Field).Name() == field {
			return true
		}
	}
	return false
}
