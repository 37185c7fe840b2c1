package prove

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lockvet/lockvet/fixes/rewrite"
	"github.com/lockvet/lockvet/internal/directive"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/lexicon"
	"github.com/lockvet/lockvet/internal/remark"
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
	if c := s.explaining(r.Call); c != nil {
		return nil, refusef("the comment at %s explains the call that would go: have it say what holds of one that replaces the file", s.placeOf(c))
	}
	writer, own := s.ownWriter(r.Call.Pos(), s.pass.ByName)
	doubt := ""
	if r.Home || r.Edited && !s.noSync && s.forOthers(r.Call.Args[2]) {
		if own != nil && (r.Home || s.calls(own)) {
			doubt = own.Name() + " may replace a link of the user and change the mode of the file, and safeio would be a second way to write files"
		}
		writer = s.whole // which follows links and keeps the mode
	}
	same := ""
	if writer == s.whole {
		same = s.withMode(r.Call)
	}
	switch {
	case same != "":
		writer = same
	case r.Writer != "" && writer == s.whole:
		if r.By != nil {
			writer = s.named(r.By, r.Call.Pos(), false)
		}
		if r.By == nil || writer == "" {
			return nil, refusef("%s replaces this file already: have it write this, too", r.Writer)
		}
	}
	p := s.swapped("Replace the file with "+writer, r.Call.Fun.Pos(), r.Call.Fun.End(), writer)
	p.Doubt = doubt
	if same != "" {
		p.swaps = append(p.swaps, rewrite.Edit{Start: s.offset(r.Call.Args[1].End()), End: s.offset(r.Call.Args[2].End())})
	}
	if c, left := s.unasked(r.Call); c != nil {
		end := s.offset(c.Pos())
		code := len(bytes.TrimRight(s.text[:end], " \t"))
		if s.alone(c.Pos()) {
			code-- // the line goes
		}
		gone := rewrite.Edit{Start: code, End: s.offset(c.End())}
		if left != "" {
			gone = rewrite.Edit{Start: end, End: s.offset(c.End()), New: left}
		}
		p.swaps = append(p.swaps, gone)
	}
	return p, nil
}

// placeOf is the line of a comment, with its file where that is another one.
func (s *File) placeOf(c *ast.CommentGroup) string {
	if s.file.FileStart <= c.Pos() && c.Pos() < s.file.FileEnd {
		return fmt.Sprint("line ", s.line(c.Pos()))
	}
	at := s.pass.Fset.PositionFor(c.Pos(), false)
	return fmt.Sprint(filepath.Base(at.Filename), ":", at.Line)
}

// explaining is a comment that names the function which a call no longer calls: in the declaration
// of the call, on one of the file that this uses, or on a field that it uses; nil for none.
func (s *File) explaining(call *ast.CallExpr) *ast.CommentGroup {
	name := s.of(call.Fun)
	i := slices.IndexFunc(s.file.Decls, func(d ast.Decl) bool { return d.Pos() <= call.Pos() && call.End() <= d.End() })
	if i < 0 {
		return nil
	}
	around := s.file.Decls[i]
	used := func(id *ast.Ident) bool {
		return syntax.Some(around, func(use *ast.Ident) bool {
			return s.pass.Info.Uses[use] != nil && s.pass.Info.Uses[use] == s.pass.Info.Defs[id]
		})
	}
	uses := func(doc *ast.CommentGroup) bool {
		return slices.ContainsFunc(s.file.Decls, func(d ast.Decl) bool {
			return docOf(d) == doc && (d == around || slices.ContainsFunc(declared(d), used))
		})
	}
	for _, group := range s.file.Comments {
		if strings.Contains(group.Text(), name) && (around.Pos() <= group.Pos() && group.End() <= around.End() || uses(group)) {
			return group
		}
	}
	for _, f := range s.pass.Files {
		for field := range syntax.Nodes[*ast.Field](f) {
			if doc := cmp.Or(field.Doc, field.Comment); doc != nil && strings.Contains(doc.Text(), name) && slices.ContainsFunc(field.Names, used) {
				return doc
			}
		}
	}
	return nil
}

// docOf is the comment on a declaration, nil for none.
func docOf(d ast.Decl) *ast.CommentGroup {
	switch d := d.(type) {
	case *ast.FuncDecl:
		return d.Doc
	case *ast.GenDecl:
		return d.Doc
	}
	return nil
}

// declared are the names that a declaration declares.
func declared(d ast.Decl) (names []*ast.Ident) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		names = append(names, d.Name)
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.ValueSpec:
				names = append(names, spec.Names...)
			case *ast.TypeSpec:
				names = append(names, spec.Name)
			}
		}
	}
	return names
}

// unasked is the comment behind a call, or right above its line, that tells gosec to be silent on
// it, where the line has no other call that gosec may look at, and what stays of it; nil for none. One
// above that asks for what is done now goes, too.
func (s *File) unasked(call *ast.CallExpr) (*ast.Comment, string) {
	line := s.line(call.End())
	for _, group := range s.file.Comments {
		c := group.List[0]
		behind := call.End() <= c.Pos() && s.line(c.Pos()) == line
		above := len(group.List) == 1 && s.line(c.Pos())+1 == line && s.line(call.Pos()) == line && s.alone(c.Pos())
		left, ok := directive.Unasked(c.Text)
		if above && remark.Wished(c.Text) {
			return c, ""
		}
		if !behind && !above || !ok {
			continue
		}
		others := syntax.Some(s.file, func(other *ast.CallExpr) bool {
			fn := s.pass.callee(other)
			return other != call && s.line(other.Pos()) == line && fn != nil && fn.Pkg() != nil && asked[fn.Pkg().Path()]
		})
		if !others {
			return c, left
		}
	}
	return nil, ""
}

// asked are the packages with functions that gosec has rules on for files and programs.
var asked = map[string]bool{"os": true, "io/ioutil": true, "os/exec": true, "syscall": true}

// writesFile reports whether a call is one of os.WriteFile, under any name.
func (p Pass) writesFile(call *ast.CallExpr) bool {
	return p.calls(call, "os", "WriteFile") || p.calls(call, "io/ioutil", "WriteFile")
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
	if imported || s.taken[name] || slices.ContainsFunc(s.file.Imports, func(spec *ast.ImportSpec) bool { return ImportName(s.pass, spec) == name }) {
		return ""
	}
	s.imports[name] = fn.Pkg().Path()
	return name + "." + fn.Name()
}

// withMode is the function of the package that replaces a file as a whole and chooses the mode that
// a call of os.WriteFile is given; empty for none.
func (s *File) withMode(call *ast.CallExpr) string {
	if s.pass.Replacers == nil {
		return ""
	}
	perm := s.pass.Info.Types[call.Args[2]].Value
	for _, fn := range s.pass.Replacers() {
		if fn.Pkg() != s.pass.Pkg || fn.Signature().Params().Len() != 2 || perm == nil {
			continue
		}
		if mode := s.modeOf(fn); mode != nil && constant.Compare(constant.ToInt(perm), token.EQL, mode) {
			if name := s.named(fn, call.Pos(), false); name != "" {
				return name
			}
		}
	}
	return ""
}

// modeOf is the mode of the files that a function makes by os.CreateTemp, as it sets it itself; nil
// where that is not certain.
func (s *File) modeOf(fn *types.Func) (mode constant.Value) {
	for f, decl := range s.pass.funcs(s.pass.Files...) {
		if f != fn {
			continue
		}
		for call := range syntax.Nodes[*ast.CallExpr](decl.Body) {
			sel, _ := call.Fun.(*ast.SelectorExpr)
			switch {
			case s.pass.calls(call, "os", "CreateTemp") || s.pass.calls(call, "io/ioutil", "TempFile"):
				mode = constant.MakeInt64(0o600)
			case sel != nil && sel.Sel.Name == "Chmod":
				set := s.pass.Info.Types[call.Args[len(call.Args)-1]].Value
				if mode == nil || set == nil {
					return nil
				}
				mode = constant.ToInt(set)
			}
		}
	}
	return mode
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

// isComposite reports whether values of a type have parts.
func isComposite(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Struct, *types.Array:
		return true
	}
	return false
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
