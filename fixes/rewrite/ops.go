package rewrite

import (
	"fmt"
	"go/ast"

	"github.com/dave/dst"
	"github.com/dave/dst/dstutil"
)

// An Op is a change of a declaration that has been proven right. It names what changes
// by the syntax that was parsed, and says nothing of lines, columns and comments.
type Op interface{ apply(*Tree) }

// Apply makes changes, one after the other, and gives the lines of the source that they
// change.
func (t *Tree) Apply(ops ...Op) (edits []Edit, err error) {
	defer func() {
		if r := recover(); r != nil {
			edits, err = nil, fmt.Errorf("the code cannot be put together: %v", r)
		}
	}()
	for _, op := range ops {
		op.apply(t)
	}
	return t.edits()
}

// Move puts statements, with the comments above and beside each, behind or in front of
// another.
type Move struct {
	Stmts          []ast.Stmt
	Behind, Before ast.Stmt
	Apart          bool // with a blank line in between
	// Within is the source of a statement whose last block is empty, and holds them there;
	// empty for none.
	Within string
}

func (m Move) apply(t *Tree) {
	list := t.Take(t.stmts(m.Stmts)...)
	if m.Within != "" {
		outer, block := within(m.Within)
		block.List, list = list, []dst.Stmt{outer}
	}
	put(t, list, m.Behind, m.Before, m.Apart)
}

// within is a new statement, from its source, and its last block.
func within(src string) (outer dst.Stmt, block *dst.BlockStmt) {
	outer = Stmts(src)[0]
	dst.Inspect(outer, func(n dst.Node) bool {
		if b, ok := n.(*dst.BlockStmt); ok {
			block = b
		}
		return true
	})
	return outer, block
}

// Insert puts new statements, from their source, behind or in front of another.
type Insert struct {
	Src            string
	Behind, Before ast.Stmt
	Apart          bool // with a blank line in between
	// Below says that those in front come below the comments of the other.
	Below bool
}

func (i Insert) apply(t *Tree) {
	list := Stmts(i.Src)
	if i.Below {
		decs, first := t.stmt(i.Before).Decorations(), list[0].Decorations()
		first.Start, decs.Start = decs.Start, nil
	}
	put(t, list, i.Behind, i.Before, i.Apart)
}

func put(t *Tree, list []dst.Stmt, behind, before ast.Stmt, apart bool) {
	space := dst.NewLine
	if apart {
		space = dst.EmptyLine
	}
	if behind != nil {
		list[0].Decorations().Before = space
		t.After(t.stmt(behind), list...)
		return
	}
	list[len(list)-1].Decorations().After = space
	t.Before(t.stmt(before), list...)
}

// Drop takes a statement away, and the comments that speak of nothing else.
type Drop struct {
	Stmt  ast.Stmt
	About []Topic
}

func (d Drop) apply(t *Tree) { t.Drop(About(d.About...), t.stmt(d.Stmt)) }

// Change puts new statements, from their source, in the place of one.
type Change struct {
	Stmt ast.Stmt
	Src  string
}

func (c Change) apply(t *Tree) { t.Replace([]dst.Stmt{t.stmt(c.Stmt)}, Stmts(c.Src), nil) }

// Put puts a new expression, from its source, in the place of another.
type Put struct {
	Expr ast.Expr
	Src  string
}

func (p Put) apply(t *Tree) { t.swap(t.file, t.node(p.Expr).(dst.Expr), Expr(p.Src)) }

// swap puts one node in the place of another, with the comments and the line breaks
// around that.
func (t *Tree) swap(root dst.Node, old, new dst.Expr) {
	from, to := old.Decorations(), new.Decorations()
	to.Before, to.After, to.Start, to.End = from.Before, from.After, from.Start, from.End
	dstutil.Apply(root, func(c *dstutil.Cursor) bool {
		if c.Node() == old {
			c.Replace(new)
			return false
		}
		return true
	}, nil)
}

// Nest puts statements that follow each other into the block of a new statement, from
// its source, whose last block is empty.
type Nest struct {
	Stmts []ast.Stmt
	Src   string
}

func (n Nest) apply(t *Tree) {
	outer, block := within(n.Src)
	t.Nest(t.stmts(n.Stmts), outer, block)
}
