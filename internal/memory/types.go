package memory

import (
	"go/constant"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/known"
)

// FuncName is a function's name with its receiver's type: "(*Store).save". A
// function literal is called by the name of the function around it, and one that
// stands in a package variable has none.
func FuncName(fn *ssa.Function) string {
	literal := fn.Parent() != nil
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	if literal && fn.Synthetic != "" {
		return "a function literal"
	}
	if recv := fn.Signature.Recv(); recv != nil {
		return "(" + types.TypeString(recv.Type(), func(*types.Package) string { return "" }) + ")." + fn.Name()
	}
	return fn.Name()
}

func IsErrorType(t types.Type) bool {
	return types.Identical(t, types.Universe.Lookup("error").Type())
}

// isWriter reports whether a value of the type can be written to.
func isWriter(t types.Type) bool {
	obj, _, _ := types.LookupFieldOrMethod(t, true, nil, "Write")
	_, ok := obj.(*types.Func)
	return ok
}

// StructOf is the struct type that t is or points to, nil for any other type.
func StructOf(t types.Type) *types.Struct {
	if ptr, ok := t.Underlying().(*types.Pointer); ok {
		t = ptr.Elem()
	}
	st, _ := t.Underlying().(*types.Struct)
	return st
}

func IsOSFile(t types.Type) bool {
	ptr, ok := types.Unalias(t).(*types.Pointer)
	return ok && known.IsType(ptr.Elem(), "os", "File")
}

// IsZero reports whether a value is the constant that is empty of its type.
func IsZero(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	if !ok {
		return false
	}
	if c.Value == nil {
		return true
	}
	switch c.Value.Kind() {
	case constant.String:
		return constant.StringVal(c.Value) == ""
	case constant.Bool:
		return !constant.BoolVal(c.Value)
	case constant.Int:
		n, exact := constant.Int64Val(c.Value)
		return exact && n == 0
	}
	return false
}

func RecvName(fn *ssa.Function) string {
	if recv := Outermost(fn).Signature.Recv(); recv != nil {
		return NamedType(recv.Type())
	}
	return ""
}

func Outermost(fn *ssa.Function) *ssa.Function {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	return fn
}

func IsBytes(t types.Type) bool {
	sl, ok := t.Underlying().(*types.Slice)
	return ok && types.Identical(sl.Elem(), types.Typ[types.Byte])
}
