package prove

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/lockvet/lockvet/fixes/rewrite"
	"github.com/lockvet/lockvet/internal/finding"
)

// unbuffer writes lines to the file as they come:
//
//	w := bufio.NewWriter(f)
//	~~~~~~~~~~~~~~~~~~~~~~~
//	for _, line := range lines {
//		fmt.Fprintln(w, line)         if _, err := fmt.Fprintln(f, line); err != nil {
//	}                                     return err
//	                                  }
//	return w.Flush()              return nil
//	       ~~~~~~~~~
//
// What the buffer kept of an error until the flush is looked at where it arises.
func (s *File) unbuffer(r finding.Unbuffer) (*Proof, error) {
	sc, err := s.newHandleScope(r.Body, r.Open)
	if err != nil {
		return nil, err
	}
	u := &unbuffering{handleScope: sc, writes: r.Writes}
	if err := u.wrapper(); err != nil {
		return nil, err
	}
	for id := range u.pass.usesOf(sc.body, u.buf) {
		if err = u.use(id); err != nil {
			break
		}
	}
	if err == nil {
		err = u.checks()
	}
	if err == nil {
		err = sc.dropUnused()
	}
	if err != nil {
		return nil, err
	}
	return sc.plan("Write each line to the file at once")
}

// An unbuffering is a handle whose file has a buffered writer in front of it.
type unbuffering struct {
	*handleScope
	writes []*ast.CallExpr
	buf    types.Object
	flush  ast.Stmt // what looks at the error of the flush; nil where nobody does
	silent []*ast.CallExpr
}

// wrapper finds the variable that holds the buffered writer, and takes it away.
func (u *unbuffering) wrapper() error {
	for _, stmt := range u.tail {
		call := soleCall(stmt)
		if call == nil || !u.pass.calls(call, "bufio", "NewWriter", "NewWriterSize") || u.pass.object(call.Args[0]) != u.f {
			continue
		}
		a := stmt.(*ast.AssignStmt)
		if u.buf != nil || a.Tok != token.DEFINE || len(call.Args) > 1 && !u.isPure(call.Args[1]) {
			break
		}
		u.buf = u.pass.object(a.Lhs[0])
		u.without(stmt)
	}
	if u.buf == nil {
		return Refusal("the buffered writer is not made where the file is opened")
	}
	return nil
}

// use lets one use of the buffered writer be one of the file.
func (u *unbuffering) use(id *ast.Ident) error {
	if !u.visible(id.Pos()) {
		return refusef("another %s hides the handle where a line is written", u.f.Name())
	}
	call, ok := u.parents[id].(*ast.CallExpr)
	if sel, isSel := u.parents[id].(*ast.SelectorExpr); isSel {
		call, ok = u.parents[sel].(*ast.CallExpr)
		if ok && sel.Sel.Name == "Flush" {
			return u.flushed(call)
		}
	}
	switch {
	case !ok || u.literal(id) != nil:
	case u.pass.calls(call, "encoding/json", "NewEncoder"):
		u.put(id, u.f.Name())
		return nil
	case slices.Contains(u.writes, call):
		u.put(id, u.f.Name())
		if plainCall(u.statement(call)) == call {
			u.silent = append(u.silent, call)
		}
		return nil
	}
	return Refusal("the buffered writer is used for something else")
}

// flushed takes a flush away.
func (u *unbuffering) flushed(call *ast.CallExpr) error {
	o := u.outcome(call)
	d, deferred := o.stmt.(*ast.DeferStmt)
	switch {
	case o.returned() && u.flush == nil:
		u.flush = o.stmt
		u.put(call, "nil")
	case u.headsDefining(o) && u.fails(o) && u.flush == nil:
		u.flush = o.stmt
		u.without(o.stmt)
	case deferred && d.Call == call, o.dropped():
		u.without(o.stmt)
	default:
		return Refusal("it is not certain what becomes of the error of the flush")
	}
	return nil
}

// checks looks at the errors that the buffer would have kept, as the function
// does at that of the flush.
func (u *unbuffering) checks() error {
	if u.flush == nil {
		return nil
	}
	for _, call := range u.silent {
		body, err := u.failure(call)
		if err != nil {
			return err
		}
		stmt := u.statement(call)
		if _, ok := stmt.(*ast.ExprStmt); !ok {
			return Refusal("the error of a write is given to no one")
		}
		u.carry(stmt, u.named(call)+" := "+rewrite.Carried+"; err != nil {\n"+body+"\n}", call)
	}
	return nil
}

// named begins the statement that names the error of a call.
func (u *unbuffering) named(call *ast.CallExpr) string {
	if t, ok := u.pass.Info.TypeOf(call).(*types.Tuple); ok && t.Len() == 2 {
		return "if _, err"
	}
	return "if err"
}

// failure is what the function does with the error of the flush, as text, if it
// means the same where a line is written.
func (u *unbuffering) failure(call *ast.CallExpr) (string, error) {
	if ret, ok := u.flush.(*ast.ReturnStmt); ok {
		if len(ret.Results) == 1 {
			return "return err", nil
		}
		return u.failText(), nil
	}
	s := u.flush.(*ast.IfStmt)
	failed := u.pass.object(s.Init.(*ast.AssignStmt).Lhs[0])
	var text []string
	for _, stmt := range s.Body.List {
		if _, ok := stmt.(*ast.ReturnStmt); !ok && plainCall(stmt) == nil || failed.Name() != "err" {
			return "", Refusal("the function does more than to return where the flush fails")
		}
		text = append(text, u.of(stmt))
	}
	if some(s.Body, func(id *ast.Ident) bool {
		obj := u.pass.Info.Uses[id]
		return u.pass.lookup(id.Name, call.Pos()) != obj && obj != nil && obj != failed && obj.Parent() != nil && (obj.Pkg() == nil || obj.Pkg() == u.pass.Pkg)
	}) {
		return "", Refusal("what the function returns where the flush fails means something else where a line is written")
	}
	return strings.Join(text, "\n"), nil
}
