package prove

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// writing drops what writes the file and closes it, with the checks of the errors.
func (h *holding) writing() error {
	if h.file == nil {
		return nil
	}
	var uses []*ast.Ident
	for id := range nodes[*ast.Ident](h.body) {
		if h.pass.Info.Uses[id] == h.file && !h.dropped(id) {
			uses = append(uses, id)
		}
	}
	for _, id := range uses {
		if h.dropped(id) {
			continue
		}
		if err := h.use(id); err != nil {
			return err
		}
	}
	return nil
}

// use drops one use of the open file.
func (h *holding) use(id *ast.Ident) error {
	call := h.callOf(id)
	if call == nil {
		return Refusal("the open file is handed on")
	}
	if h.isName(call) {
		if !h.removes(call) {
			h.put(call, h.of(h.path))
		}
		return nil
	}
	stmt := h.statement(call)
	switch s := stmt.(type) {
	case *ast.ReturnStmt:
		if n := len(s.Results); n > 0 && ast.Unparen(s.Results[n-1]) == ast.Expr(call) && h.isMethodOf(call, h.file, "Close") {
			h.put(call, "nil")
			return nil
		}
	case *ast.DeferStmt:
		if s.Call == call && h.isMethodOf(call, h.file, "Close") {
			return h.dropWrite(stmt)
		}
	case *ast.ExprStmt, *ast.AssignStmt, *ast.IfStmt:
		return h.dropWrite(stmt)
	}
	return Refusal("the open file is handed on")
}

// callOf is the call that uses the open file: a method of it, or a function that
// writes to it.
func (h *holding) callOf(id *ast.Ident) *ast.CallExpr {
	switch p := h.parents[id].(type) {
	case *ast.SelectorExpr:
		if call, ok := h.parents[p].(*ast.CallExpr); ok && call.Fun == ast.Expr(p) {
			return call
		}
	case *ast.CallExpr:
		if h.pass.calls(p, "fmt", "Fprint", "Fprintf", "Fprintln") || h.pass.calls(p, "io", "WriteString") {
			return p
		}
		if h.pass.calls(p, "encoding/json", "NewEncoder") {
			if sel, ok := h.parents[p].(*ast.SelectorExpr); ok {
				call, _ := h.parents[sel].(*ast.CallExpr)
				return call
			}
		}
	}
	return nil
}

// removes reports whether the name of the open file is asked for to remove it.
func (h *holding) removes(name *ast.CallExpr) bool {
	call, ok := h.parents[name].(*ast.CallExpr)
	return ok && h.removal(call)
}

// dropWrite drops a statement that writes or closes the file, and the check of its
// error.
func (h *holding) dropWrite(stmt ast.Stmt) error {
	if err := h.isWrite(stmt); err != nil {
		return err
	}
	h.gone[stmt] = true
	assign, ok := stmt.(*ast.AssignStmt)
	if !ok {
		return nil
	}
	for _, lhs := range assign.Lhs {
		obj := h.pass.object(lhs)
		switch {
		case obj == nil || obj.Name() == "_":
			continue
		case !isError(obj.Type()):
			return refusef("%s is kept of writing the file", obj.Name())
		}
		if err := h.dropCheckOf(obj, assign); err != nil {
			return err
		}
		if id, ok := lhs.(*ast.Ident); ok && h.pass.Info.Defs[id] != nil {
			h.vars[obj] = true
		}
	}
	return nil
}

// dropCheckOf drops the check of an error of writing the file: the next statement,
// others that write it aside.
func (h *holding) dropCheckOf(obj types.Object, assign *ast.AssignStmt) error {
	list := h.siblings(assign)
	for _, next := range list[indexOf(list, assign)+1:] {
		check, ok := next.(*ast.IfStmt)
		switch {
		case ok && check.Init == nil && h.pass.mentions(check.Cond, obj):
			if !h.tests(check.Cond, token.NEQ, obj) {
				return Refusal("the function goes on where the file cannot be written")
			}
			h.gone[next] = true
			return h.isWrite(check)
		case !h.pass.mentions(next, h.file) && !h.gone[next]:
			return refusef("%s is not checked at once", obj.Name())
		}
	}
	return refusef("%s is not checked at once", obj.Name())
}

// isWrite proves that a statement does nothing but write the file, close it,
// and give up with the file removed.
func (h *holding) isWrite(stmt ast.Stmt) error {
	if s, ok := stmt.(*ast.IfStmt); ok && (s.Else != nil || !h.ends(s.Body.List) && !h.quietly(s.Body.List)) {
		return Refusal("the function goes on where the file cannot be written")
	}
	return first(stmt, func(n ast.Node) error {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.GoStmt, *ast.SendStmt:
			return Refusal("more is done than to write the file")
		case *ast.CallExpr:
			fn := h.pass.callee(n)
			known := fn == nil || fn.Pkg() == nil || fn.Pkg().Path() == "encoding/json" || fn.Pkg().Path() == "time" || fn.Pkg().Path() == "io"
			if !known && !h.pureCall(n) && !h.removal(n) && !h.pass.isQuiet(n) && !h.mentionsFile(n) {
				return refusef("%s is called to write the file", h.of(n.Fun))
			}
		}
		return nil
	})
}

// quietly reports whether statements do nothing but log, close the file and remove
// it.
func (h *holding) quietly(list []ast.Stmt) bool {
	return !slices.ContainsFunc(list, func(s ast.Stmt) bool {
		call := plainCall(s)
		return call == nil || !h.pass.isQuiet(call) && !h.removal(call) && !h.isMethodOf(call, h.file, "Close")
	})
}
