package lostupdate

import (
	"cmp"
	"go/ast"
	"go/types"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/failure"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// spell writes a path of f as Go source: as an argument of the call that has an effect, or put together from
// what f has. It is empty where there is no way, or where the expression must not be evaluated twice.
func spell(p *failure.Package, f *effects.Func, e *effects.Effect, path *pathexpr.Term) string {
	return cmp.Or(argument(p, e, path), spelled(p, f, path))
}

// argument is the argument that is the path, of the call that has an effect.
func argument(p *failure.Package, e *effects.Effect, path *pathexpr.Term) string {
	at, ok := e.At.(ssa.CallInstruction)
	if !ok || e.Here() == nil {
		return ""
	}
	values, exprs := memory.CallArgs(at.Common()), e.Here().Args
	skip := len(values) - len(exprs) // the receiver
	for i, expr := range exprs {
		if skip < 0 || !memory.IsString(values[skip+i].Type()) || !repeatable(p, expr) {
			continue
		}
		if t := p.Term(values[skip+i]); memory.SameFile(t, path) && t.Loosenings() == path.Loosenings() {
			return types.ExprString(expr)
		}
	}
	return ""
}

// repeatable reports whether an expression can be evaluated once more: it calls nothing but what
// joins paths.
func repeatable(p *failure.Package, e ast.Expr) bool {
	ok := true
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			fn, _ := typeutil.Callee(p.Pass.TypesInfo, n).(*types.Func)
			row, _ := known.Lookup(fn)
			ok = ok && fn != nil && row.Op == known.JoinPath
		case *ast.FuncLit, *ast.UnaryExpr, *ast.IndexExpr:
			ok = false
		}
		return ok
	})
	return ok
}

// spelled puts a path together from parameters of f, their fields, package variables and constants.
// What was trimmed or cut on the way cannot be.
func spelled(p *failure.Package, f *effects.Func, t *pathexpr.Term) string {
	if t.Loose {
		return ""
	}
	switch t.Kind {
	case pathexpr.Param:
		if t.Index < len(f.SSA.Params) && t.Text != "_" {
			return t.Text
		}
	case pathexpr.Field:
		if base := spelled(p, f, t.Args[0]); base != "" && reachable(p, t) {
			return base + "." + t.Text
		}
	case pathexpr.Global:
		if name, ok := strings.CutPrefix(t.Text, p.Pass.Pkg.Path()+"."); ok {
			return name
		}
	case pathexpr.Const:
		return strconv.Quote(t.Text)
	case pathexpr.Join:
		if parts := spelledAll(p, f, t.Args); parts != nil {
			return "filepath.Join(" + strings.Join(parts, ", ") + ")"
		}
	case pathexpr.Concat:
		return strings.Join(spelledAll(p, f, t.Args), " + ")
	}
	return ""
}

func spelledAll(p *failure.Package, f *effects.Func, terms []*pathexpr.Term) []string {
	parts := make([]string, len(terms))
	for i, t := range terms {
		if parts[i] = spelled(p, f, t); parts[i] == "" {
			return nil
		}
	}
	return parts
}

// reachable reports whether the package may name a field.
func reachable(p *failure.Package, field *pathexpr.Term) bool {
	return ast.IsExported(field.Text) || strings.HasPrefix(field.Type, p.Pass.Pkg.Path()+".")
}
