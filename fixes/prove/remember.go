package prove

import (
	"go/ast"
	"go/token"
	"go/types"
)

// remembers lists the fields that a call changes, and reports whether the function
// that it calls does nothing else: it stands in the package, comes to its end, waits
// for nothing and calls only what is harmless or the same. ended are the functions that
// are met, and whether they were left again: one that calls itself may not end.
func (m *move) remembers(call *ast.CallExpr, ended map[*ast.FuncDecl]bool) (fields []types.Object, ok bool) {
	if call == nil {
		return nil, false
	}
	decl := m.pass.declared(m.pass.callee(call))
	if decl == nil {
		return nil, false
	}
	if left, met := ended[decl]; met {
		return nil, left
	}
	ended[decl], ok = false, true
	ast.Inspect(decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt, *ast.SendStmt, *ast.SelectStmt, *ast.LabeledStmt:
			ok = false
		case *ast.UnaryExpr:
			ok = ok && n.Op != token.ARROW
		case *ast.ForStmt:
			ok = ok && n.Cond != nil
		case *ast.RangeStmt:
			ok = ok && listed(m.pass.Info.TypeOf(n.X))
		case *ast.AssignStmt:
			for _, l := range n.Lhs {
				fields = m.addField(fields, l)
			}
		case *ast.IncDecStmt:
			fields = m.addField(fields, n.X)
		case *ast.CallExpr:
			if id, builtin := n.Fun.(*ast.Ident); builtin && len(n.Args) > 0 && (id.Name == "delete" || id.Name == "clear" || id.Name == "copy") {
				fields = m.addField(fields, n.Args[0])
			}
			if !m.harmless(n) {
				inner, same := m.remembers(n, ended)
				fields, ok = append(fields, inner...), ok && same
			}
		}
		return ok
	})
	ended[decl] = ok
	return fields, ok
}

// addField adds the field or variable that an expression ends in.
func (m *move) addField(fields []types.Object, e ast.Expr) []types.Object {
	if obj := m.fieldOf(e); obj != nil {
		fields = append(fields, obj)
	}
	return fields
}

// listed reports whether a loop over the type comes to its end by itself.
func listed(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Slice, *types.Map, *types.Array, *types.Basic:
		return true
	case *types.Pointer:
		return listed(t.Elem())
	}
	return false
}
