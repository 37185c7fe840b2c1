package prove

import (
	"go/ast"
	"slices"
	"strings"

	"github.com/lockvet/lockvet/internal/lexicon"
)

// deferring is the statement that defers a call which returns an error, as the package defers
// such calls: bare, or in a function that assigns the error to the blank identifier, which is
// what linters of unchecked errors want.
func (s *File) deferring(call string) string {
	if s.drops() {
		return "defer func() { _ = " + call + " }()"
	}
	return "defer " + call
}

// dropsErrors reports whether more of the calls whose error nobody wants have it assigned to the
// blank identifier than not. The deferred calls that release something decide, those of the file
// before those of the package; where there are none, all deferred calls, or all calls.
func (s *File) dropsErrors() bool {
	for _, like := range []func(unwanted) bool{
		func(u unwanted) bool { return u.deferred && lexicon.Releases(u.name) },
		func(u unwanted) bool { return u.deferred },
		func(unwanted) bool { return true },
	} {
		for _, files := range [][]*ast.File{{s.file}, s.pass.Files} {
			if more := s.blanks(files, like); more != 0 {
				return more > 0
			}
		}
	}
	return false
}

// An unwanted error is that of a call, at which nobody looks.
type unwanted struct {
	name            string // of the function that is called
	deferred, blank bool
}

// blanks counts the calls that are like those asked for: how many more assign their error to the
// blank identifier than do not.
func (s *File) blanks(files []*ast.File, like func(unwanted) bool) (more int) {
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			stmt, ok := n.(ast.Stmt)
			if !ok {
				return true
			}
			call, u := s.unwanted(f, stmt)
			switch {
			case call == nil || !isError(s.pass.Info.TypeOf(call)):
				return true
			case !like(u):
			case u.blank || s.silenced(f, stmt):
				more++
			case u.name != "Close": // linters except it
				more--
			}
			return !u.deferred
		})
	}
	return more
}

// unwanted is the call of a statement that does nothing else, and drops what that returns.
func (s *File) unwanted(f *ast.File, stmt ast.Stmt) (call *ast.CallExpr, u unwanted) {
	at := stmt
	d, deferred := stmt.(*ast.DeferStmt)
	if deferred {
		call = d.Call
		if lit, ok := d.Call.Fun.(*ast.FuncLit); ok && len(lit.Body.List) == 1 {
			at = lit.Body.List[0]
		}
	}
	if at != stmt || !deferred {
		call = plainCall(at)
		_, u.blank = at.(*ast.AssignStmt)
	}
	if call == nil {
		return nil, u
	}
	if fn := s.pass.callee(call); fn != nil {
		u.name = fn.Name()
	}
	u.deferred = deferred
	return call, u
}

// silenced reports whether a comment beside a statement tells a linter of unchecked errors to be
// silent.
func (s *File) silenced(f *ast.File, stmt ast.Stmt) bool {
	line := s.pass.Fset.Position(stmt.End()).Line
	return slices.ContainsFunc(f.Comments, func(g *ast.CommentGroup) bool {
		text := g.List[0].Text
		return g.Pos() > stmt.Pos() && s.pass.Fset.Position(g.Pos()).Line == line && strings.HasPrefix(text, "//nolint") && strings.Contains(text, "errcheck")
	})
}
