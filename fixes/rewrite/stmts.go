package rewrite

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"

	"github.com/dave/dst"
	"github.com/dave/dst/decorator"
	"github.com/dave/dst/dstutil"
)

// Stmts are new statements, from their source.
func Stmts(src string) []dst.Stmt {
	file, err := decorator.Parse(clause + "func _() {\n" + src + "\n}\n")
	if err != nil {
		panic(fmt.Sprintf("%v: %s", err, src)) // Apply says so
	}
	list := file.Decls[0].(*dst.FuncDecl).Body.List
	for _, s := range list {
		s.Decorations().Before, s.Decorations().After = dst.NewLine, dst.NewLine
	}
	return list
}

// list finds the list that a statement stands in, and its index there.
func (t *Tree) list(stmt dst.Stmt) (list *[]dst.Stmt, around dst.Node, i int) {
	dst.Inspect(t.file, func(n dst.Node) bool {
		var in *[]dst.Stmt
		switch n := n.(type) {
		case *dst.BlockStmt:
			in = &n.List
		case *dst.CaseClause:
			in = &n.Body
		case *dst.CommClause:
			in = &n.Body
		default:
			return list == nil
		}
		if at := slices.Index(*in, stmt); at >= 0 {
			list, around, i = in, n, at
		}
		return list == nil
	})
	return list, around, i
}

// Replace puts new statements in the place of some that follow each other in one list.
// The new may be made of parts of the old. What the old had of comments and the new have
// not is kept above the new, or behind them if it stood behind the old, unless gone says
// of a comment that it speaks of nothing that is left. A nil gone keeps all.
func (t *Tree) Replace(old, new []dst.Stmt, gone Gone) {
	list, around, i := t.list(old[0])
	first, last := old[0].Decorations(), old[len(old)-1].Decorations()
	head, own := above(first.Start)
	mine, tail := behind(last.End)
	first.Start, last.End = own, mine
	before, after := first.Before, last.After

	lost, kept := missing(old, new, gone)
	*list = slices.Replace(*list, i, i+len(old), new...)
	t.tidy(*list, around, i, len(new))
	if len(new) == 0 {
		t.leave(*list, around, i, join(slices.Concat(head, lost, kept), tail), max(before, after))
		return
	}
	top, end := new[0].Decorations(), new[len(new)-1].Decorations()
	top.Before, end.After = before, after
	top.Start = slices.Concat(head, ownLines(lost), top.Start)
	if len(kept) > 0 && len(end.End) > 0 {
		top.Start = slices.Concat(kept, top.Start)
		kept = nil
	}
	end.End = join(slices.Concat(dst.Decorations(kept), end.End), tail)
}

// leave keeps comments of statements that are gone from a place of a list.
func (t *Tree) leave(list []dst.Stmt, around dst.Node, i int, comments []string, space dst.SpaceType) {
	switch {
	case i < len(list):
		next := list[i].Decorations()
		for len(comments) > 0 && comments[0] == "\n" {
			comments = comments[1:]
		}
		if len(comments) > 0 && next.Before == dst.EmptyLine && comments[len(comments)-1] != "\n" {
			comments = append(comments, "\n")
		}
		if i > 0 {
			next.Before = max(next.Before, space)
		}
		next.Start = slices.Concat(ownLines(comments), next.Start)
	case len(comments) == 0:
	case i > 0:
		last := list[i-1].Decorations()
		last.End = join(last.End, comments)
	default:
		in := inner(around)
		*in = join(*in, comments)
	}
}

// lastCheck is the check, without an else, in which a function ends that returns nothing, where that ends
// in a return; nil for any other.
func (t *Tree) lastCheck() *dst.IfStmt {
	f, ok := t.file.Decls[0].(*dst.FuncDecl)
	if !ok || f.Body == nil || f.Type.Results != nil || len(f.Body.List) == 0 {
		return nil
	}
	check, ok := f.Body.List[len(f.Body.List)-1].(*dst.IfStmt)
	if !ok || check.Else != nil || len(check.Body.List) < 2 {
		return nil
	}
	if ret, ok := check.Body.List[len(check.Body.List)-1].(*dst.ReturnStmt); !ok ||
		len(ret.Decs.Start)+len(ret.Decs.End)+len(ret.Decs.Return) > 0 {
		return nil
	}
	return check
}

// ownLines are comments with each on lines of its own.
func ownLines(comments []string) []string {
	var list []string
	for i, c := range comments {
		list = append(list, c)
		if strings.HasPrefix(c, "/*") && (i+1 == len(comments) || comments[i+1] != "\n") {
			list = append(list, "\n")
		}
	}
	return list
}

// join puts comments below others, on lines of their own.
func join(decs, below []string) []string {
	if len(below) > 0 && below[0] != "\n" {
		below = slices.Concat([]string{"\n"}, below)
	}
	if n := len(decs); n > 0 && len(below) > 0 && strings.HasPrefix(decs[n-1], "//") {
		below = below[1:] // it ends its line itself
	}
	return slices.Concat(decs, below)
}

// inner are the decorations at the beginning of what holds a list.
func inner(around dst.Node) *dst.Decorations {
	switch n := around.(type) {
	case *dst.BlockStmt:
		return &n.Decs.Lbrace
	case *dst.CaseClause:
		return &n.Decs.Colon
	case *dst.CommClause:
		return &n.Decs.Colon
	}
	return &around.Decorations().End
}

// tidy takes away the blank lines at both ends of a list of which n statements from i on
// are new.
func (t *Tree) tidy(list []dst.Stmt, around dst.Node, i, n int) {
	if len(list) == 0 {
		return
	}
	if i == 0 && n == 0 && len(groups(*inner(around))) == 0 {
		list[0].Decorations().Before = dst.NewLine
	}
	if last := list[len(list)-1].Decorations(); i+n == len(list) && n == 0 && last.After == dst.EmptyLine {
		last.After = dst.NewLine
	}
}

// Drop takes away statements that follow each other in one list.
func (t *Tree) Drop(gone Gone, stmts ...dst.Stmt) { t.Replace(stmts, nil, gone) }

// Take takes statements out of their list, with the comments right above and behind each,
// so that they can be put elsewhere. Those that follow each other keep what parts them.
func (t *Tree) Take(stmts ...dst.Stmt) []dst.Stmt {
	between := make([]dst.SpaceType, len(stmts))
	for n, s := range stmts {
		list, _, i := t.list(s)
		between[n] = dst.NewLine
		if n > 0 && i > 0 && (*list)[i-1] == stmts[n-1] {
			between[n] = s.Decorations().Before
		}
	}
	for n, s := range stmts {
		list, around, i := t.list(s)
		decs := s.Decorations()
		head, own := above(decs.Start)
		mine, tail := behind(decs.End)
		*list = slices.Delete(*list, i, i+1)
		t.tidy(*list, around, i, 0)
		t.leave(*list, around, i, join(head, tail), max(decs.Before, decs.After))
		decs.Start, decs.End = own, mine
		decs.Before, decs.After = between[n], dst.NewLine
	}
	return stmts
}

// After puts statements behind another, and behind the comment on its line.
func (t *Tree) After(stmt dst.Stmt, new ...dst.Stmt) {
	list, _, i := t.list(stmt)
	decs, last := stmt.Decorations(), new[len(new)-1].Decorations()
	mine, tail := behind(decs.End)
	decs.End = mine
	last.End = join(last.End, tail)
	last.After, decs.After = decs.After, new[0].Decorations().Before
	*list = slices.Insert(*list, i+1, new...)
	if i+1+len(new) < len(*list) {
		last.After = max(last.After, (*list)[i+1+len(new)].Decorations().Before)
	}
}

// Before puts statements in front of another, above the comment that stands right above
// it.
func (t *Tree) Before(stmt dst.Stmt, new ...dst.Stmt) {
	list, _, i := t.list(stmt)
	decs, first := stmt.Decorations(), new[0].Decorations()
	head, own := above(decs.Start)
	decs.Start = own
	first.Start = slices.Concat(dst.Decorations(head), first.Start)
	first.Before, decs.Before = decs.Before, new[len(new)-1].Decorations().After
	if i > 0 {
		(*list)[i-1].Decorations().After = first.Before
	}
	*list = slices.Insert(*list, i, new...)
}

// Gone says of a comment, without its marks, that it speaks of nothing that is left once
// the code that it stands in or beside has gone. Nil says so of none.
type Gone func(comment string) bool

// remaining are the comments that stay, groups being judged as one.
func (gone Gone) remaining(decs []string) []string {
	var list []string
	for _, group := range groups(decs) {
		if gone == nil || !gone(said(group)) {
			list = append(list, group...)
		}
	}
	return list
}

// said is the text of a comment, of one that is nothing but directives the source.
func said(group []string) string {
	var list []*ast.Comment
	for _, c := range group {
		list = append(list, &ast.Comment{Text: c})
	}
	if text := (&ast.CommentGroup{List: list}).Text(); text != "" {
		return text
	}
	return strings.Join(group, "\n")
}

// groups are the comments of decorations, those together that nothing parts.
func groups(decs []string) [][]string {
	var list [][]string
	apart := true
	for _, d := range decs {
		if d == "\n" {
			apart = true
			continue
		}
		if apart {
			list = append(list, nil)
		}
		list[len(list)-1], apart = append(list[len(list)-1], d), false
	}
	return list
}

// above parts what stands in front of a statement: comments with a blank line below, and
// those right above it.
func above(decs dst.Decorations) (apart, own []string) {
	i := len(decs)
	for i > 0 && decs[i-1] != "\n" {
		i--
	}
	return slices.Clone(decs[:i]), slices.Clone(decs[i:])
}

// behind parts what stands behind a statement: comments on its line, and those below.
func behind(decs dst.Decorations) (own, below []string) {
	i := 0
	for i < len(decs) && decs[i] != "\n" {
		i++
		if strings.HasPrefix(decs[i-1], "//") {
			break
		}
	}
	below = slices.Clone(decs[i:])
	if len(below) > 0 && below[0] != "\n" {
		below = slices.Concat([]string{"\n"}, below)
	}
	return slices.Clone(decs[:i]), below
}

// missing are the comments of old statements that the new have not: those of the line
// that the last ends on, and all others.
func missing(old, new []dst.Stmt, gone Gone) (lost, beside []string) {
	have := map[string]int{}
	for _, decs := range decorations(new, map[dst.Node]bool{}) {
		for _, c := range decs {
			have[c]++
		}
	}
	seen := map[dst.Node]bool{} // the last may hold the others by now
	for i := range old {
		all := decorations(old[i:i+1], seen)
		for j, decs := range all {
			var left []string
			for _, c := range decs {
				if have[c] > 0 && c != "\n" {
					have[c]--
					c = "\n"
				}
				left = append(left, c)
			}
			if i == len(old)-1 && j == len(all)-1 {
				beside = gone.remaining(left)
			} else {
				lost = append(lost, gone.remaining(left)...)
			}
		}
	}
	return lost, beside
}

// decorations are those of nodes and of what is in them, in the order of the source,
// but for what has been seen; the last are those behind the last node.
func decorations[N dst.Node](nodes []N, seen map[dst.Node]bool) (all [][]string) {
	for _, root := range nodes {
		var stack []dst.Node
		dst.Inspect(root, func(n dst.Node) bool {
			if n == nil {
				n, stack = stack[len(stack)-1], stack[:len(stack)-1]
				all = append(all, n.Decorations().End)
				return true
			}
			if seen[n] {
				return false
			}
			seen[n] = true
			stack = append(stack, n)
			_, _, points := dstutil.Decorations(n)
			for _, p := range points {
				if p.Name != "End" {
					all = append(all, p.Decs)
				}
			}
			return true
		})
	}
	return all
}

// flat are the comments of a node and of what is in it, in the order of the source.
func flat(n dst.Node) (all []string) {
	if n != nil {
		for _, decs := range decorations([]dst.Node{n}, map[dst.Node]bool{}) {
			all = append(append(all, decs...), "\n")
		}
	}
	return all
}

// minus are comments without those of others.
func minus(all, others []string) (rest []string) {
	for _, c := range all {
		if c == "\n" || !slices.Contains(others, c) {
			rest = append(rest, c)
		}
	}
	return rest
}

// Expr is a new expression, from its source.
func Expr(src string) dst.Expr {
	return Stmts("_ = " + src)[0].(*dst.AssignStmt).Rhs[0]
}
