package memory

import (
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// MaxElements bounds the lists that are followed: no path has more parts, and tables
// of texts would make large terms.
const MaxElements = 16

// FuncName is a function's name with its receiver's type: "(*Store).save", without the
// parameters of a generic one. A function literal is called by the name of the function
// around it, and one that stands in a package variable by the name of that.
func FuncName(fn *ssa.Function) string {
	at := fn.Pos()
	literal := fn.Parent() != nil
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	if literal && fn.Synthetic != "" {
		return "the function literal" + ofVariable(fn.Pkg, at)
	}
	if recv := fn.Signature.Recv(); recv != nil {
		name, _, _ := strings.Cut(types.TypeString(recv.Type(), func(*types.Package) string { return "" }), "[")
		return "(" + name + ")." + fn.Name()
	}
	return fn.Name()
}

// ofVariable names the package variable in whose value a place stands: the last that begins before
// it in its file. It is empty where that is no variable.
func ofVariable(pkg *ssa.Package, at token.Pos) string {
	file, last := pkg.Prog.Fset.File(at), ssa.Member(nil)
	for _, m := range pkg.Members {
		if m.Pos() < at && pkg.Prog.Fset.File(m.Pos()) == file && (last == nil || last.Pos() < m.Pos()) {
			last = m
		}
	}
	if v, ok := last.(*ssa.Global); ok && file != nil {
		return " in " + v.Name()
	}
	return ""
}

// IsErrorType reports whether a type is error itself.
func IsErrorType(t types.Type) bool { return known.IsError(t) }

// ReturnsError reports whether the last result of a function is an error.
func ReturnsError(sig *types.Signature) bool {
	res := sig.Results()
	return res.Len() > 0 && IsErrorType(res.At(res.Len()-1).Type())
}

// StructOf is the struct type that t is or points to, nil for any other type.
func StructOf(t types.Type) *types.Struct {
	if ptr, ok := t.Underlying().(*types.Pointer); ok {
		t = ptr.Elem()
	}
	st, _ := t.Underlying().(*types.Struct)
	return st
}

// IsOSFile reports whether values of the type are open files of package os.
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

// RecvName is the type of the receiver of the declared function that fn is, or stands in;
// empty for one without.
func RecvName(fn *ssa.Function) string {
	if recv := Outermost(fn).Signature.Recv(); recv != nil {
		return NamedType(recv.Type())
	}
	return ""
}

// Outermost is the declared function that fn is, or stands in.
func Outermost(fn *ssa.Function) *ssa.Function {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	return fn
}

// IsBytes reports whether values of the type are lists of bytes.
func IsBytes(t types.Type) bool {
	sl, ok := t.Underlying().(*types.Slice)
	return ok && types.Identical(sl.Elem(), types.Typ[types.Byte])
}

// Converted is the value inside a conversion, nil for anything else.
func Converted(v ssa.Value) ssa.Value {
	switch v := v.(type) {
	case *ssa.MakeInterface:
		return v.X
	case *ssa.ChangeType:
		return v.X
	case *ssa.ChangeInterface:
		return v.X
	case *ssa.Convert:
		return v.X
	case *ssa.TypeAssert:
		return v.X
	}
	return nil
}

// Unwrapped is the value inside an interface.
func Unwrapped(v ssa.Value) ssa.Value {
	if in := Converted(v); in != nil {
		return in
	}
	return v
}

// SameFile reports whether two terms name the same file or handle.
func SameFile(a, b *pathexpr.Term) bool {
	if a == nil || b == nil {
		return false
	}
	return a == b || a.Path().Equal(b.Path())
}

// IsOnceDo reports whether a function is the method of sync.Once that runs another.
func IsOnceDo(fn *ssa.Function) bool {
	return fn != nil && fn.Name() == "Do" && fn.String() == "(*sync.Once).Do"
}

// NamedType is the import path and name of the struct type that t is or points
// to; empty for any other type.
func NamedType(t types.Type) string {
	if ptr, ok := t.Underlying().(*types.Pointer); ok {
		t = ptr.Elem()
	}
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return ""
	}
	if _, ok := named.Underlying().(*types.Struct); !ok {
		return ""
	}
	return named.Obj().Pkg().Path() + "." + named.Obj().Name()
}

// IsFunc reports whether a type is one of functions.
func IsFunc(t types.Type) bool {
	_, ok := t.Underlying().(*types.Signature)
	return ok
}

// IsNil reports whether a value is the constant nil.
func IsNil(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.IsNil()
}
