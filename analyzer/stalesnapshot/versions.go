package stalesnapshot

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/lexicon"
)

// ordered reports whether a function on the way to the write compares versions:
// an older one is not written then.
func (c *checker) ordered(s *snapshot) bool {
	for _, call := range s.write.Via {
		if f := c.p.Callee(call); f != nil && compares(f.SSA) {
			return true
		}
	}
	return false
}

// compares reports whether a function compares the number of a change with another.
func compares(fn *ssa.Function) bool {
	for i := range flow.Instrs(fn) {
		op, ok := i.(*ssa.BinOp)
		if !ok {
			continue
		}
		switch op.Op {
		case token.LSS, token.LEQ, token.GTR, token.GEQ, token.EQL, token.NEQ:
			if numbers(op.X) && !constant(op.Y) || numbers(op.Y) && !constant(op.X) {
				return true
			}
		}
	}
	return false
}

// constant reports whether a value is one: what is compared with it is no other change.
func constant(v ssa.Value) bool {
	_, ok := v.(*ssa.Const)
	return ok
}

// numbers reports whether a value is the number of a change, by its name.
func numbers(v ssa.Value) bool {
	b, ok := v.Type().Underlying().(*types.Basic)
	if !ok || b.Info()&types.IsInteger == 0 {
		return false
	}
	for {
		switch x := v.(type) {
		case *ssa.UnOp:
			v = x.X
		case *ssa.Call:
			if len(x.Call.Args) == 0 {
				return false
			}
			v = x.Call.Args[0]
		case *ssa.FieldAddr:
			return lexicon.Versions.MatchString(known.Pointee(x.X.Type()).Underlying().(*types.Struct).Field(x.Field).Name())
		case *ssa.Parameter:
			return lexicon.Versions.MatchString(x.Name())
		default:
			return false
		}
	}
}
