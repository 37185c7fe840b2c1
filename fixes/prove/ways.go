package prove

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/cfg"
)

// objects is a set of variables.
type objects map[types.Object]bool

// A standing is what holds of the handle at a place of the function.
type standing struct {
	failed bool // an error has been met on every way here

	// On some way here:
	open, closed, committed bool
	// pending are the variables that hold an error of a write which nobody has looked at and of which the
	// handle does not know.
	pending objects
}

// join is what holds where either standing does.
func (s standing) join(o standing) standing {
	s.failed = s.failed && o.failed
	s.open, s.closed, s.committed = s.open || o.open, s.closed || o.closed, s.committed || o.committed
	s.pending = maps.Clone(s.pending)
	maps.Copy(s.pending, o.pending)
	return s
}

func (s standing) equal(o standing) bool {
	return s.failed == o.failed && s.open == o.open && s.closed == o.closed && s.committed == o.committed &&
		maps.Equal(s.pending, o.pending)
}

// A ways is the forward problem of what holds of the handle at each place behind its opening.
type ways struct {
	sc    *handleScope
	graph *cfg.CFG
	// failing are the blocks that are reached with an error alone: solved first, as it decides whether a Close
	// gives the file up or completes it.
	failing map[*cfg.Block]bool
	at      map[*cfg.Block]standing
}

// A step is a node of the graph, and what holds in front of it.
type step struct {
	node ast.Node
	standing
}

// ways solves the problem for statements behind the opening of a file.
func (sc *handleScope) ways(list []ast.Stmt) *ways {
	w := &ways{sc: sc, failing: map[*cfg.Block]bool{}, at: map[*cfg.Block]standing{}}
	w.graph = cfg.New(&ast.BlockStmt{List: list}, func(call *ast.CallExpr) bool { return !sc.pass.endsProgram(call) })
	w.solveFailing()
	entry := w.graph.Blocks[0]
	w.at[entry] = standing{open: true, pending: objects{}}
	for todo := []*cfg.Block{entry}; len(todo) > 0; {
		b := todo[0]
		todo = todo[1:]
		out := w.after(b)
		for i, next := range b.Succs {
			in := w.along(b, i, out)
			old, met := w.at[next]
			if met {
				in = old.join(in)
			}
			if in.failed = w.failing[next]; !met || !in.equal(old) {
				w.at[next] = in
				todo = append(todo, next)
			}
		}
	}
	return w
}

// solveFailing finds the blocks to which every edge comes from a failing block, or says that there is an error:
// the greatest solution.
func (w *ways) solveFailing() {
	for _, b := range w.graph.Blocks[1:] {
		w.failing[b] = b.Live
	}
	for changed := true; changed; {
		changed = false
		for _, b := range w.graph.Blocks {
			for i, next := range b.Succs {
				if b.Live && w.failing[next] && !w.failing[b] && !w.tellsError(b, i) {
					w.failing[next], changed = false, true
				}
			}
		}
	}
}

// tellsError reports whether the n-th edge of a block is taken only where there is an error.
func (w *ways) tellsError(b *cfg.Block, n int) bool {
	cond := w.condition(b)
	if cond == nil {
		return false
	}
	_, failing, ok := w.sc.guard(cond)
	return ok && (failing && n == 0 || !failing && n == 1 && isComparison(cond))
}

// isComparison reports whether a condition is one alone: of several it is not known which does not hold.
func isComparison(cond ast.Expr) bool {
	bin, ok := ast.Unparen(cond).(*ast.BinaryExpr)
	return ok && bin.Op != token.LAND && bin.Op != token.LOR
}

// condition is the condition that a block ends in, nil for none.
func (w *ways) condition(b *cfg.Block) ast.Expr {
	if len(b.Succs) < 2 || len(b.Nodes) == 0 {
		return nil
	}
	e, _ := b.Nodes[len(b.Nodes)-1].(ast.Expr)
	if clause, ok := b.Succs[0].Stmt.(*ast.CaseClause); ok && e != nil {
		if s, ok := w.sc.parents[w.sc.parents[clause]].(*ast.SwitchStmt); ok && s.Tag != nil {
			return &ast.BinaryExpr{X: s.Tag, Op: token.EQL, Y: e}
		}
	}
	return e
}

// after is what holds behind the nodes of a block.
func (w *ways) after(b *cfg.Block) standing {
	s := w.at[b]
	for _, n := range b.Nodes {
		s = w.pass(n, s)
	}
	return s
}

// steps are the nodes that are reached, in the order of the source.
func (w *ways) steps() (list []step) {
	for _, b := range w.graph.Blocks {
		s, met := w.at[b]
		if !met {
			continue
		}
		if len(b.Nodes) == 0 && len(b.Succs) == 0 {
			list = append(list, step{nil, s}) // a jump to a place outside
		}
		for _, n := range b.Nodes {
			list = append(list, step{n, s})
			s = w.pass(n, s)
		}
	}
	slices.SortStableFunc(list, func(a, b step) int { return int(positionOf(a.node) - positionOf(b.node)) })
	return list
}

func positionOf(n ast.Node) token.Pos {
	if n == nil {
		return token.NoPos
	}
	return n.Pos()
}

// pass is what holds behind a node.
func (w *ways) pass(n ast.Node, s standing) standing {
	if _, ok := n.(*ast.DeferStmt); ok {
		return s
	}
	for call := range w.sc.callsIn(n) {
		switch {
		case w.sc.isRename(call):
			s.open, s.committed = false, s.committed || s.open
		case !w.sc.isMethod(call, "Close") || !s.open:
		case s.failed || w.sc.failsAfter(call):
			s.open, s.closed = false, true
		case w.sc.temp == nil:
			s.open, s.committed = false, true
		}
	}
	a, ok := n.(*ast.AssignStmt)
	if !ok {
		return s
	}
	s.pending = maps.Clone(s.pending)
	for _, lhs := range a.Lhs {
		if obj := w.sc.pass.object(lhs); !w.sc.keepsIn(a, obj) {
			delete(s.pending, obj)
		}
	}
	if call := w.sc.heard(a); call != nil && s.open {
		s.pending[w.sc.errorOf(a)] = true
	}
	return s
}

// along is what holds on the n-th edge of a block.
func (w *ways) along(b *cfg.Block, n int, s standing) standing {
	cond := w.condition(b)
	if cond == nil {
		return s
	}
	s.pending = maps.Clone(s.pending)
	w.learn(s.pending, cond, n == 0)
	return s
}

// learn takes out of pending the variables that are nil where a condition holds, or does not.
func (w *ways) learn(pending objects, cond ast.Expr, holds bool) {
	bin, ok := ast.Unparen(cond).(*ast.BinaryExpr)
	switch {
	case !ok:
	case bin.Op == token.EQL || bin.Op == token.NEQ:
		if obj := w.sc.pass.object(bin.X); isNil(w.sc.pass.Info, bin.Y) && (bin.Op == token.EQL) == holds {
			delete(pending, obj)
		}
	case bin.Op != token.LAND && bin.Op != token.LOR:
	case (bin.Op == token.LAND) == holds:
		w.learn(pending, bin.X, holds)
		w.learn(pending, bin.Y, holds)
	}
}
