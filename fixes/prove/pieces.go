package prove

import (
	"go/ast"
	"go/token"
	"slices"

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
// into one write of both, or, where the file is opened for nothing else and the
// record is known to be one line, the whole of it into
//
//	return safeio.Append(path, data, 0o600)
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
	if p := s.appendRecord(r, j); p != nil {
		return p, nil
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
	if err := j.dropUnused(); err != nil {
		return nil, err
	}
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
		if !p.dropped() && !j.alike(j.pieces[j.keep], p) {
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

// alike reports whether the errors of two pieces lead to the same but for what
// they say.
func (j *joint) alike(p, q outcome) bool {
	a, b := p.exit(), q.exit()
	return len(a) > 0 && j.alikeExits(a, b)
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
