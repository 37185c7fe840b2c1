package memory

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// Line is what the bytes of one Write are to the lines of a file.
type Line uint8

// What the bytes of a Write are. Nothing is said of those that cannot be seen.
const (
	LineUnknown Line = iota
	LineWhole        // they end in a newline
	LinePart         // they are a text that does not
	LineBreak        // they are what separates lines, and nothing else
)

// PlaceOf is the function in which a value is computed, by the name that a reader knows.
// A constant has none.
func PlaceOf(v ssa.Value) string {
	if fn := v.Parent(); fn != nil {
		return FuncName(fn)
	}
	switch v := v.(type) {
	case *ssa.Function:
		return FuncName(v)
	case *ssa.Global:
		return "variable " + v.Name()
	}
	return ""
}

// maxRecursion bounds the rounds in which functions, or values, that depend on each
// other are settled: what a function does by so many calls of itself adds nothing to
// what it does by fewer. It is more than maxDepth, so that a term that grows with each
// round is unknown before they end.
const MaxRecursion = 16

// Outer is added to the index of a parameter of the function around a literal,
// once for every literal in between, so that the parameters of a literal and
// those of the function around it stay apart.
const Outer = 1000

// varies reports whether a value can be another each time round a loop: what depends on
// itself through it is told no more than its name.
func varies(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Phi:
		return true
	case *ssa.UnOp:
		return v.Op == token.MUL
	}
	return false
}

// Values answers what the values of a package are and what they derive from.
type Values struct {
	Pass *analysis.Pass
	SSA  *ssa.Package
	Flow *flow.Program

	sums     Summaries
	unknowns map[ssa.Value]*pathexpr.Term
	lowering lowering
	terms    *flow.Query[ssa.Value, *pathexpr.Term]
	places   *flow.Query[ssa.Value, *pathexpr.Term]
	lines    *flow.Query[ssa.Value, Line]
	Globals  map[*ssa.Global]ssa.Value     // package variables that get one value
	Fields   map[*types.Var]ssa.Value      // text fields that get one value
	locks    map[string]*ssa.Store         // by type and name: fields that get one lock or open file
	calls    map[*types.Var]*ssa.Function  // fields that get one function
	methods  map[*types.Func]*ssa.Function // interface methods that one type of the package has, or one that acts on files
}

// A lowering holds terms of callees in terms of their callers. A large package has the same
// ones thousands of times: each is made once for the same arguments, and those that are made
// of the same parts are one.
type lowering struct {
	terms  map[*pathexpr.Term]*lowered
	places map[[2]*pathexpr.Term]*pathexpr.Term // memory of callees, by itself and what its parameter is
	first  map[shape]*pathexpr.Term
}

// A lowered term is one of a callee, with what it is for the arguments of its callers.
type lowered struct {
	params []int // those of the callee that it has
	by     map[[2]*pathexpr.Term]*pathexpr.Term
}

// A shape is all that a term of few parts says.
type shape struct {
	kind      pathexpr.Kind
	loose     bool
	index     int
	text, typ string
	args      [3]*pathexpr.Term
}

// Summaries say what functions yield: those of the package, and those of the packages
// that it imports.
type Summaries interface {
	// Results are the results of a function of the package in terms of its parameters,
	// and whether more of them cannot come to be known.
	Results(fn *ssa.Function) (results []*pathexpr.Term, final bool)
	// Sources are what each of its results derives from, and whether more of that cannot
	// come to be known.
	Sources(fn *ssa.Function) (from [][]Source, final bool)
	// ResultsOf and SourcesOf are the same of a function of another package.
	ResultsOf(fn *types.Func) []*pathexpr.Term
	SourcesOf(fn *types.Func) (from [][]*pathexpr.Term, ok bool)
}

// A Source is where a value comes from: the content of a file, or memory that the
// function was given.
type Source struct {
	// Term is the Content of a file, or the memory: a parameter, a field of one,
	// a package variable.
	Term *pathexpr.Term

	At    ssa.Instruction   // where the owner of the list has the content from
	Local ssa.Value         // the memory, where a function made it itself
	Reads []ssa.Instruction // that read memory: loads, and calls in which it is read
}

// Random reports whether it is the system's source of randomness.
func (s Source) Random() bool {
	return s.Term.Kind == pathexpr.Global && s.Term.Text == "crypto/rand.Reader"
}
