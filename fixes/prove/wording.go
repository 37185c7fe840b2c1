package prove

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"

	"github.com/lockvet/lockvet/fixes/rewrite"
	"github.com/lockvet/lockvet/internal/lexicon"
	"github.com/lockvet/lockvet/internal/syntax"
)

// sees reports whether the names of an expression mean the same at a position.
func (sc *handleScope) sees(at token.Pos, e ast.Expr) bool {
	for id := range syntax.Unselected(e) {
		if sc.pass.lookup(id.Name, at) != sc.pass.Info.Uses[id] {
			return false
		}
	}
	return true
}

// collapsed makes the changes. Where the comment on the function tells of the temporary file or of the rename, which
// go, or one that stays in it of that file, only its author can say what it promises.
func (sc *handleScope) collapsed(with string) (*Proof, error) {
	temp := strings.TrimPrefix(sc.lastText(sc.open.Args[0]), sc.lastText(sc.temp.target))
	if sc.temp.handle || !lexicon.Telling.MatchString(temp) {
		temp = ""
	}
	doubt := ""
	if decl := sc.declaringAt(sc.body.Pos(), sc.body.End()); decl != nil {
		for _, told := range []string{sc.of(sc.temp.rename.Fun), temp} {
			if told != "" && strings.Contains(decl.Doc.Text(), told) {
				doubt = fmt.Sprintf("the comment on %s tells of %s, which goes: have it say what holds then", decl.Name.Name, told)
			}
		}
	}
	if temp != "" && slices.ContainsFunc(sc.file.Comments, func(c *ast.CommentGroup) bool {
		return syntax.Inside(c, sc.body) && sc.alone(c.Pos()) && strings.Contains(c.Text(), temp) && !rewrite.Stale(c.Text())
	}) {
		doubt = fmt.Sprintf("a comment tells what becomes of the temporary file, %s: have it say what holds then", temp)
	}
	var hushed []rewrite.Op
	for _, stmt := range []ast.Stmt{sc.statement(sc.open), sc.statement(sc.temp.rename)} {
		hushed = append(hushed, rewrite.Hush{Above: stmt})
	}
	sc.ops = append(hushed, sc.ops...)
	p, err := sc.plan("Replace the file with " + with)
	if err == nil {
		p.Temp, p.Doubt = temp, doubt
	}
	return p, err
}

// mute refuses since the function returns no error that could say something.
func (sc *handleScope) mute(what string) error {
	if decl := sc.declaringAt(sc.body.Pos(), sc.body.End()); decl != nil && decl.Body == sc.body {
		return refusef("have %s return an error: nothing could say %s", decl.Name.Name, what)
	}
	return refusef("the function literal has no error result that could say %s", what)
}

// lastText is the last string that is written out in an expression, or in that which the
// variable was declared with that it is; empty for none.
func (sc *handleScope) lastText(e ast.Expr) (text string) {
	if value := sc.value(sc.pass.object(e)); value != nil {
		e = value
	}
	for lit := range syntax.Nodes[*ast.BasicLit](e) {
		if lit.Kind == token.STRING {
			text, _ = strconv.Unquote(lit.Value)
		}
	}
	return text
}
