package prove

import (
	"go/ast"
	"go/token"
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

// dropsErrors reports whether more deferred calls of the file assign their error to the blank
// identifier than do not, or of the package, where the file has neither. Closing a file
// counts for nothing: linters except it.
func (s *File) dropsErrors() bool {
	blank, bare := s.deferrals(s.file)
	if blank+bare == 0 {
		for _, f := range s.pass.Files {
			more, others := s.deferrals(f)
			blank, bare = blank+more, bare+others
		}
	}
	return blank > bare
}

// deferrals counts the deferred calls of a file that return an error: those of which a function
// literal assigns it to the blank identifier, and the others.
func (s *File) deferrals(f *ast.File) (blank, bare int) {
	ast.Inspect(f, func(n ast.Node) bool {
		d, ok := n.(*ast.DeferStmt)
		if !ok {
			return true
		}
		lit, ok := d.Call.Fun.(*ast.FuncLit)
		if !ok {
			if isError(s.pass.Info.TypeOf(d.Call)) && !s.pass.closesFile(d.Call) {
				bare++
			}
			return true
		}
		if len(lit.Body.List) != 1 {
			return true
		}
		a, ok := lit.Body.List[0].(*ast.AssignStmt)
		if !ok || a.Tok != token.ASSIGN || len(a.Lhs) != 1 || !isBlankIdent(a.Lhs[0]) {
			return true
		}
		if call, ok := a.Rhs[0].(*ast.CallExpr); ok && isError(s.pass.Info.TypeOf(call)) {
			blank++
		}
		return true
	})
	return blank, bare
}

// closesFile reports whether a call is the Close of an open file.
func (pass Pass) closesFile(call *ast.CallExpr) bool {
	fn := pass.callee(call)
	return fn != nil && fn.FullName() == "(*os.File).Close"
}

func isBlankIdent(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "_"
}
