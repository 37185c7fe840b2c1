package prove

import (
	"go/ast"
	"go/types"
	"slices"

	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/syntax"
)

// publishHandle turns
//
//	f, err := os.Create(path)             f, err := safeio.Create(path)
//	if err != nil {                       if err != nil {
//		return err                            return err
//	}                                     }
//	defer f.Close()                       defer f.Close() // discards
//	return json.NewEncoder(f).Encode(v)   if err := json.NewEncoder(f).Encode(v); err != nil {
//	                                              return err
//	                                      }
//	                                      return f.Commit()
//
// Every way out of the block that declares the handle must be known: a success commits, anything else leaves the
// file as it was.
func (s *File) publishHandle(r finding.PublishHandle) (*Proof, error) {
	if s.pass.calls(r.Open, "os", "CreateTemp") {
		return nil, Refusal("the file is a temporary one")
	}
	sc, err := s.newHandleScope(r.Body, r.Open)
	if err != nil {
		return nil, err
	}
	sc.path, sc.overwrites = r.Open.Args[0], r.Overwrites
	if err := sc.reopen(); err != nil {
		return nil, err
	}
	sc.dropEarlyRemoves()
	sc.idle = slices.Clip(r.Locks)
	if r.Empties != nil {
		if sc.idle = append(sc.idle, r.Empties); !sc.emptiesFirst(r.Empties) {
			return nil, refusef("the file is not emptied on every way before it is written, at %s", s.place(r.Empties))
		}
	}
	if err := inOrder(sc.dropIdle, sc.follow); err != nil {
		return nil, err
	}
	message := "Publish the file with " + s.safeio + ".Create and Commit"
	if len(r.Locks) > 0 {
		message += ", which need no lock"
	}
	return sc.plan(message)
}

// emptiesFirst reports whether the handle is emptied by a call on every way, and written behind that alone.
func (sc *handleScope) emptiesFirst(call *ast.CallExpr) bool {
	return sc.isMethod(call, "Truncate") && indexOf(sc.tail, sc.statement(call)) >= 0 &&
		syntax.Every(syntax.List(sc.tail), func(c *ast.CallExpr) bool {
			writes := sc.isMethod(c, "Write") || sc.isMethod(c, "WriteString") || sc.isMethod(c, "ReadFrom") ||
				slices.ContainsFunc(c.Args, func(arg ast.Expr) bool { return sc.related(arg) })
			return c.Pos() >= call.Pos() || !writes
		})
}

// flushPublished has no proof of its own: where the file is published, that is the fix.
func (s *File) flushPublished(finding.FlushPublished) (*Proof, error) {
	return nil, Refusal("the file cannot be published as it is written: flush it before the lock is released")
}

// dropEarlyRemoves takes away a removal of the target that stands before the opening in the same block: the file
// is replaced, not made anew.
func (sc *handleScope) dropEarlyRemoves() {
	assign := sc.parents[sc.open].(*ast.AssignStmt)
	for _, stmt := range sc.siblings(assign) {
		if stmt == ast.Stmt(assign) {
			return
		}
		if call := syntax.PlainCall(stmt); call != nil && sc.pass.calls(call, "os", "Remove") && sc.isPath(call.Args[0]) {
			sc.drop(stmt)
		}
	}
}

// isPath reports whether an expression is the name that the file is opened under, or asks the open file for it.
func (sc *handleScope) isPath(e ast.Expr) bool {
	if sc.path == nil {
		return false
	}
	if sc.isName(e) {
		return true
	}
	if obj := sc.pass.object(sc.path); obj != nil {
		return sc.pass.object(e) == obj
	}
	return types.ExprString(e) == types.ExprString(sc.path)
}
