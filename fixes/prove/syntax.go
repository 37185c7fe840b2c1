package prove

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"iter"
	"path"
	"slices"
	"strconv"

	"golang.org/x/tools/go/types/typeutil"

	"github.com/lockvet/lockvet/internal/syntax"
)

// vars are the names in a tree that mean variables, with these.
func (p Pass) vars(root ast.Node) iter.Seq2[*ast.Ident, *types.Var] {
	return func(yield func(*ast.Ident, *types.Var) bool) {
		for id := range syntax.Nodes[*ast.Ident](root) {
			if v, ok := p.Info.Uses[id].(*types.Var); ok && !yield(id, v) {
				return
			}
		}
	}
}

// someVar reports whether something holds for a variable that is named in a tree.
func (p Pass) someVar(root ast.Node, holds func(*types.Var) bool) bool {
	return syntax.Some(root, func(id *ast.Ident) bool {
		v, ok := p.Info.Uses[id].(*types.Var)
		return ok && holds(v)
	})
}

// funcs are the functions of files that have bodies.
func (p Pass) funcs(files ...*ast.File) iter.Seq2[*types.Func, *ast.FuncDecl] {
	return func(yield func(*types.Func, *ast.FuncDecl) bool) {
		for _, file := range files {
			for _, d := range file.Decls {
				if decl, ok := d.(*ast.FuncDecl); ok && decl.Body != nil {
					if fn, _ := p.Info.Defs[decl.Name].(*types.Func); !yield(fn, decl) {
						return
					}
				}
			}
		}
	}
}

// declaring is the body of the declared function of the file around a node, nil for none.
func (s *File) declaring(n ast.Node) *ast.BlockStmt {
	if decl := s.declaringAt(n.Pos(), n.End()); decl != nil {
		return decl.Body
	}
	return nil
}

// declaringAt is the declared function around two positions.
func (s *File) declaringAt(from, to token.Pos) *ast.FuncDecl {
	for _, decl := range s.pass.funcs(s.file) {
		if decl.Body.Pos() <= from && to <= decl.Body.End() {
			return decl
		}
	}
	return nil
}

// inOrder is the first error of some steps, each of which needs those before it.
func inOrder(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// safeioNames are the names that an import of safeio may get, in order.
var safeioNames = []string{"safeio", "lvsafeio", "lvsafeio2", "lvsafeio3", "lvsafeio4"}

// safeioName is the name under which a file calls package safeio, and whether
// the file has to import it under that name.
//
// A name is free if nothing in the package's scope and nothing anywhere in the
// file bears it: then no place in the file can hide it.
func safeioName(pass Pass, file *ast.File, taken map[string]bool) (name string, added bool) {
	imported := make(map[string]bool)
	for _, spec := range file.Imports {
		name := ImportName(pass, spec)
		if imported[name] = true; SpecPath(spec) == pass.SafeioPath && name != "_" && name != "." && !taken[name] {
			return name, false
		}
	}
	for _, name := range safeioNames {
		if !taken[name] && !imported[name] {
			return name, true
		}
	}
	return "safeioForLockvet", true
}

// takenNames are the names that the file or the package gives to anything but
// an import.
func takenNames(pass Pass, file *ast.File) map[string]bool {
	taken := make(map[string]bool)
	for _, name := range pass.Pkg.Scope().Names() {
		taken[name] = true
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if _, ok := n.(*ast.ImportSpec); ok {
			return false
		}
		if id, ok := n.(*ast.Ident); ok {
			if obj := pass.Info.Defs[id]; obj != nil {
				taken[id.Name] = true
			}
			// Names that a dot import brings in.
			if obj := pass.Info.Uses[id]; obj != nil && obj.Pkg() == pass.Pkg && obj.Parent() == pass.Pkg.Scope() {
				taken[id.Name] = true
			}
		}
		return true
	})
	return taken
}

// ImportName is the name that an import declares in its file.
func ImportName(pass Pass, spec *ast.ImportSpec) string {
	if spec.Name != nil {
		return spec.Name.Name
	}
	if obj, ok := pass.Info.Implicits[spec].(*types.PkgName); ok {
		return obj.Name()
	}
	return path.Base(SpecPath(spec))
}

// callee is the function or method that a call calls, nil if it is unknown.
func (p Pass) callee(call *ast.CallExpr) *types.Func {
	fn, _ := typeutil.Callee(p.Info, call).(*types.Func)
	return fn
}

// calls reports whether a call calls one of the named package functions.
func (p Pass) calls(call *ast.CallExpr, pkg string, names ...string) bool {
	fn := p.callee(call)
	if fn == nil || fn.Pkg() == nil || fn.Pkg().Path() != pkg || fn.Signature().Recv() != nil {
		return false
	}
	return slices.Contains(names, fn.Name())
}

// writesFile reports whether a call is one of os.WriteFile, under any name.
func (p Pass) writesFile(call *ast.CallExpr) bool {
	return p.calls(call, "os", "WriteFile") || p.calls(call, "io/ioutil", "WriteFile")
}

// mutex is what a call calls a method of package sync of, and the method; nil for other calls.
func (p Pass) mutex(call *ast.CallExpr) (x ast.Expr, method string) {
	if call == nil {
		return nil, ""
	}
	fn := p.callee(call)
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if fn == nil || !ok || fn.Pkg() == nil || fn.Pkg().Path() != "sync" || fn.Signature().Recv() == nil {
		return nil, ""
	}
	return sel.X, fn.Name()
}

// letsGo reports whether a statement lets go of a mutex.
func (p Pass) letsGo(stmt ast.Stmt) bool {
	_, method := p.mutex(syntax.PlainCall(stmt))
	return method == "Unlock" || method == "RUnlock"
}

// flags are the bits of an argument that is constant, and those of a constant of the package that
// is called.
func (p Pass) flags(call *ast.CallExpr, arg ast.Expr) (got int64, bit func(name string) int64, ok bool) {
	bits := func(v constant.Value) int64 {
		n, _ := constant.Int64Val(constant.ToInt(v))
		return n
	}
	tv := p.Info.Types[arg]
	if tv.Value == nil {
		return 0, nil, false
	}
	return bits(tv.Value), func(name string) int64 {
		if c, ok := p.callee(call).Pkg().Scope().Lookup(name).(*types.Const); ok {
			return bits(c.Val())
		}
		return 0
	}, true
}

// builtin is the name of the builtin function that a call calls, empty for another one.
func (p Pass) builtin(call *ast.CallExpr) string {
	if b, ok := typeutil.Callee(p.Info, call).(*types.Builtin); ok {
		return b.Name()
	}
	return ""
}

// object is the variable that an expression names, nil if it is no plain name.
func (p Pass) object(e ast.Expr) types.Object {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return nil
	}
	if obj := p.Info.Defs[id]; obj != nil {
		return obj
	}
	return p.Info.Uses[id]
}

// lookup is what a name means at a place.
func (p Pass) lookup(name string, at token.Pos) types.Object {
	scope := p.Pkg.Scope().Innermost(at)
	if scope == nil {
		return nil
	}
	_, obj := scope.LookupParent(name, at)
	return obj
}

func (p Pass) mentions(n ast.Node, objs ...types.Object) bool {
	return n != nil && syntax.Some(n, func(id *ast.Ident) bool {
		return p.Info.Uses[id] != nil &&
			slices.Contains(objs, p.Info.Uses[id])
	})
}

var errorType = types.Universe.Lookup("error").Type()

func isError(t types.Type) bool { return t != nil && types.Identical(t, errorType) }

func isNil(info *types.Info, e ast.Expr) bool {
	tv, ok := info.Types[e]
	return ok && tv.IsNil()
}

// SpecPath is the path that an import names.
func SpecPath(spec *ast.ImportSpec) string {
	p, _ := strconv.Unquote(spec.Path.Value)
	return p
}
