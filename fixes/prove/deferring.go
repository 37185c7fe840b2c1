package prove

import (
	"go/ast"
	"slices"
	"strings"
	"sync"

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
	own := sync.OnceValue(func() []unwanted { return s.unwanteds(s.file) })
	others := sync.OnceValue(func() []unwanted { return s.unwanteds(s.pass.Files...) })
	for _, like := range []func(unwanted) bool{
		func(u unwanted) bool { return u.deferred && lexicon.Releases(u.name) },
		func(u unwanted) bool { return u.deferred },
		func(unwanted) bool { return true },
	} {
		for _, all := range []func() []unwanted{own, others} {
			if more := s.blanks(all(), like); more != 0 {
				return more > 0
			}
		}
	}
	return false
}

// An unwanted error is that of a call, at which nobody looks.
type unwanted struct {
	file            *ast.File
	stmt            ast.Stmt
	name            string // of the function that is called
	deferred, blank bool
}

// unwanteds lists those of files.
func (s *File) unwanteds(files ...*ast.File) (list []unwanted) {
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			stmt, ok := n.(ast.Stmt)
			if !ok {
				return true
			}
			call, u := s.unwanted(f, stmt)
			if call == nil || !isError(s.pass.Info.TypeOf(call)) {
				return true
			}
			list = append(list, u)
			return !u.deferred
		})
	}
	return list
}

// blanks counts the calls of a list that are like those asked for: how many more assign their error to the
// blank identifier than do not.
func (s *File) blanks(all []unwanted, like func(unwanted) bool) (more int) {
	for _, u := range all {
		switch {
		case !like(u):
		case u.blank || s.silenced(u.file, u.stmt):
			more++
		case u.name != "Close": // linters except it
			more--
		}
	}
	return more
}

// unwanted is the call of a statement that does nothing else, and drops what that returns.
func (s *File) unwanted(f *ast.File, stmt ast.Stmt) (call *ast.CallExpr, u unwanted) {
	u.file, u.stmt = f, stmt
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
