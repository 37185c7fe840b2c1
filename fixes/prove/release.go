package prove

import (
	"go/ast"

	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/lexicon"
)

// dropRemoval takes away the removal of a lock file:
//
//	lock.Unlock()
//	os.Remove(lockPath) // tidy up
//	~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
func (s *File) dropRemoval(r finding.DropRemoval) (*Proof, error) {
	body := s.declaring(r.Call)
	if body == nil {
		return nil, Refusal("the function that removes the file is not known")
	}
	sc := s.scope(body)
	if err := inOrder(func() error { return sc.dropRemovalCall(r.Call) }, sc.dropUnused); err != nil {
		return nil, err
	}
	p, err := sc.plan("Leave the lock file in place")
	if err != nil {
		return nil, err
	}
	p.Leaves = true
	return p, s.untold(r.Call)
}

// untold refuses where the comment on the function tells that it removes the file.
func (s *File) untold(call *ast.CallExpr) error {
	decl := s.declaringAt(call.Pos(), call.End())
	if lexicon.RemovesLock.MatchString(decl.Doc.Text()) {
		return refusef("the comment on %s says that it removes the file; only its author can change what it promises",
			decl.Name.Name)
	}
	return nil
}

func (sc *handleScope) dropRemovalCall(call *ast.CallExpr) error {
	if ret, ok := sc.statement(call).(*ast.ReturnStmt); ok && len(ret.Results) == 1 &&
		ast.Unparen(ret.Results[0]) == ast.Expr(call) {
		sc.put(call, "nil")
		return nil
	}
	return sc.dropRemove(call)
}
