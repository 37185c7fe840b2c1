package prove

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/lexicon"
	"github.com/lockvet/lockvet/internal/syntax"
)

// replaceCall turns
//
//	os.WriteFile(path, data, perm)
//	~~~~~~~~~~~~
//	safeio.WriteFile
//
// Both have the same signature, so the call may stand anywhere.
func (s *File) replaceCall(r finding.ReplaceCall) (*Proof, error) {
	if !s.pass.writesFile(r.Call) {
		return nil, Refusal("the write is not a call of os.WriteFile")
	}
	writer, own := s.ownWriter(r.Call.Pos(), s.pass.ByName)
	doubt := ""
	if r.Home || r.Edited && !s.noSync && s.forOthers(r.Call.Args[2]) {
		if own != nil && (r.Home || s.calls(own)) {
			doubt = own.Name() + " may replace a link of the user and change the mode of the file, and safeio would be a second way to write files"
		}
		writer = s.whole // which follows links and keeps the mode
	}
	if r.Writer != "" && writer == s.whole {
		if r.By != nil {
			writer = s.named(r.By, r.Call.Pos(), false)
		}
		if r.By == nil || writer == "" {
			return nil, refusef("%s replaces this file already: have it write this, too", r.Writer)
		}
	}
	if s.explained(r.Call) {
		doubt = fmt.Sprintf("a comment explains %s, which goes: have it say what holds of a call that replaces the file",
			s.of(r.Call.Fun))
	}
	p := s.swapped("Replace the file with "+writer, r.Call.Fun.Pos(), r.Call.Fun.End(), writer)
	p.Doubt = doubt
	return p, nil
}

// explained reports whether a comment in or on the declaration around a call names the function that it no longer
// calls.
func (s *File) explained(call *ast.CallExpr) bool {
	i := slices.IndexFunc(s.file.Decls, func(d ast.Decl) bool { return syntax.Inside(call, d) })
	if i < 0 {
		return false
	}
	from, to := s.file.Decls[i].Pos(), s.file.Decls[i].End()
	if doc := syntax.Doc(s.file.Decls[i]); doc != nil {
		from = doc.Pos()
	}
	return slices.ContainsFunc(s.file.Comments, func(c *ast.CommentGroup) bool {
		return from <= c.Pos() && c.End() <= to && strings.Contains(c.Text(), s.of(call.Fun))
	})
}

// writerAt is the function that fixed code calls at a place to replace a file as a whole: the
// program's own where it has one, or that of safeio.
func (s *File) writerAt(at token.Pos) string {
	name, _ := s.ownWriter(at)
	return name
}

// ownWriter is the same, with the program's own function, of the others if none else; that is nil
// where it is safeio's.
func (s *File) ownWriter(at token.Pos, others ...func() []*types.Func) (string, *types.Func) {
	for _, list := range append([]func() []*types.Func{s.pass.Replacers}, others...) {
		if list == nil {
			continue
		}
		for _, fn := range list() {
			if fn.Signature().Params().Len() == 2 {
				continue
			}
			for _, imported := range []bool{true, false} {
				if name := s.named(fn, at, imported); name != "" {
					return name, fn
				}
			}
		}
	}
	return s.whole, nil
}

// calls reports whether the file names a function already.
func (s *File) calls(fn *types.Func) bool {
	return syntax.Some(s.file, func(id *ast.Ident) bool { return s.pass.Info.Uses[id] == types.Object(fn) })
}

// forOthers reports whether a mode may let others than the owner read a file.
func (s *File) forOthers(perm ast.Expr) bool {
	mode, ok := constant.Int64Val(constant.ToInt(cmp.Or(s.pass.Info.Types[perm].Value, constant.MakeUnknown())))
	return !ok || mode&0o077 != 0
}

// named is how a place calls a function of the program, of a package that the file imports
// already or that it has to; empty where it cannot.
func (s *File) named(fn *types.Func, at token.Pos, imported bool) string {
	if fn.Pkg() == s.pass.Pkg {
		around := s.declaringAt(at, at)
		if s.pass.lookup(fn.Name(), at) != types.Object(fn) || around != nil && s.pass.Info.Defs[around.Name] == fn {
			return ""
		}
		return fn.Name()
	}
	for _, spec := range s.file.Imports {
		if name := ImportName(s.pass, spec); SpecPath(spec) == fn.Pkg().Path() {
			if pkg, ok := s.pass.lookup(name, at).(*types.PkgName); ok && imported && pkg.Imported().Path() == fn.Pkg().Path() {
				return name + "." + fn.Name()
			}
			return ""
		}
	}
	name := fn.Pkg().Name()
	if imported || s.taken[name] || slices.ContainsFunc(s.file.Imports,
		func(spec *ast.ImportSpec) bool { return ImportName(s.pass, spec) == name }) {
		return ""
	}
	s.imports[name] = fn.Pkg().Path()
	return name + "." + fn.Name()
}

// Imports are the packages of the program that fixed code of the file calls and the file does not
// import yet, by the name under which it does.
func (s *File) Imports() map[string]string { return s.imports }

// letsGoLater reports whether something is closed, unlocked or given up behind the
// statement of a call: by hand, or by a defer that would not stand yet. That what the
// call is a method of is given up by a defer does not count.
func (sc *handleScope) letsGoLater(call *ast.CallExpr) bool {
	end := sc.statement(call).End()
	held, isVar := sc.receiver(call).(*types.Var)
	found := false
	ast.Inspect(sc.body, func(n ast.Node) bool {
		if d, ok := n.(*ast.DeferStmt); ok && (d.Pos() < end || isVar && sc.receiver(d.Call) == types.Object(held)) {
			return false
		}
		if call, ok := n.(*ast.CallExpr); ok && call.Pos() > end {
			found = found || lexicon.LettingGo.MatchString(sc.of(call.Fun))
		}
		return !found
	})
	return found
}

// givesAway reports whether a call yields nothing, or an error alone: what is named for letting go then does so.
func (sc *handleScope) givesAway(call *ast.CallExpr) bool {
	t := sc.pass.Info.TypeOf(call)
	list, ok := t.(*types.Tuple)
	return ok && list.Len() == 0 || isError(t)
}

// receiver is the variable that a method is called on.
func (sc *handleScope) receiver(call *ast.CallExpr) types.Object {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	return sc.pass.object(sel.X)
}

// commitFile turns
//
//	return f.Close()
//	         ~~~~~
//
// into the call of the method that puts the file in place.
func (s *File) commitFile(r finding.CommitFile) (*Proof, error) {
	sel, ok := r.Close.Fun.(*ast.SelectorExpr)
	if !ok {
		return nil, Refusal("the file is not closed by its method")
	}
	return s.swapped("Put the new content in place", sel.Sel.Pos(), sel.Sel.End(), r.Commit), nil
}
