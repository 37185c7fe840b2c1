package failure

import (
	"go/ast"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/pattern"
)

// A Package answers that for the functions of a package.
type Package struct {
	*effects.Package

	refused  *flow.Query[*effects.Effect, *Refusal] // how called functions give up because of a check
	failures *flow.Query[failing, []*outcome]       // what a function yields where an effect of it fails
	fresh    *flow.Query[ssa.Value, bool]           // whether an error is made where it stands
	computed *flow.Query[computation, bool]         // whether a value is computed from what a call yields
}

// A Refusal is how a function gives up because of what a check found.
type Refusal struct {
	// Pos is where it gives up.
	Pos token.Pos
	// Says are the texts and names that the error is made of.
	Says []string
	// Waits says that the function tries again until the file is gone.
	Waits bool
	// Always says that the function never makes the file where the check finds
	// one.
	Always bool
}

// A fact is what is known of a value on one way through a function.
type fact uint8

// An outcome is what a call yields where a load in it fails.
type outcome struct {
	results []fact
	tells   bool     // a result lets the caller see that something has failed
	bare    bool     // that is an empty one, and no error
	lost    *Ignored // where the error was lost, nil while it is a result
}

// facts are what is known of values, and of what local variables hold.
type facts map[ssa.Value]fact

// A cause is why a load fails.
type cause uint8

const (
	broken cause = iota // any but that the file is missing
	absent              // the file is missing
)

// equal reports whether two outcomes are the same to a caller.
func (o *outcome) equal(other *outcome) bool {
	same := o.lost == other.lost ||
		o.lost != nil && other.lost != nil && o.lost.Call == other.lost.Call && o.lost.Return == other.lost.Return
	return same && o.tells == other.tells && o.bare == other.bare && slices.Equal(o.results, other.results)
}

// An Ignored is where the failure of a load is lost: what the load would have
// yielded is empty from there on, and nobody learns why.
type Ignored struct {
	// Failed is the effect that fails: a Decode, or the Read where nothing is
	// decoded.
	Failed *effects.Effect
	// In is the function that loses the error, and Call the call in it that has
	// it. Foreign says that Call is the call of another package's function, which
	// loses it, and Told that it is reported there.
	In            *effects.Func
	Call          *ast.CallExpr
	Foreign, Told bool
	// Return is where In returns without the error; nil where it goes on as if
	// nothing had failed.
	Return *ast.ReturnStmt
	// Own says that Call is what fails, not a function of the package that tells
	// of it.
	Own bool
}

// Pos is the statement or call that has to change.
func (s *Ignored) Pos() token.Pos {
	if s.Return != nil {
		return s.Return.Pos()
	}
	return s.Call.Pos()
}

// End is the end of that.
func (s *Ignored) End() token.Pos {
	if s.Return != nil {
		return s.Return.End()
	}
	return s.Call.End()
}

// A computation is a value that may be computed from what a call yields.
type computation struct {
	v    ssa.Value
	from *ssa.Call
}

// A failing is an effect that fails, and why.
type failing struct {
	e   *effects.Effect
	why cause
}

const (
	anything fact = iota
	zero          // nil, or false
	nonzero       // not nil, or true
	failed        // the error of the load, or what is made of it
)

var missing = pattern.New(`(?i)exist|missing|not_?found|nofile`)
