package prove

import (
	"go/ast"
	"go/token"
	"go/types"
	"iter"
	"slices"

	"github.com/lockvet/lockvet/fixes/rewrite"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/syntax"
)

// moveInside puts changes of memory behind the statement that takes their lock:
//
//	c.history = append(c.history, m)     if err := c.lock(ctx); err != nil {
//	                                             return err
//	if err := c.lock(ctx); err != nil {  }
//	        return err                   defer c.unlock()
//	}
//	defer c.unlock()                     c.history = append(c.history, m)
//
// What reads the same fields on the way there moves along, in order.
func (s *File) moveInside(r finding.MoveInside) (*Proof, error) {
	m, err := s.newMove(r.Body, r.Lock, r.Changes)
	if err != nil {
		return nil, err
	}
	if m.first >= m.lock {
		return nil, Refusal("the change does not stand before the lock in one list of statements")
	}
	var moved, stay []ast.Stmt
	last := m.lastOfTaking()
	for i, stmt := range m.list[:last+1] {
		switch {
		case i < m.lock && m.mentions(stmt, m.fields...):
			moved = append(moved, stmt)
		case len(moved) > 0:
			stay = append(stay, stmt)
		}
	}
	if err := m.independent(moved, stay, m.list[m.lock]); err != nil {
		return nil, err
	}
	apart := s.parted(moved[len(moved)-1], m.list[m.lock])
	return m.sc.plan("Change it under the lock", rewrite.Move{Stmts: moved, Behind: m.list[last], Apart: apart})
}

// A move is a list of statements with a lock operation and changes of memory.
type move struct {
	sc     *handleScope
	list   []ast.Stmt
	lock   int // the statement with the lock operation
	first  int // the first with a change
	fields []types.Object
}

// newMove finds the innermost list that holds the lock operation and all
// changes, each in a statement of its own.
func (s *File) newMove(body *ast.BlockStmt, lock token.Pos, changes []token.Pos) (*move, error) {
	m := &move{sc: s.scope(body)}
	for n := range ast.Preorder(body) { // the innermost list that has them all
		list := syntax.ListIn(n)
		if at(list, lock) >= 0 && !slices.ContainsFunc(changes, func(p token.Pos) bool { return at(list, p) < 0 }) {
			m.list, m.lock = list, at(list, lock)
		}
	}
	if m.list == nil {
		return nil, Refusal("the change and the lock stand in different blocks")
	}
	m.first = len(m.list)
	for _, pos := range changes {
		i := at(m.list, pos)
		m.first = min(m.first, i)
		if obj := m.changed(m.list[i], pos); obj != nil {
			m.fields = append(m.fields, obj)
			continue
		}
		body := m.called(m.list[i])
		if body == nil {
			return nil, refusef("what is called at %s makes the change, and may do more", s.place(m.list[i]))
		}
		for _, e := range m.targets(body) {
			m.fields = append(m.fields, m.fieldOf(e))
		}
	}
	return m, nil
}

// called is the body of the function of the package that a statement calls and drops the results of; nil for none.
func (m *move) called(stmt ast.Stmt) *ast.BlockStmt {
	call := syntax.PlainCall(stmt)
	if call == nil || !m.sc.arePure(call.Args) {
		return nil
	}
	callee := m.sc.pass.callee(call)
	for fn, decl := range m.sc.pass.funcs(m.sc.pass.Files...) {
		if callee != nil && fn == callee.Origin() {
			return decl.Body
		}
	}
	return nil
}

// at is the index of the statement that holds a position, -1 for none.
func at(list []ast.Stmt, pos token.Pos) int {
	return slices.IndexFunc(list, func(s ast.Stmt) bool { return s.Pos() <= pos && pos < s.End() })
}

// targets are what a node changes, with what changes it: an assignment, or a call of delete,
// clear or copy.
func (m *move) targets(root ast.Node) iter.Seq2[ast.Node, ast.Expr] {
	return func(yield func(ast.Node, ast.Expr) bool) {
		for n := range ast.Preorder(root) {
			var list []ast.Expr
			switch n := n.(type) {
			case *ast.AssignStmt:
				list = n.Lhs
			case *ast.IncDecStmt:
				list = []ast.Expr{n.X}
			case *ast.CallExpr:
				if b := m.sc.pass.builtin(n); b == "delete" || b == "clear" || b == "copy" {
					list = n.Args[:1]
				}
			}
			for _, e := range list {
				if !yield(n, e) {
					return
				}
			}
		}
	}
}

// changed is the field or variable that is changed at a position.
func (m *move) changed(stmt ast.Stmt, pos token.Pos) (obj types.Object) {
	for by, e := range m.targets(stmt) {
		a, assigned := by.(*ast.AssignStmt)
		if by.Pos() <= pos && pos < by.End() &&
			(!assigned || !syntax.IsDefine(a) && e.Pos() <= pos && (pos < e.End() || len(a.Lhs) == 1)) {
			obj = m.fieldOf(e)
		}
	}
	return obj
}

// fieldOf is the field or variable that an expression ends in or indexes.
func (m *move) fieldOf(e ast.Expr) types.Object {
	if index, ok := ast.Unparen(e).(*ast.IndexExpr); ok {
		return m.fieldOf(index.X)
	}
	return m.sc.lastName(e)
}

// lastOfTaking is the last of the statements that belong to taking the lock: the
// check of its error and the deferred unlock.
func (m *move) lastOfTaking() int {
	last := m.lock
	if call := syntax.SoleCall(m.list[last]); call != nil {
		last += len(m.sc.outcome(call).stmts()) - 1
	}
	for last+1 < len(m.list) {
		if _, ok := m.list[last+1].(*ast.DeferStmt); !ok {
			break
		}
		last++
	}
	return last
}

// independent proves that the moved statements mean the same behind those that
// stay: neither uses what the other sets, nothing returns in between, and none
// of them calls what cannot be seen.
func (m *move) independent(moved, stay []ast.Stmt, lock ast.Stmt) error {
	var defined []types.Object
	for _, stmt := range moved {
		defined = append(defined, m.set(stmt)...)
	}
	for _, stmt := range stay {
		if m.mentions(stmt, defined...) ||
			slices.ContainsFunc(moved, func(s ast.Stmt) bool { return m.mentions(s, m.set(stmt)...) }) {
			return Refusal("what is changed is used before the lock is acquired, or changes there")
		}
	}
	for _, stmt := range slices.Concat(moved, stay) {
		if stmt.Pos() < lock.Pos() {
			if err := m.calm(stmt); err != nil {
				return err
			}
		}
	}
	return nil
}

// mentions reports whether a statement, or what it calls, names some fields or variables.
func (m *move) mentions(stmt ast.Stmt, objs ...types.Object) bool {
	body := m.called(stmt)
	return m.sc.pass.mentions(stmt, objs...) || body != nil && m.sc.pass.mentions(body, objs...)
}

// set lists the fields and variables that a statement, or what it calls, declares or assigns to.
func (m *move) set(stmt ast.Stmt) (objs []types.Object) {
	roots := []ast.Node{stmt}
	if body := m.called(stmt); body != nil {
		roots = append(roots, body)
	}
	for _, root := range roots {
		for _, e := range m.targets(root) {
			objs = append(objs, m.fieldOf(e))
		}
	}
	for id := range syntax.Nodes[*ast.Ident](stmt) {
		objs = append(objs, m.sc.pass.Info.Defs[id])
	}
	return slices.DeleteFunc(objs, func(obj types.Object) bool { return obj == nil })
}

// calm proves that a statement does nothing but compute and assign: it does not
// leave its list, wait, or call what could take a lock. Nor does the function that it calls, if it is nothing but that.
func (m *move) calm(stmt ast.Stmt) error {
	root, inner := ast.Node(stmt), m.called(stmt)
	if inner != nil {
		root = inner
	}
	return syntax.First(root, func(n ast.Node) error {
		if _, ok := n.(*ast.ReturnStmt); ok && inner != nil {
			return nil
		}
		switch n := n.(type) {
		case *ast.ReturnStmt, *ast.BranchStmt, *ast.LabeledStmt, *ast.GoStmt, *ast.DeferStmt, *ast.SendStmt, *ast.SelectStmt,
			*ast.FuncLit:
			return refusef("more than the change happens between it and the lock, at %s", m.sc.place(n))
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				return refusef("more than the change happens between it and the lock, at %s", m.sc.place(n))
			}
		case *ast.CallExpr:
			if !m.harmless(n) {
				return refusef("%s is called between the change and the lock, at %s", types.ExprString(n.Fun), m.sc.place(n))
			}
		}
		return nil
	})
}

// harmless reports whether a call can neither take a lock nor change what is
// moved: a builtin, a conversion, or a function that computes.
func (m *move) harmless(call *ast.CallExpr) bool {
	if m.sc.pureCall(call) || m.sc.pass.isQuiet(call) {
		return true
	}
	if _, ok := call.Fun.(*ast.Ident); ok {
		return m.sc.pass.builtin(call) != ""
	}
	fn := m.sc.pass.callee(call)
	return fn != nil && fn.Pkg() != nil && (fn.Pkg().Path() == "slices" || fn.Pkg().Path() == "maps")
}
