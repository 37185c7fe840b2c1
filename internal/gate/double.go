package gate

import (
	"go/ast"
	"go/token"
	"go/types"
)

// A DoubleCheck is where a function looks whether something has been made, takes a lock and
// looks again, and else uses what it has seen without the lock.
type DoubleCheck struct {
	Place  string   // as it is spelled
	Look   ast.Expr // the first look
	Lock   *ast.CallExpr
	Assign *ast.AssignStmt // under the lock
	Used   ast.Expr        // without it
}

// DoubleChecks lists those of a body, without the function literals in it.
func DoubleChecks(info *types.Info, body *ast.BlockStmt) (list []DoubleCheck) {
	eachList(body, func(stmts []ast.Stmt) {
		for i, s := range stmts {
			if _, name := mutexCall(info, s); releasing[name] != "" {
				return // what comes behind is under some lock
			}
			outer, ok := s.(*ast.IfStmt)
			if !ok || outer.Init != nil || outer.Else != nil {
				continue
			}
			place, op := comparedWithNil(info, outer.Cond)
			if place == nil {
				continue
			}
			d := DoubleCheck{Place: types.ExprString(place), Look: place}
			switch op {
			case token.EQL: // made within
				if d.makes(info, outer.Body.List) {
					d.Used = d.useIn(stmts[i+1:])
				}
			case token.NEQ: // used within, and made behind
				if leaves(outer.Body) && d.makes(info, stmts[i+1:]) {
					d.Used = d.useIn(outer.Body.List)
				}
			}
			if d.Used != nil {
				list = append(list, d)
			}
		}
	})
	return list
}

// makes reports whether statements take a lock first, look at the place again under it, and
// assign to it.
func (d *DoubleCheck) makes(info *types.Info, stmts []ast.Stmt) bool {
	if len(stmts) == 0 {
		return false
	}
	var name string
	if d.Lock, name = mutexCall(info, stmts[0]); d.Lock == nil || name != "Lock" {
		return false
	}
	again := false
	for _, s := range stmts[1:] {
		ast.Inspect(s, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.IfStmt:
				if place, _ := comparedWithNil(info, n.Cond); place != nil && types.ExprString(place) == d.Place {
					again = true
				}
			case *ast.AssignStmt:
				for _, to := range n.Lhs {
					if again && d.Assign == nil && types.ExprString(to) == d.Place {
						d.Assign = n
					}
				}
			}
			return true
		})
	}
	return d.Assign != nil
}

// useIn is the first use of the place in statements that is no look whether it is there, nil
// for none or where they take a lock before.
func (d *DoubleCheck) useIn(stmts []ast.Stmt) (used ast.Expr) {
	for _, s := range stmts {
		locked := false
		ast.Inspect(s, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BinaryExpr:
				if n.Op == token.EQL || n.Op == token.NEQ {
					return false
				}
			case *ast.AssignStmt:
				for _, from := range n.Rhs {
					used = orExpr(used, d.within(from))
				}
				return false
			case *ast.CallExpr:
				if sel, ok := n.Fun.(*ast.SelectorExpr); ok && releasing[sel.Sel.Name] != "" {
					locked = true
				}
			case ast.Expr:
				if used == nil && types.ExprString(n) == d.Place {
					used = n
				}
			}
			return used == nil && !locked
		})
		if used != nil || locked {
			return used
		}
	}
	return nil
}

// within is the place where it stands in an expression, nil for nowhere.
func (d *DoubleCheck) within(e ast.Expr) (used ast.Expr) {
	ast.Inspect(e, func(n ast.Node) bool {
		if x, ok := n.(ast.Expr); ok && used == nil && types.ExprString(x) == d.Place {
			used = x
		}
		return used == nil
	})
	return used
}

func orExpr(a, b ast.Expr) ast.Expr {
	if a != nil {
		return a
	}
	return b
}

// comparedWithNil is the field or package variable that a condition compares with nil, and how.
func comparedWithNil(info *types.Info, cond ast.Expr) (ast.Expr, token.Token) {
	b, ok := ast.Unparen(cond).(*ast.BinaryExpr)
	if !ok || b.Op != token.EQL && b.Op != token.NEQ {
		return nil, 0
	}
	if id, ok := b.Y.(*ast.Ident); !ok || info.Uses[id] != types.Universe.Lookup("nil") {
		return nil, 0
	}
	switch x := b.X.(type) {
	case *ast.SelectorExpr:
		if v, ok := info.Uses[x.Sel].(*types.Var); ok && (v.IsField() || PackageLevel(v)) {
			return x, b.Op
		}
	case *ast.Ident:
		if PackageLevel(info.Uses[x]) {
			return x, b.Op
		}
	}
	return nil, 0
}

// leaves reports whether a block ends with a return.
func leaves(b *ast.BlockStmt) bool {
	if len(b.List) == 0 {
		return false
	}
	_, ok := b.List[len(b.List)-1].(*ast.ReturnStmt)
	return ok
}
