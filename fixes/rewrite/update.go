package rewrite

import (
	"go/ast"

	"github.com/dave/dst"
)

// Update makes a load, the check of it, what is done then and the save one call with a
// function literal, which is given what was loaded and returns what is saved.
type Update struct {
	// Read and Look load the file and check the error, Change changes what was loaded,
	// Save has the call SaveCall. They follow each other in one list.
	Read, Look ast.Stmt
	Change     []ast.Stmt
	Save       ast.Stmt
	SaveCall   ast.Expr
	// Remaining is the part of Look that stays, under the condition Cond, without its first
	// statement if First is not nil; nil where nothing stays.
	Remaining *ast.BlockStmt
	Cond      string
	First     ast.Stmt
	// Returns are the new sources of return statements in what stays.
	Returns map[*ast.ReturnStmt]string
	// Call is the source of the call, with a literal that is empty.
	Call string
	// Made are how many of the last of Change make what is saved, and return their
	// error, as Result does; where there are none, Result follows Change.
	Made   int
	Result string
}

func (u Update) apply(t *Tree) {
	look, change := t.stmt(u.Look), t.stmts(u.Change)
	for ret, src := range u.Returns {
		Change{Stmts: []ast.Stmt{ret}, Src: src}.apply(t)
	}
	var list []dst.Stmt
	if u.Remaining != nil {
		if u.First != nil {
			t.Drop(nil, t.stmt(u.First))
		}
		check := Stmts("if " + u.Cond + " {\n}")[0].(*dst.IfStmt)
		check.Body = t.node(u.Remaining).(*dst.BlockStmt)
		t.Replace([]dst.Stmt{look}, []dst.Stmt{check}, nil)
		look = check
		list = append(list, check)
	}
	result := Stmts(u.Result)[0]
	if n := len(change) - u.Made; u.Made > 0 {
		t.Replace(change[n:], []dst.Stmt{result}, nil)
		change = append(change[:n:n], result)
		list = append(list, change...)
	} else {
		list = append(append(list, change...), result)
	}
	u.nest(t, append([]dst.Stmt{t.stmt(u.Read), look}, change...), list)
}

// nest puts statements, the last of which is the result, into the literal of the call,
// and the save with it in the place of all that was there.
func (u Update) nest(t *Tree, old, list []dst.Stmt) {
	save, result := t.stmt(u.Save), list[len(list)-1]
	call := Expr(u.Call).(*dst.CallExpr)
	call.Args[len(call.Args)-1].(*dst.FuncLit).Body.List = list
	t.swap(save, t.node(u.SaveCall).(dst.Expr), call)
	decs, end := save.Decorations(), result.Decorations()
	if u.Made == 0 {
		end.Before = decs.Before
	}
	end.Start = append(end.Start, decs.Start...)
	decs.Start = nil
	t.Replace(append(old, save), []dst.Stmt{save}, About(Nothing))
	list[0].Decorations().Before, end.After = dst.NewLine, dst.NewLine
}
