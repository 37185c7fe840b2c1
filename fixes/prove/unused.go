package prove

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/lockvet/lockvet/internal/syntax"
)

// value is what an assignment in the body gives a variable last, nil for nothing.
func (sc *handleScope) value(v types.Object) (last ast.Expr) {
	for a := range syntax.Nodes[*ast.AssignStmt](sc.body) {
		for i, lhs := range a.Lhs {
			if v != nil && len(a.Lhs) == len(a.Rhs) && sc.pass.object(lhs) == v {
				last = a.Rhs[i]
			}
		}
	}
	return last
}

// dropUnused takes away the variables that the edits leave without a use, as
// the compiler would refuse them. It fails where their values have effects.
func (sc *handleScope) dropUnused() error {
	for {
		obj := sc.unusedVariable()
		if obj == nil {
			return nil
		}
		if err := sc.dropVariable(obj); err != nil {
			return err
		}
	}
}

// unusedVariable finds a variable of the body that the edits touch, that is
// still declared and that nothing reads any more.
func (sc *handleScope) unusedVariable() types.Object {
	touched, read := make(map[types.Object]bool), make(map[types.Object]bool)
	var declared []types.Object
	for id := range syntax.Nodes[*ast.Ident](sc.body) {
		if v, ok := sc.pass.Info.Defs[id].(*types.Var); ok && !sc.changed(id) && sc.isLocal(v, id) {
			declared = append(declared, v)
		}
		switch v, ok := sc.pass.Info.Uses[id].(*types.Var); {
		case !ok:
		case sc.changed(id):
			touched[v] = true
		case !sc.isAssigned(id):
			read[v] = true
		}
	}
	read[sc.f] = true
	again := sc.again
	if sc.temp != nil {
		again = append(again, sc.temp.target)
	}
	for _, e := range again {
		for id := range syntax.Nodes[*ast.Ident](e) {
			read[sc.pass.Info.Uses[id]] = true
		}
	}
	for _, obj := range declared {
		if touched[obj] && !read[obj] {
			return obj
		}
	}
	return nil
}

// isLocal reports whether an identifier declares a variable by a statement,
// not a parameter or field.
func (sc *handleScope) isLocal(v *types.Var, id *ast.Ident) bool {
	if v.IsField() || id.Name == "_" {
		return false
	}
	switch sc.parents[id].(type) {
	case *ast.AssignStmt, *ast.ValueSpec:
		return true
	}
	return false
}

// isAssigned reports whether an identifier is what an assignment assigns to.
func (sc *handleScope) isAssigned(id *ast.Ident) bool {
	a, ok := sc.parents[id].(*ast.AssignStmt)
	return ok && a.Tok == token.ASSIGN && slices.Contains(a.Lhs, ast.Expr(id))
}

func (sc *handleScope) dropVariable(obj types.Object) error {
	before := len(sc.ops)
	for s := range syntax.Nodes[*ast.AssignStmt](sc.body) {
		for i, lhs := range s.Lhs {
			if sc.pass.object(lhs) != obj || sc.changed(s) {
				continue
			}
			if err := sc.dropAssign(s, i); err != nil {
				return err
			}
		}
	}
	for s := range syntax.Nodes[*ast.DeclStmt](sc.body) {
		if id := syntax.BareVar(s); id != nil && sc.pass.object(id) == obj {
			sc.drop(s)
		}
	}
	if len(sc.ops) == before {
		return refusef("%s would be unused", obj.Name())
	}
	return nil
}

// dropAssign takes an assignment away, or gives its i-th value to no one.
func (sc *handleScope) dropAssign(s *ast.AssignStmt, i int) error {
	if len(s.Lhs) == 1 && sc.isPure(s.Rhs[0]) && sc.siblings(s) != nil {
		sc.drop(s)
		return nil
	}
	for j, lhs := range s.Lhs {
		id, ok := lhs.(*ast.Ident)
		if j != i && ok && id.Name != "_" && !sc.changed(id) && (s.Tok == token.ASSIGN || sc.pass.Info.Defs[id] != nil) {
			sc.put(s.Lhs[i], "_")
			return nil
		}
	}
	return refusef("%s would be unused", sc.of(s.Lhs[i]))
}
