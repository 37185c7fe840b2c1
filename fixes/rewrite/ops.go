package rewrite

import (
	"fmt"
	"go/ast"
	"slices"

	"github.com/dave/dst"
	"github.com/dave/dst/dstutil"
)

// An Op is a change of a declaration that has been proven right. It names what changes
// by the syntax that was parsed, and says nothing of lines, columns and comments.
type Op interface{ apply(*Tree) }

// Removes reports whether one of some changes takes a node away, or puts something else
// in its place.
func Removes(ops []Op, n ast.Node) bool {
	return slices.ContainsFunc(ops, func(op Op) bool {
		remover, ok := op.(interface{ removes(ast.Node) bool })
		return ok && remover.removes(n)
	})
}

// Apply makes changes, one after the other, and gives the lines of the source that they
// change.
func (t *Tree) Apply(ops ...Op) (edits []Edit, err error) {
	defer func() {
		if r := recover(); r != nil {
			edits, err = nil, fmt.Errorf("the code cannot be put together: %v", r)
		}
	}()
	before := t.lastCheck()
	for _, op := range ops {
		op.apply(t)
	}
	if check := t.lastCheck(); check != nil && before == nil {
		check.Body.List = check.Body.List[:len(check.Body.List)-1] // nothing follows it any more
	}
	return t.edits()
}

// Move puts statements, with the comments above and beside each, behind another.
type Move struct {
	Stmts  []ast.Stmt
	Behind ast.Stmt
	Apart  bool // with a blank line in between
}

func (m Move) apply(t *Tree) { put(t, t.Take(t.stmts(m.Stmts)...), m.Behind, nil, m.Apart) }

// Insert puts new statements, from their source, behind or in front of another.
type Insert struct {
	Src            string
	Behind, Before ast.Stmt
	// Above says that those in front come above the comments of the other.
	Above bool
}

func (i Insert) apply(t *Tree) {
	list := Stmts(i.Src)
	if i.Before != nil && !i.Above {
		decs, first := t.stmt(i.Before).Decorations(), list[0].Decorations()
		first.Start, decs.Start = decs.Start, nil
	}
	put(t, list, i.Behind, i.Before, false)
}

// put puts statements behind or in front of another. What is put behind one statement
// stands in the order in which it comes.
func put(t *Tree, list []dst.Stmt, behind, before ast.Stmt, apart bool) {
	space := dst.NewLine
	if apart {
		space = dst.EmptyLine
	}
	if before != nil {
		if decs := t.stmt(before).Decorations(); len(decs.Start) > 0 && decs.Before == dst.EmptyLine {
			space = dst.EmptyLine // a section with a comment of its own
		}
		list[len(list)-1].Decorations().After = space
		t.Before(t.stmt(before), list...)
		return
	}
	list[0].Decorations().Before = space
	at := t.stmt(behind)
	for t.behind[at] != nil {
		at = t.behind[at]
	}
	t.After(at, list...)
	t.behind[at] = list[len(list)-1]
}

// Drop takes a statement away, and the comments on it that are [Stale] then.
type Drop struct{ Stmt ast.Stmt }

func (d Drop) apply(t *Tree) {
	if stmt := t.stmt(d.Stmt); t.stands(stmt) {
		t.Drop(Stale, stmt)
	}
}

func (d Drop) removes(n ast.Node) bool { return within(n, d.Stmt) }

// Change puts new statements, from their source, in the place of some that follow each
// other. The name carried in the source stands for the expression Carry, which is taken
// over with its comments.
type Change struct {
	Stmts []ast.Stmt
	Src   string
	Carry ast.Expr
}

// Carried is the name that stands for the expression that a Change carries over.
const Carried = "carried_"

func (c Change) apply(t *Tree) {
	old, list := t.stmts(c.Stmts), Stmts(c.Src)
	if !t.stands(old[0]) {
		return
	}
	if c.Carry != nil {
		expr := t.node(c.Carry).(dst.Expr)
		for _, s := range list {
			if carry(s, expr) {
				from, to := beside(old[0]), beside(s)
				mine, below := behind(*from)
				*to, *from = Gone(Stale).remaining(mine), below
			}
		}
	}
	t.Replace(old, list, Stale)
	t.now(c.Stmts[0], list[0])
}

func (c Change) removes(n ast.Node) bool {
	return n.Pos() >= c.Stmts[0].Pos() && n.End() <= c.Stmts[len(c.Stmts)-1].End() &&
		(c.Carry == nil || !within(n, c.Carry))
}

// carry puts an expression in the place of the name that stands for it, and reports
// whether it is there.
func carry(in dst.Node, expr dst.Expr) (found bool) {
	dst.Inspect(in, func(n dst.Node) bool {
		if id, ok := n.(*dst.Ident); ok && id.Name == Carried {
			exchange(in, id, expr)
			found = true
		}
		return !found
	})
	return found
}

// beside are the comments on the line on which a statement, or its head, ends.
func beside(s dst.Stmt) *dst.Decorations {
	if s, ok := s.(*dst.IfStmt); ok {
		return &s.Body.Decs.Lbrace
	}
	return &s.Decorations().End
}

// Put puts a new expression, from its source, in the place of another. The name carried
// in the source stands for the part Carry of that.
type Put struct {
	Expr  ast.Expr
	Src   string
	Carry ast.Expr
}

func (p Put) apply(t *Tree) {
	old, new := t.node(p.Expr).(dst.Expr), Expr(p.Src)
	if p.Carry != nil {
		carry(new, t.node(p.Carry).(dst.Expr))
	}
	t.swap(t.file, old, new)
	t.now(p.Expr, new)
}

func (p Put) removes(n ast.Node) bool {
	return within(n, p.Expr) && (p.Carry == nil || !within(n, p.Carry))
}

// Hush takes the comment away that stands right above a statement, if it is [Stale].
type Hush struct{ Above ast.Stmt }

func (h Hush) apply(t *Tree) {
	decs := t.stmt(h.Above).Decorations()
	head, own := above(decs.Start)
	decs.Start = slices.Concat(head, Gone(Stale).remaining(own))
}

// swap puts one node in the place of another, with the comments and the line breaks
// around that.
func (t *Tree) swap(root dst.Node, old, new dst.Expr) {
	from, to := old.Decorations(), new.Decorations()
	to.Before, to.After, to.Start, to.End = from.Before, from.After, from.Start, from.End
	if lost := Gone(nil).remaining(minus(flat(old), flat(new))); len(lost) > 0 {
		panic("a comment would be lost") // Apply says so
	}
	exchange(root, old, new)
}

// exchange puts one node in the place of another.
func exchange(root dst.Node, old, new dst.Node) {
	dstutil.Apply(root, func(c *dstutil.Cursor) bool {
		if c.Node() == old {
			c.Replace(new)
			return false
		}
		return true
	}, nil)
}

// stands reports whether a statement is one of a list of the tree still.
func (t *Tree) stands(stmt dst.Stmt) bool {
	list, _, _ := t.list(stmt)
	return list != nil
}

// now lets a node stand for one of the syntax in what follows.
func (t *Tree) now(n ast.Node, new dst.Node) {
	t.nodes[t.place(n)] = new
}

// within reports whether a node is in another.
func within(n, other ast.Node) bool { return other.Pos() <= n.Pos() && n.End() <= other.End() }
