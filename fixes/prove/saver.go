package prove

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/lockvet/lockvet/fixes/rewrite"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/syntax"
)

// replaceSaver turns a call of a library's function that rewrites a file
//
//	config.SaveTo(path)
//	godotenv.Write(env, path)
//
// into one that replaces the file with what this function writes:
//
//	safeio.Replace(path, config.SaveTo)
//	safeio.Replace(path, func(name string) error {
//		return godotenv.Write(env, name)
//	})
//
// The function is called with the same arguments, and decides upon format and mode as before. Where its package
// can give the content alone, that is asked for, and safeio.WriteFile replaces the file.
func (s *File) replaceSaver(r finding.ReplaceSaver) (*Proof, error) {
	v := &saver{sc: s.scope(r.Body), call: r.Call, fn: s.pass.callee(r.Call)}
	if v.fn == nil {
		return nil, Refusal("what is called comes out as the program runs")
	}
	v.Saver, _ = known.SaverOf(v.fn.FullName())
	p, err := v.replaced()
	if advice := known.Advice(v.fn.FullName()); err != nil && advice != "" {
		err = refusef("%v: %s", err, advice)
	}
	return p, err
}

// A saver is a call of a library's function that rewrites a file.
type saver struct {
	known.Saver
	sc   *handleScope
	call *ast.CallExpr
	fn   *types.Func
}

func (v *saver) replaced() (*Proof, error) {
	sel, ok := v.call.Fun.(*ast.SelectorExpr)
	params := v.fn.Signature().Params().Len()
	switch {
	case !ok || len(v.call.Args) != params || params != 1 && !v.sc.isPure(sel.X):
		return nil, Refusal("the call is written in a form of its own")
	case v.Moves != "" && v.used(v.Moves):
		return nil, refusef("%s has it write into another file system", v.Moves)
	}
	replace := v.sc.safeio + ".Replace"
	message := "Replace the file with " + replace
	if v.As != "" {
		last := v.tells(sel.X)
		if last != nil && v.sc.pass.callee(last).Name() == known.SeeksOwn {
			return nil, Refusal("which file it is comes out as the program runs")
		}
		x, own := v.sc.of(sel.X)+".", known.OwnFile(v.fn)
		path := x + own[strings.LastIndexByte(own, '.')+1:] + "()"
		named := last != nil && v.same(sel.X, last.Pos()) && v.names(last)
		if named && len(last.Args) == 1 && v.sc.pass.object(last.Args[0]) != nil && v.same(last.Args[0], last.Pos()) {
			path = v.sc.of(last.Args[0])
		}
		p := v.sc.swapped(message, v.call.Pos(), v.call.End(), replace+"("+path+", "+x+v.As+")")
		if !named && (!v.used(known.NamesOwn) || v.used(known.LooksIn) || v.used(known.LooksBy)) {
			p.Doubt = path + " names no file until one has been read or named, and " + v.fn.Name() + " looks for one then"
		}
		return p, nil
	}
	row, _ := known.Lookup(v.fn)
	n := row.A
	if v.fn.Signature().Recv() != nil {
		n--
	}
	path := v.call.Args[n]
	if params == 1 {
		if !v.sc.isPure(sel.X) && !v.sc.isPure(path) {
			return nil, Refusal("the call is written in a form of its own")
		}
		if whole := v.sc.of(v.call); !strings.Contains(whole, "\n") && !strings.Contains(whole, "/*") {
			return v.sc.swapped(message, v.call.Pos(), v.call.End(), syntax.Formatted(replace+"("+v.sc.of(path)+", "+v.sc.of(v.call.Fun)+")")), nil
		}
		p := v.sc.swapped(message, v.call.Fun.Pos(), v.call.Fun.End(), replace)
		p.swaps = append(p.swaps, rewrite.Edit{Start: v.sc.offset(path.End()), End: v.sc.offset(path.End()), New: ", " + v.sc.of(v.call.Fun)})
		return p, nil
	}
	return v.byLiteral(message, path)
}

// byLiteral hands over a function literal that makes the call with another path.
func (v *saver) byLiteral(message string, path ast.Expr) (*Proof, error) {
	name := v.sc.free(v.call, "name", "filename", "tempName")
	_, deferred := v.sc.parents[v.call].(*ast.DeferStmt) // its arguments are evaluated at once
	_, spawned := v.sc.parents[v.call].(*ast.GoStmt)
	if name == "" || deferred || spawned || !v.sc.isPure(path) {
		return nil, Refusal("the call is written in a form of its own")
	}
	if v.Encode != "" {
		return nil, refusef("have %s.%s give the content, and %s.WriteFile write it", v.fn.Pkg().Name(), v.Encode, v.sc.safeio)
	}
	at := v.sc.offset(v.call.Pos())
	line := string(v.sc.text[v.sc.lineStart(at):at])
	indent := "\n" + line[:len(line)-len(strings.TrimLeft(line, " \t"))]
	p := v.sc.swapped(message, v.call.Pos(), v.call.Pos(), v.sc.safeio+".Replace("+v.sc.of(path)+", func("+name+" string) error {"+indent+"\treturn ")
	p.swaps = append(p.swaps,
		rewrite.Edit{Start: v.sc.offset(path.Pos()), End: v.sc.offset(path.End()), New: name},
		rewrite.Edit{Start: v.sc.offset(v.call.End()), End: v.sc.offset(v.call.End()), New: indent + "})"})
	return p, nil
}

// joined is the call of filepath.Join that has made a path before; nil for none.
func (v *saver) joined(path ast.Expr) *ast.CallExpr {
	join, ok := path.(*ast.CallExpr)
	if !ok {
		join, ok = v.sc.value(v.sc.pass.object(path)).(*ast.CallExpr)
	}
	if !ok || join.Pos() > v.call.Pos() || !v.sc.pass.calls(join, "path/filepath", "Join") {
		return nil
	}
	return join
}

// used reports whether the package names a function or method of the library.
func (v *saver) used(name string) bool {
	return slices.ContainsFunc(v.sc.pass.Files, func(f *ast.File) bool {
		return syntax.Some(f, func(sel *ast.SelectorExpr) bool {
			fn := v.sc.pass.Info.Uses[sel.Sel]
			return sel.Sel.Name == name && fn != nil && fn.Pkg() == v.fn.Pkg()
		})
	})
}

// tells is the last call of the function that tells x which file is its own, or has it loaded; nil
// for none.
func (v *saver) tells(x ast.Expr) (last *ast.CallExpr) {
	for call := range syntax.Nodes[*ast.CallExpr](v.sc.body) {
		fn := v.sc.pass.callee(call)
		if sel, ok := call.Fun.(*ast.SelectorExpr); !ok || fn == nil || fn.Pkg() != v.fn.Pkg() || v.sc.of(sel.X) != v.sc.of(x) {
			continue
		}
		if row, ok := known.Lookup(fn); ok && row.Op == known.LoadOwn || fn.Name() == known.NamesOwn || fn.Name() == known.SeeksOwn {
			last = call
		}
	}
	return last
}

// names reports whether a file is named once such a call has been made, wherever the saver is called.
func (v *saver) names(last *ast.CallExpr) bool {
	if v.sc.pass.callee(last).Name() == known.NamesOwn {
		return v.joined(last.Args[0]) != nil && at(v.sc.rest(v.sc.statement(last)), v.call.Pos()) >= 0
	}
	return v.after(func(call *ast.CallExpr) bool { return call == last })
}

// same reports whether an expression has been the same since a place.
func (v *saver) same(x ast.Expr, since token.Pos) bool {
	return v.sc.sees(since, x) && !v.sc.pass.someVar(x, func(obj *types.Var) bool { return v.sc.assigned(obj, since, v.call.Pos()) })
}

// after reports whether a call of a kind has been made, and has not failed, wherever the saver is
// called.
func (v *saver) after(is func(*ast.CallExpr) bool) bool {
	return syntax.Some(v.sc.body, func(call *ast.CallExpr) bool {
		o := v.sc.outcome(call)
		return is(call) && v.sc.fails(o) && at(v.sc.rest(o.check), v.call.Pos()) >= 0
	})
}
