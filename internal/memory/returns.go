package memory

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/known"
)

// Succeeds reports whether a return gives no error.
func Succeeds(r *ssa.Return) bool {
	v := ErrorOf(r)
	if v == nil {
		return false
	}
	c, ok := v.(*ssa.Const)
	return ok && c.IsNil()
}

// MaySucceed reports whether a return may give no error: nothing on the way to it says that
// the error which it gives is one.
func MaySucceed(r *ssa.Return) bool {
	v := ErrorOf(r)
	asked := func(c flow.Condition) bool {
		b, ok := c.Value.(*ssa.BinOp)
		return ok && (b.X == v && IsNil(b.Y)) && (b.Op == token.NEQ && c.Holds || b.Op == token.EQL && !c.Holds)
	}
	return v == nil || Succeeds(r) || !isError(v) && !slices.ContainsFunc(flow.Conditions(r.Block()), asked)
}

// isError reports whether a value is an error and never nil: it is made here.
func isError(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.MakeInterface:
		return true
	case *ssa.Call:
		f := v.Call.Method // that of a context is asked for when it is done
		if fn := v.Call.StaticCallee(); fn != nil {
			f, _ = fn.Object().(*types.Func)
		}
		return known.MakesError(f) == known.Certain ||
			f != nil && known.Path(f) == "context" && (f.Name() == "Err" || f.Name() == "Cause")
	}
	return IsSentinel(v)
}

// ErrorOf is the error that a return gives, nil if the function gives none.
func ErrorOf(r *ssa.Return) ssa.Value {
	if len(r.Results) == 0 {
		return nil
	}
	if v := r.Results[len(r.Results)-1]; !IsErrorType(v.Type()) {
		return nil
	}
	return Result(r, len(r.Results)-1)
}

// Result is result i of a return. A function that defers something, or names its results, puts
// them into variables first.
func Result(r *ssa.Return, i int) ssa.Value { return stored(r.Results[i], r.Block()) }

// IsSentinel reports whether v is the error that a package variable holds.
func IsSentinel(v ssa.Value) bool {
	load, ok := v.(*ssa.UnOp)
	if !ok || !IsErrorType(v.Type()) {
		return false
	}
	_, ok = load.X.(*ssa.Global)
	return ok
}

// stored is what a block last put into the variable that v loads.
func stored(v ssa.Value, b *ssa.BasicBlock) ssa.Value {
	a := LoadedFrom(v)
	if a == nil {
		return v
	}
	for _, i := range slices.Backward(b.Instrs) {
		if s, ok := i.(*ssa.Store); ok && s.Addr == a {
			return s.Val
		}
	}
	return v
}
