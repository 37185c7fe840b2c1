package prove

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strconv"
	"strings"
)

// A bit is what one piece writes, and where to.
type bit struct {
	to   string   // the handle
	fn   string   // Write, WriteString, Fprint, Fprintf or Fprintln
	what ast.Expr // nil for those of package fmt
	args []ast.Expr
	fmt  string // the name of package fmt
}

// bit takes a write apart.
func (j *joint) bit(call *ast.CallExpr) (*bit, error) {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || call.Ellipsis.IsValid() {
		return nil, refusef("%s writes in its own way", j.of(call.Fun))
	}
	b := &bit{fn: sel.Sel.Name, args: call.Args}
	dest := sel.X
	switch {
	case j.pass.calls(call, "io", "WriteString"), j.pass.calls(call, "fmt", "Fprint", "Fprintf", "Fprintln"):
		dest, b.args = call.Args[0], call.Args[1:]
		b.fmt = j.of(sel.X)
	case len(call.Args) != 1 || b.fn != "Write" && b.fn != "WriteString":
		return nil, refusef("%s writes in its own way", j.of(call.Fun))
	}
	if types.TypeString(j.pass.Info.TypeOf(dest), nil) != "*os.File" || !j.isPure(dest) {
		return nil, Refusal("the record is not written to an open file by its name")
	}
	b.to = j.of(dest)
	if b.fn == "Write" || b.fn == "WriteString" {
		b.what = ast.Unparen(b.args[0])
	}
	return b, nil
}

// text is the call that writes all pieces.
func (j *joint) text() (string, error) {
	var bits []*bit
	for i, p := range j.pieces {
		b, err := j.bit(p.call)
		if err != nil {
			return "", err
		}
		if len(bits) > 0 && b.to != bits[0].to {
			return "", Refusal("the writes go to different handles")
		}
		for _, arg := range b.args {
			if i > j.keep && !j.isPure(arg) {
				return "", Refusal("what is written later depends on more than its values")
			}
		}
		bits = append(bits, b)
	}
	if end, ok := j.fixed(bits[1]); ok && len(bits) == 2 {
		if text := j.withEnd(bits[0], end); text != "" {
			return text, nil
		}
	}
	var parts []string
	for _, b := range bits {
		parts = append(parts, j.asStrings(b)...)
	}
	return bits[0].to + ".WriteString(" + strings.Join(merged(parts), " + ") + ")", nil
}

// fixed is the constant text that a piece writes.
func (j *joint) fixed(b *bit) (string, bool) {
	if b.what != nil {
		return j.constant(b.what)
	}
	return "\n", b.fn == "Fprintln" && len(b.args) == 0
}

// constant is the value of a constant text, or of bytes made of one.
func (j *joint) constant(e ast.Expr) (string, bool) {
	if tv := j.pass.Info.Types[e]; tv.Value != nil && tv.Value.Kind() == constant.String {
		return constant.StringVal(tv.Value), true
	}
	switch e := e.(type) {
	case *ast.CallExpr:
		if len(e.Args) == 1 && j.pass.Info.Types[e.Fun].IsType() {
			return j.constant(e.Args[0])
		}
	case *ast.CompositeLit:
		var text []byte
		for _, elt := range e.Elts {
			tv := j.pass.Info.Types[elt]
			if tv.Value == nil || tv.Value.Kind() != constant.Int {
				return "", false
			}
			n, _ := constant.Int64Val(tv.Value)
			text = append(text, byte(n))
		}
		return string(text), true
	}
	return "", false
}

// withEnd is the call of a piece with a constant text behind what it writes; ""
// where it has to be put together otherwise.
func (j *joint) withEnd(b *bit, end string) string {
	switch b.fn {
	case "Write":
		if bytes := j.growing(b.what); bytes != "" {
			tail := strconv.Quote(end) + "..."
			if len(end) == 1 {
				tail = strconv.QuoteRune(rune(end[0]))
			}
			return b.to + ".Write(append(" + bytes + ", " + tail + "))"
		}
	case "Fprintf":
		format, ok := b.args[0].(*ast.BasicLit)
		if !ok || format.Value[0] != '"' || strings.Contains(end, "%") {
			return ""
		}
		quoted := strconv.Quote(end)
		args := append([]string{b.to, strings.TrimSuffix(format.Value, `"`) + quoted[1:]}, j.texts(b.args[1:])...)
		return b.fmt + ".Fprintf(" + strings.Join(args, ", ") + ")"
	}
	return ""
}

// growing is the text of bytes behind which more can be put without touching what
// others see; "" where only a copy will do.
func (j *joint) growing(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.CallExpr:
		if len(e.Args) == 1 && j.pass.Info.Types[e.Fun].IsType() && j.isText(e.Args[0]) {
			return j.of(e) // a conversion copies
		}
	case *ast.Ident:
		if _, ok := j.pass.Info.TypeOf(e).Underlying().(*types.Slice); !ok {
			return ""
		}
		if j.marshalled(e) {
			return e.Name
		}
		return e.Name + "[:len(" + e.Name + "):len(" + e.Name + ")]"
	}
	return ""
}

func (j *joint) isText(e ast.Expr) bool {
	b, ok := j.pass.Info.TypeOf(e).Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

// marshalled reports whether a variable holds what encoding/json.Marshal has made
// and nothing else: fresh bytes without a newline.
func (j *joint) marshalled(e ast.Expr) bool {
	obj := j.pass.object(e)
	if obj == nil || obj.Pos() < j.body.Pos() || j.body.End() < obj.Pos() {
		return false
	}
	made, others := 0, 0
	ast.Inspect(j.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, lhs := range n.Lhs {
				if j.pass.object(lhs) != obj {
					continue
				}
				if call := soleCall(n); i == 0 && call != nil && j.pass.calls(call, "encoding/json", "Marshal") {
					made++
				} else {
					others++
				}
			}
		case *ast.UnaryExpr:
			if n.Op == token.AND && j.pass.object(n.X) == obj {
				others++
			}
		}
		return true
	})
	return made == 1 && others == 0
}

// asStrings is what a piece writes, as texts that follow each other.
func (j *joint) asStrings(b *bit) []string {
	if id, ok := b.what.(*ast.Ident); ok && b.fn == "WriteString" {
		return []string{id.Name}
	}
	if text, ok := j.fixed(b); ok {
		return []string{strconv.Quote(text)}
	}
	if b.what == nil {
		return []string{b.fmt + ".S" + b.fn[1:] + "(" + strings.Join(j.texts(b.args), ", ") + ")"}
	}
	if b.fn == "WriteString" {
		return j.operands(b.what)
	}
	if call, ok := b.what.(*ast.CallExpr); ok && len(call.Args) == 1 && j.pass.Info.Types[call.Fun].IsType() && j.isText(call.Args[0]) {
		return j.operands(call.Args[0])
	}
	return []string{"string(" + j.of(b.what) + ")"}
}

// operands lists the texts that an expression puts together.
func (j *joint) operands(e ast.Expr) []string {
	if bin, ok := e.(*ast.BinaryExpr); ok && bin.Op == token.ADD {
		return append(j.operands(bin.X), j.of(bin.Y))
	}
	return []string{j.of(e)}
}

// merged joins neighbouring literals.
func merged(parts []string) []string {
	var out []string
	for _, p := range parts {
		if n := len(out); n > 0 && isLiteral(out[n-1]) && isLiteral(p) {
			out[n-1] = out[n-1][:len(out[n-1])-1] + p[1:]
			continue
		}
		out = append(out, p)
	}
	return out
}

// isLiteral reports whether the source of an expression is one literal in double
// quotes.
func isLiteral(text string) bool {
	_, err := strconv.Unquote(text)
	return err == nil && text[0] == '"'
}

func (j *joint) texts(list []ast.Expr) []string {
	var out []string
	for _, e := range list {
		out = append(out, j.of(e))
	}
	return out
}
