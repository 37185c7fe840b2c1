package prove

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/lockvet/lockvet/fixes/rewrite"
	"github.com/lockvet/lockvet/internal/finding"
)

// A joint is several writes of one record that are to be one.
type joint struct {
	*handleScope
	pieces []outcome
	keep   int // the piece in whose place the one write stands
}

// oneWrite turns
//
//	if _, err := f.Write(data); err != nil {
//		return err
//	}
//	_, err = f.Write([]byte("\n"))
//	return err
//
// into one write of both.
func (s *File) oneWrite(r finding.OneWrite) (*Proof, error) {
	j := &joint{handleScope: s.scope(r.Body)}
	for _, call := range r.Writes {
		p, err := j.piece(call)
		if err != nil {
			return nil, err
		}
		j.pieces = append(j.pieces, p)
	}
	if err := inOrder(j.adjacent, j.choose); err != nil {
		return nil, err
	}
	text, err := j.text()
	if err != nil {
		return nil, err
	}
	j.put(j.pieces[j.keep].call, text)
	for _, p := range j.pieces {
		j.again = append(j.again, p.call)
	}
	j.dropOthers()
	j.note(j.dropUnused())
	return j.plan("Append the record by one write")
}

// piece is what becomes of the error of a write, if that is certain.
func (j *joint) piece(call *ast.CallExpr) (outcome, error) {
	o := j.outcome(call)
	switch {
	case o.dropped():
	case o.check != nil && j.countless(call) && j.fails(o):
	case o.ret != nil && j.countless(call) && len(o.ret.Results) == len(j.results):
	default:
		return o, Refusal("it is not certain what becomes of the error of a write")
	}
	return o, nil
}

// countless reports whether nobody looks at how many bytes a call has written.
func (j *joint) countless(call *ast.CallExpr) bool {
	a, ok := j.parents[call].(*ast.AssignStmt)
	if !ok || len(a.Lhs) != 2 {
		return false
	}
	id, ok := a.Lhs[0].(*ast.Ident)
	return ok && id.Name == "_"
}

// adjacent fails unless the pieces follow each other in one list.
func (j *joint) adjacent() error {
	list := j.siblings(j.pieces[0].stmt)
	for i, p := range j.pieces[1:] {
		at := indexOf(list, p.stmt)
		if at < 1 || list[at-1] != j.pieces[i].last() {
			return Refusal("something else happens between the writes")
		}
	}
	return nil
}

// choose finds the piece in whose place the one write stands, so that its error
// goes where those of all went.
func (j *joint) choose() error {
	last := len(j.pieces) - 1
	if j.pieces[last].ret != nil && j.returnAlike(j.pieces[:last], j.pieces[last].ret) && !slices.ContainsFunc(j.pieces[:last], j.declares) {
		j.keep = last
		return nil
	}
	for j.keep < last && j.pieces[j.keep].dropped() {
		j.keep++
	}
	if j.pieces[j.keep].dropped() {
		j.keep = 0
		return nil
	}
	for _, p := range j.pieces[j.keep+1:] {
		if !p.dropped() && !j.alikeExits(j.pieces[j.keep].exit(), p.exit()) {
			return Refusal("the errors of the writes go different ways")
		}
		if j.declares(p) {
			return Refusal("the error of a write is used again")
		}
	}
	return nil
}

// declares reports whether a piece declares the variable of its error, and others
// use that too.
func (j *joint) declares(p outcome) bool {
	a, ok := p.stmt.(*ast.AssignStmt)
	if !ok || p.dropped() || a.Tok != token.DEFINE {
		return false
	}
	err := j.errorOf(a)
	return some(j.body, func(id *ast.Ident) bool {
		return j.pass.Info.Uses[id] == err && (id.Pos() < a.Pos() || p.last().End() <= id.Pos())
	})
}

// returnAlike reports whether all that is done with the errors of some pieces is
// to return them by the same statement.
func (j *joint) returnAlike(ps []outcome, ret *ast.ReturnStmt) bool {
	for _, p := range ps {
		if p.check == nil || len(p.check.Body.List) != 1 || j.of(p.check.Body.List[0]) != j.of(ret) {
			return false
		}
	}
	return true
}

// alikeExits reports whether two lists of statements are the same but for the
// error that a return at their end gives and for what they print.
func (j *joint) alikeExits(a, b []ast.Stmt) bool {
	a, b = j.loud(a), j.loud(b)
	if len(a) != len(b) || len(a) == 0 {
		return false
	}
	last := len(a) - 1
	for i := range last {
		if j.of(a[i]) != j.of(b[i]) {
			return false
		}
	}
	ra, ok := a[last].(*ast.ReturnStmt)
	rb, also := b[last].(*ast.ReturnStmt)
	if !ok || !also {
		return j.of(a[last]) == j.of(b[last])
	}
	n := len(ra.Results)
	if n != len(rb.Results) {
		return false
	}
	for i := range n {
		if j.of(ra.Results[i]) == j.of(rb.Results[i]) {
			continue
		}
		if i < n-1 || n != len(j.results) || !j.returnsError() || isNil(j.pass.Info, ra.Results[i]) || isNil(j.pass.Info, rb.Results[i]) {
			return false
		}
	}
	return true
}

// loud lists the statements that do more than print.
func (j *joint) loud(list []ast.Stmt) []ast.Stmt {
	var out []ast.Stmt
	for _, s := range list {
		if call := plainCall(s); call == nil || !j.pass.isQuiet(call) {
			out = append(out, s)
		}
	}
	return out
}

// dropOthers takes away the statements of the pieces that are written elsewhere. A
// return of the error of one of them has none to return.
func (j *joint) dropOthers() {
	for i, p := range j.pieces {
		if i == j.keep {
			continue
		}
		for _, stmt := range p.stmts() {
			j.without(stmt)
		}
		if p.ret != nil {
			j.put(result(p.ret), "nil")
		}
	}
}

// without takes a statement away, with the comments that speak of nothing else.
func (sc *handleScope) without(stmt ast.Stmt) {
	sc.do(rewrite.Drop{Stmt: stmt, Gone: rewrite.About(rewrite.Handling)})
}

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
