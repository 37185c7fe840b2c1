package prove

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/lockvet/lockvet/fixes/rewrite"
	"github.com/lockvet/lockvet/internal/pattern"
)

// idle tells the comments that go with a statement which is dropped: those in it
// and right above it, unless that speaks of how the function gives up, which it
// still does.
func (h *holding) idle(stmt ast.Stmt) rewrite.Gone {
	above, gone := "", rewrite.About(rewrite.Anything)
	if group := h.commentAbove(stmt); group != nil && h.spoken[stmt] {
		above = h.said(group)
	}
	return func(comment string) bool { return comment != above && gone(comment) }
}

// looking drops what looks at the file before it is made or where it is there, and
// what takes a stale one away. The one way in which the function gives up there is
// kept.
func (h *holding) looking(looks []*ast.CallExpr) error {
	looks = slices.Clone(looks)
	for call := range nodes[*ast.CallExpr](h.body) {
		if !slices.Contains(looks, call) && h.pass.calls(call, "os", "Stat", "Lstat", "ReadFile", "Open") && h.isPath(call.Args[0]) {
			looks = append(looks, call)
		}
	}
	slices.SortFunc(looks, func(a, b *ast.CallExpr) int { return int(a.Pos() - b.Pos()) })
	for _, call := range looks {
		if call == h.open || h.dropped(call) || h.pass.mentions(call, h.f) {
			continue
		}
		if !inside(call, h.body) {
			return Refusal("another function looks at the file")
		}
		if err := h.section(h.statement(call), call); err != nil {
			return err
		}
	}
	return nil
}

// section drops the statement of a list that looks at the file, and those behind
// it that depend on what it found.
func (h *holding) section(first ast.Stmt, look *ast.CallExpr) error {
	if h.waits(first, look) {
		h.take = "Lock"
		h.gone[first] = true
		return nil
	}
	found := objects{}
	for _, stmt := range append([]ast.Stmt{first}, h.rest(first)...) {
		if stmt == h.stmt || stmt != first && !h.depends(stmt, found) {
			break
		}
		if err := h.droppable(stmt, found); err != nil {
			return err
		}
		h.gone[stmt] = true
	}
	for id := range nodes[*ast.Ident](h.body) {
		if obj := h.pass.Info.Defs[id]; obj != nil && found[obj] && obj != h.failed && h.dropped(id) {
			h.vars[obj] = true
		}
	}
	return nil
}

// waits reports whether a statement does nothing but wait until the file is gone.
func (h *holding) waits(stmt ast.Stmt, look *ast.CallExpr) bool {
	loop, ok := stmt.(*ast.ForStmt)
	if !ok || loop.Init != nil || loop.Post != nil || ast.Unparen(loop.Cond) != ast.Expr(look) || len(loop.Body.List) == 0 {
		return false
	}
	return !slices.ContainsFunc(loop.Body.List, func(s ast.Stmt) bool {
		call := plainCall(s)
		return call == nil || !h.pass.calls(call, "time", "Sleep")
	})
}

// depends reports whether a statement asks what was found, or takes the file away
// because of it.
func (h *holding) depends(stmt ast.Stmt, found objects) bool {
	if a, ok := stmt.(*ast.AssignStmt); ok && a.Tok == token.DEFINE && len(a.Rhs) == 1 && h.isPure(a.Rhs[0]) && some(a.Rhs[0], h.isPath) {
		return true // the name under which it is set aside
	}
	return some(stmt, func(id *ast.Ident) bool { return found[h.pass.Info.Uses[id]] }) || some(stmt, func(call *ast.CallExpr) bool {
		return h.removal(call) && plainCall(stmt) == call || h.pass.calls(call, "os", "Rename") && h.isPath(call.Args[0])
	})
}

// droppable proves that a statement does nothing but look at the file, ask what
// that found, take the file away and go on; what it gives up by is noted.
func (h *holding) droppable(stmt ast.Stmt, found objects) error {
	return first(stmt, func(n ast.Node) error {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.GoStmt, *ast.DeferStmt, *ast.SendStmt, *ast.SelectStmt, *ast.IncDecStmt:
			return Refusal("more is done where the file is there than to ask for its owner")
		case *ast.ForStmt, *ast.RangeStmt:
			return Refusal("the function waits where the file is there, and does not take it then")
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				return Refusal("what waits stands among what looks at the file")
			}
		case *ast.IfStmt:
			return h.onDemand(n.Cond, found)
		case *ast.AssignStmt:
			return h.sets(n, stmt, found)
		case *ast.ValueSpec:
			for _, name := range n.Names {
				found[h.pass.Info.Defs[name]] = true
			}
		case *ast.ReturnStmt:
			return h.exit(n, stmt, found)
		case *ast.BranchStmt:
			h.retries = h.retries || n.Tok == token.CONTINUE && n.Pos() < h.stmt.Pos()
			if n.Tok == token.GOTO || n.Tok == token.BREAK {
				return Refusal("the function goes on elsewhere where the file is there")
			}
		case *ast.CallExpr:
			return h.isLook(n, found)
		}
		return nil
	})
}

// onDemand fails if a condition asks whether the file is to be taken over in any
// case.
func (h *holding) onDemand(cond ast.Expr, found objects) error {
	for id, v := range h.pass.vars(cond) {
		if !found[v] && v.Type() == types.Typ[types.Bool] {
			return refusef("%s decides whether one that is there is taken over", id.Name)
		}
	}
	return nil
}

// sets notes the variables that an assignment declares. Others must not be set.
func (h *holding) sets(a *ast.AssignStmt, stmt ast.Stmt, found objects) error {
	for _, lhs := range a.Lhs {
		id, ok := lhs.(*ast.Ident)
		if !ok {
			return Refusal("what looking at the file finds is kept")
		}
		if obj := h.pass.Info.Defs[id]; obj != nil {
			found[obj] = true
			continue
		}
		obj := h.pass.Info.Uses[id]
		if obj == nil || found[obj] || stmt.Pos() <= obj.Pos() && obj.Pos() < stmt.End() {
			continue
		}
		if obj != h.failed {
			return refusef("%s is set by what looks at the file", id.Name)
		}
		found[obj] = true
	}
	return nil
}

// isLook proves that a call changes nothing but the file.
func (h *holding) isLook(call *ast.CallExpr, found objects) error {
	if h.removal(call) || h.pureCall(call) || h.pass.isQuiet(call) && !h.pass.endsProgram(call) {
		return nil
	}
	fn := h.pass.callee(call)
	if fn == nil || fn.Pkg() == nil {
		return nil // a builtin, or the method of error
	}
	if h.pass.calls(call, "time", "Sleep", "After", "NewTimer", "Tick") {
		return Refusal("what waits stands among what looks at the file")
	}
	switch fn.Pkg().Path() {
	case "os", "syscall", "golang.org/x/sys/unix":
		if slices.Contains([]string{"Stat", "Lstat", "ReadFile", "Open", "IsNotExist", "IsExist", "IsPermission", "FindProcess", "Getpid", "Getppid", "Signal", "Kill", "Hostname", "Close", "Name", "Rename", "Exit"}, fn.Name()) {
			return nil
		}
		if fn.Name() == "Remove" {
			if obj := h.pass.object(call.Args[0]); obj != nil && found[obj] {
				return nil
			}
		}
	case "io/fs", "time", "io", "encoding/json", "bytes", "unicode", "errors", "bufio":
		return nil
	case h.pass.Pkg.Path():
		if fn.Signature().Results().Len() > 0 && asking.MatchString(fn.Name()) || slices.ContainsFunc(call.Args, h.isPath) {
			return nil
		}
	}
	return refusef("%s is called where the file is there", h.of(call.Fun))
}

// asking are the words of functions that ask whether a process lives, or a lock is
// stale.
var asking = pattern.New(`(?i)alive|running|dead|exist|stale|expired|fresh|parse|read|load|decode|old|orphan|same|is[A-Z]`)

// exit notes how the function gives up where the file is there. What it returns
// where it cannot look at the file goes with the look.
func (h *holding) exit(ret *ast.ReturnStmt, stmt ast.Stmt, found objects) error {
	if h.looksFail(ret, stmt) {
		return nil
	}
	if !h.decided(ret, stmt, found) {
		return Refusal("more than what the file is like decides whether it gives up")
	}
	if h.pass.mentions(ret, h.f) || some(ret, func(id *ast.Ident) bool { return found[h.pass.Info.Uses[id]] }) {
		return Refusal("what it returns where another has the lock tells what the file holds")
	}
	if ret.Pos() < h.stmt.Pos() {
		if err := h.movable(ret); err != nil {
			return err
		}
	}
	text := h.of(ret)
	if h.refusal != "" && h.refusal != text {
		return Refusal("it gives up in several ways where another has the lock")
	}
	h.refusal, h.spoken[stmt] = text, true
	if ret.Pos() > h.stmt.End() && h.at == nil {
		h.at = stmt
	}
	return nil
}

// decided reports whether nothing but what was found decides whether a return is
// come to: no attempts that are counted, no time that has passed.
func (h *holding) decided(ret *ast.ReturnStmt, stmt ast.Stmt, found objects) bool {
	for n := ast.Node(ret); n != ast.Node(stmt) && n != nil; n = h.parents[n] {
		check, ok := h.parents[n].(*ast.IfStmt)
		if !ok || n == ast.Node(check.Init) {
			continue
		}
		if h.pass.someVar(check.Cond, func(v *types.Var) bool {
			return !found[v] && !v.IsField() && v.Parent() != h.pass.Pkg.Scope() && v.Pkg() == h.pass.Pkg && !isError(v.Type()) &&
				types.TypeString(v.Type(), nil) != "time.Duration" && h.pass.object(h.path) != types.Object(v) && !h.pass.mentions(h.path, v)
		}) {
			return false
		}
	}
	return true
}

// looksFail reports whether a return is made only where looking at the file, or
// taking it away, has failed.
func (h *holding) looksFail(ret *ast.ReturnStmt, stmt ast.Stmt) bool {
	for n := ast.Node(ret); n != ast.Node(stmt) && n != nil; n = h.parents[n] {
		check, ok := h.parents[n].(*ast.IfStmt)
		if !ok || n != ast.Node(check.Body) && n != ast.Node(check.Else) {
			continue
		}
		if obj, failing, ok := h.guard(check.Cond); ok && (failing == (n == ast.Node(check.Body))) && obj != h.failed {
			return true
		}
		if n == ast.Node(check.Else) {
			continue
		}
		if not, ok := ast.Unparen(check.Cond).(*ast.UnaryExpr); ok && not.Op == token.NOT {
			call, ok := ast.Unparen(not.X).(*ast.CallExpr)
			if ok && (h.pass.calls(call, "os", "IsNotExist") || h.pass.calls(call, "errors", "Is")) && h.pass.mentions(ret, h.pass.object(call.Args[0])) {
				return true
			}
		}
	}
	return false
}
