package prove

import (
	"go/ast"
	"go/token"
	"slices"

	"github.com/lockvet/lockvet/fixes/rewrite"
	"github.com/lockvet/lockvet/internal/directive"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/lexicon"
	"github.com/lockvet/lockvet/internal/syntax"
)

// surfaceError turns
//
//	if err := json.Unmarshal(data, s); err != nil {
//		log.Printf("begin with an empty state: %v", err)
//		~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
//		return &State{}, nil
//		       ~~~~~~~~~~~~~
//	}
//
// into a return of the error, and adds that return where there is none. What only
// said that the error is let be goes, if the function returns another error of loading the
// same file: who calls it knows of it then. Otherwise to go on is what the author wants.
func (s *File) surfaceError(r finding.SurfaceError) (*Proof, error) {
	sc := s.scope(r.Body)
	sur := &surfacing{sc: sc, SurfaceError: r}
	o := sc.outcome(r.Call)
	switch {
	case !sc.returnsError() || sc.literal(r.Call) != nil:
		return nil, Refusal("the function returns no error")
	case r.Opens:
		return nil, Refusal("the error may be that of a missing file: " +
			"return it where errors.Is(err, fs.ErrNotExist) says it is not")
	case sur.meant(), o.err != nil && o.check != nil && sur.explained(o.check.Body):
		return nil, Refusal("a comment says that the error is let be")
	case r.Return == nil && sc.letsGoLater(r.Call):
		return nil, Refusal("the function releases something later, which it would keep")
	}
	if sur.serves() || !sur.checked(o) && !sur.answered(o) {
		return nil, Refusal("the function goes on without the file on purpose, by what it does where it cannot load it; " +
			"have it return the error if that is not meant")
	}
	return sc.plan("Return the error")
}

// A surfacing is the error of one call that is to be returned.
type surfacing struct {
	sc *handleScope
	finding.SurfaceError
}

// serves reports whether the call stands in a loop without a condition, which the error would end.
func (s *surfacing) serves() bool {
	for n := ast.Node(s.Call); n != nil; n = s.sc.parents[n] {
		if loop, ok := n.(*ast.ForStmt); ok && loop.Cond == nil {
			return true
		}
	}
	return false
}

// meant reports whether a comment above the statement of the call, or beside it,
// says why nobody looks at the error.
func (s *surfacing) meant() bool {
	return lexicon.LetBe.MatchString(directive.Beside(s.sc.pass.Fset, s.sc.file, s.sc.statement(s.Call).Pos()))
}

// explained reports whether a comment in a block says so.
func (s *surfacing) explained(b *ast.BlockStmt) bool {
	return slices.ContainsFunc(s.sc.file.Comments, func(c *ast.CommentGroup) bool {
		return b.Lbrace < c.Pos() && c.End() < b.Rbrace && lexicon.LetBe.MatchString(c.Text())
	})
}

// failsBefore reports whether the function returns the error of the call that yields what this one
// decodes.
func (s *surfacing) failsBefore() bool {
	return syntax.Some(s.sc.body, func(a *ast.AssignStmt) bool {
		if a.End() > s.Call.Pos() || len(a.Lhs) != 2 || syntax.SoleCall(a) == nil ||
			!s.sc.pass.mentions(s.Call, s.sc.pass.object(a.Lhs[0])) {
			return false
		}
		failure := s.sc.errorOf(a)
		return failure != nil && syntax.Some(s.sc.body, func(check *ast.IfStmt) bool {
			return a.End() <= check.Pos() && check.End() < s.Call.Pos() && s.sc.handsOn(outcome{err: failure, check: check})
		})
	})
}

// checked gives a call at whose error nobody looks a check.
func (s *surfacing) checked(o outcome) bool {
	if !o.dropped() || !isError(s.sc.pass.Info.TypeOf(s.Call)) {
		return false
	}
	s.sc.carry(o.stmt, unless(rewrite.Carried, s.returning("err", o.stmt.Pos(), true)), s.Call)
	return true
}

// answered returns the error where it is met and answered with something else, if nothing else is done there.
func (s *surfacing) answered(o outcome) bool {
	if !s.sc.asks(o) || o.check.Else != nil {
		return false
	}
	list := o.check.Body.List
	if len(list) == 0 || slices.ContainsFunc(list, s.says) && !s.failsBefore() {
		return false
	}
	last := list[len(list)-1]
	if s.Return != nil && last != ast.Stmt(s.Return) {
		return false
	}
	for _, stmt := range list {
		if stmt != ast.Stmt(s.Return) && !s.says(stmt) {
			return false
		}
	}
	s.sc.change(last, s.returning(o.err.Name(), o.check.Body.Rbrace, false))
	for _, stmt := range list[:len(list)-1] {
		s.sc.drop(stmt)
	}
	return true
}

// says reports whether a statement only says that there was an error.
func (s *surfacing) says(stmt ast.Stmt) bool {
	call := syntax.PlainCall(stmt)
	return call != nil && s.sc.pass.isQuiet(call)
}

// returning is the return statement of the error name. New says that the name is
// declared by the check that the statement stands in.
func (s *surfacing) returning(name string, at token.Pos, new bool) string {
	zeros, fmtName := s.sc.zeros(), s.sc.imported("fmt", at)
	if fmtName == "" || s.Path == nil || !s.sc.isPure(s.Path) || !s.sc.sees(at, s.Path) || new && fmtName == name {
		return "return " + zeros + name
	}
	return "return " + zeros + fmtName + `.Errorf("` + s.Does + ` %s: %w", ` + s.sc.of(s.Path) + ", " + name + ")"
}
