package prove

import (
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"

	"github.com/lockvet/lockvet/fixes/rewrite"
	"github.com/lockvet/lockvet/internal/pattern"
)

// retell takes the temporary file out of what the function still says: out of the comments on
// the statements that replace the file now, and out of messages.
func (sc *handleScope) retell(stmts ...ast.Stmt) {
	for a := range nodes[*ast.AssignStmt](sc.body) { // what names the file goes with it
		if len(a.Lhs) == 1 && sc.temp.names[sc.pass.object(a.Lhs[0])] && sc.siblings(a) != nil && !slices.Contains(stmts, ast.Stmt(a)) {
			stmts = append(stmts, a)
		}
	}
	var hushed []rewrite.Op
	for _, stmt := range stmts {
		hushed = append(hushed, rewrite.Hush{Above: stmt, Keep: rewrite.Untold})
	}
	sc.ops = append(hushed, sc.ops...)

	end := sc.statement(sc.temp.rename).End()
	from, to := sc.lastText(sc.open.Args[0]), sc.lastText(sc.temp.target)
	for call := range nodes[*ast.CallExpr](sc.body) {
		if sc.changed(call) || !sc.pass.isQuiet(call) && !sc.makesError(call) {
			continue
		}
		for _, arg := range call.Args {
			lit, ok := arg.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				continue
			}
			said := lit.Value
			if sc.open.Pos() < lit.Pos() && lit.Pos() < end {
				for _, t := range temporary {
					said = t.words.ReplaceAllString(said, t.by)
				}
			}
			if to != "" && from != to && strings.HasPrefix(from, to) {
				said = strings.ReplaceAll(said, from, to)
			}
			if said != lit.Value {
				sc.put(lit, said)
			}
		}
	}
}

// collapsed makes the changes, unless a comment that stays tells of the temporary file.
func (sc *handleScope) collapsed(with string) (*Proof, error) {
	temp := ""
	if !sc.temp.handle {
		temp = strings.TrimPrefix(sc.lastText(sc.open.Args[0]), sc.lastText(sc.temp.target))
	}
	if !telling.MatchString(temp) {
		temp = ""
	}
	for _, d := range sc.file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if ok && temp != "" && f.Pos() <= sc.body.Pos() && sc.body.End() <= f.End() && strings.Contains(f.Doc.Text(), temp) {
			return nil, refusef("the comment on %s tells what becomes of its temporary file, %s; what it promises only its author can change", f.Name.Name, temp)
		}
	}
	if temp != "" && slices.ContainsFunc(sc.file.Comments, func(c *ast.CommentGroup) bool {
		text := c.Text()
		return sc.body.Pos() < c.Pos() && c.End() < sc.body.End() && sc.alone(c.Pos()) && strings.Contains(text, temp) && !idle(text) && !rewrite.Steps(text)
	}) {
		return nil, refusef("a comment tells what becomes of the temporary file, %s; what it promises only its author can change", temp)
	}
	p, err := sc.plan("Replace the file with " + with)
	if err == nil {
		p.Temp = temp
	}
	return p, err
}

// telling is the end of a name that says which file it is.
var telling = pattern.New(`^[.\w-]*\w\w$`)

// makesError reports whether a call makes an error of a text.
func (sc *handleScope) makesError(call *ast.CallExpr) bool {
	return sc.pass.calls(call, "fmt", "Errorf") || sc.pass.calls(call, "errors", "New") || sc.pass.wraps(call)
}

// temporary are the words of messages that call a file temporary, and what is said without:
// "write temp file" and "write tmp keys" are of the file itself, "meta.json.tmp" and "meta.json
// temp" are meta.json, and "write tmp" is to write the file.
var temporary = []struct {
	words *pattern.Pattern
	by    string
}{
	{pattern.New(`(\w\.\w+)(?:\.te?mp| te?mp)\b`), "$1"},
	{pattern.New("(?i)(^[\"`]| )(?:temp|temporary|tmp) ([\\w%])"), "$1$2"},
	{pattern.New("(?i)(\\w )(?:temp|tmp)(:|[\"`]$)"), "${1}file$2"},
}

// lastText is the last string that is written out in an expression, or in that which the
// variable was declared with that it is; empty for none.
func (sc *handleScope) lastText(e ast.Expr) (text string) {
	if value := sc.value(sc.pass.object(e)); value != nil {
		e = value
	}
	for lit := range nodes[*ast.BasicLit](e) {
		if lit.Kind == token.STRING {
			text, _ = strconv.Unquote(lit.Value)
		}
	}
	return text
}
