package lostupdate

import (
	"bytes"
	"go/ast"
	"go/printer"
	"go/types"
	"slices"
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

// spell writes a path of f as Go source: as an argument of the call, or put together from
// what f has. It is empty where there is no way, or where the expression must not be evaluated
// twice.
func spell(p *failure.Package, f *effects.Func, call *ast.CallExpr, path *pathexpr.Term) string {
	if s := argument(p, f, call, path); s != "" {
		return s
	}
	return spelled(p, f, path)
}

// argument is the argument of a call of f that is the path.
func argument(p *failure.Package, f *effects.Func, call *ast.CallExpr, path *pathexpr.Term) string {
	args := argsAt(p, f, call)
	skip := len(args) - len(call.Args)
	if skip < 0 {
		return ""
	}
	for i, e := range call.Args {
		t := p.Term(args[skip+i])
		if memory.IsString(args[skip+i].Type()) && memory.SameFile(t, path) && t.Loosenings() == path.Loosenings() && repeatable(p, e) {
			return source(p, e)
		}
	}
	return ""
}

// argsAt are the arguments of a call of f, the receiver first.
func argsAt(p *failure.Package, f *effects.Func, call *ast.CallExpr) []ssa.Value {
	for _, b := range f.SSA.Blocks {
		for _, i := range b.Instrs {
			if c, ok := i.(ssa.CallInstruction); ok && p.CallAt(c.Common().Pos()) == call {
				return memory.CallArgs(c.Common())
			}
		}
	}
	return nil
}

func source(p *failure.Package, e ast.Expr) string {
	var b bytes.Buffer
	if err := printer.Fprint(&b, p.Fset, e); err != nil || strings.Contains(b.String(), "\n") {
		return ""
	}
	return b.String()
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
		if parts := spelledAll(p, f, elements(t.Args)); parts != nil {
			return "filepath.Join(" + strings.Join(parts, ", ") + ")"
		}
	case pathexpr.Concat:
		return strings.Join(spelledAll(p, f, t.Args), " + ")
	}
	return ""
}

// elements are the parts of a joined path, those behind the first without a separator in them.
func elements(args []*pathexpr.Term) []*pathexpr.Term {
	list := slices.Clone(args[:1])
	for _, t := range args[1:] {
		if t.Kind != pathexpr.Const {
			list = append(list, t)
			continue
		}
		for name := range strings.SplitSeq(t.Text, "/") {
			list = append(list, pathexpr.New(pathexpr.Const, name))
		}
	}
	return list
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
