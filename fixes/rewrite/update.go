package rewrite

import (
	"github.com/dave/dst"
	"github.com/dave/dst/dstutil"
)

// An Update is the proof that a load, the check of it, what is done then and the save
// can be one call with a function literal, which is given what was loaded and returns
// what is saved.
type Update struct {
	Tree *Tree
	// Read and Look load the file and check the error, Change changes what was loaded,
	// Save has the call SaveCall. They follow each other in one list.
	Read, Look dst.Stmt
	Change     []dst.Stmt
	Save       dst.Stmt
	SaveCall   dst.Expr
	// Kept is the part of Look that stays, under the condition Cond, without its first
	// statement if First is not nil; nil where nothing stays.
	Kept  *dst.BlockStmt
	Cond  string
	First dst.Stmt
	// Returns are the new sources of return statements in what stays.
	Returns map[dst.Stmt]string
	// Call is the source of the call, with a literal that is empty.
	Call string
	// Made are the last of Change if what is saved is made by them, and returned
	// together with its error by Result; otherwise Result follows Change.
	Made   int
	Result string
}

// Apply makes the end state.
func (u *Update) Apply() {
	for stmt, src := range u.Returns {
		u.Tree.Replace([]dst.Stmt{stmt}, Stmts(src), nil)
	}
	var list []dst.Stmt
	if u.Kept != nil {
		if u.First != nil {
			u.Tree.Drop(nil, u.First)
		}
		check := Stmts("if " + u.Cond + " {\n}")[0].(*dst.IfStmt)
		check.Body = u.Kept
		u.Tree.Replace([]dst.Stmt{u.Look}, []dst.Stmt{check}, nil)
		u.Look = check
		list = append(list, check)
	}
	list = append(list, u.Change...)
	result := Stmts(u.Result)
	if made := u.Change[len(u.Change)-u.Made:]; u.Made > 0 {
		u.Tree.Replace(made, result, nil)
		list = append(list[:len(list)-u.Made], result...)
		u.Change = append(u.Change[:len(u.Change)-u.Made:len(u.Change)-u.Made], result...)
	} else {
		list = append(list, result...)
	}
	u.nest(list, result[0])
}

// nest puts statements, the last of which is the result, into the literal of the call.
func (u *Update) nest(list []dst.Stmt, result dst.Stmt) {
	call := Expr(u.Call).(*dst.CallExpr)
	call.Args[len(call.Args)-1].(*dst.FuncLit).Body.List = list
	dstutil.Apply(u.Save, func(c *dstutil.Cursor) bool {
		if c.Node() == u.SaveCall {
			c.Replace(call)
			return false
		}
		return true
	}, nil)
	save, end := u.Save.Decorations(), result.Decorations()
	if u.Made == 0 {
		end.Before, end.Start = save.Before, save.Start
	} else {
		end.Start = append(end.Start, save.Start...)
	}
	save.Start = nil
	old := append([]dst.Stmt{u.Read, u.Look}, u.Change...)
	u.Tree.Replace(append(old, u.Save), []dst.Stmt{u.Save}, About(Nothing))
	list[0].Decorations().Before, end.After = dst.NewLine, dst.NewLine
}
