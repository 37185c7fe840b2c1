// Package rewrite changes the statements of one declaration and says which lines of
// its source change: statements come, go, move and are nested, and every comment stays
// with what it speaks of. It knows how code and comments are laid out. It does not know
// what the code means, nor why it changes.
package rewrite

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"strings"
	"unicode"

	"github.com/aymanbagabas/go-udiff"
	"github.com/dave/dst"
	"github.com/dave/dst/decorator"
)

// A Tree is a declaration that is changed.
type Tree struct {
	src   string
	plain string // src as it comes back if nothing is changed
	file  *dst.File
	nodes map[place]dst.Node
	at    func(token.Pos) int
	// behind is what has been put behind a statement last.
	behind map[dst.Stmt]dst.Stmt
}

// A place is where a node stands in the source, and its type, as the nodes of one place
// differ in that.
type place struct {
	from, to int
	kind     reflect.Type
}

// An Edit replaces what stands between two offsets of the source of a tree.
type Edit = udiff.Edit

// Errors of Parse.
var (
	ErrLines  = errors.New("a comment says which lines the code is on")
	ErrLayout = errors.New("the code is laid out as gofmt does not, on other lines")
)

const clause = "package p\n\n"

// Parse makes a tree of the source of one declaration. At gives the offsets in it of the
// syntax that changes are told by. It fails where the source would not come back as it
// is, white space within its lines aside.
func Parse(src string, at func(token.Pos) int) (t *Tree, err error) {
	defer func() {
		if r := recover(); r != nil {
			t, err = nil, fmt.Errorf("the code cannot be taken apart: %v", r)
		}
	}()
	t = &Tree{src: src, at: at, nodes: make(map[place]dst.Node), behind: make(map[dst.Stmt]dst.Stmt)}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", clause+src+"\n", parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	for _, group := range file.Comments {
		for _, c := range group.List {
			if strings.HasPrefix(c.Text[2:], "line ") {
				return nil, ErrLines
			}
		}
	}
	dec := decorator.NewDecorator(fset)
	if t.file, err = dec.DecorateFile(file); err != nil {
		return nil, err
	}
	start := fset.File(file.FileStart).Pos(len(clause))
	ast.Inspect(file, func(n ast.Node) bool {
		if n != nil {
			t.nodes[place{int(n.Pos() - start), int(n.End() - start), reflect.TypeOf(n)}] = dec.Dst.Nodes[n]
		}
		return true
	})
	if t.plain, err = t.text(); err != nil {
		return nil, err
	}
	if !alike(t.plain, t.src) {
		return nil, ErrLayout
	}
	return t, nil
}

// alike reports whether two texts have the same lines but for white space within them.
func alike(a, b string) bool {
	as, bs := strings.Split(a, "\n"), strings.Split(b, "\n")
	if len(as) != len(bs) {
		return false
	}
	for i := range as {
		if bare(as[i]) != bare(bs[i]) {
			return false
		}
	}
	return true
}

func bare(line string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, line)
}

// node is the node of the tree that stands for one of the syntax.
func (t *Tree) node(n ast.Node) dst.Node {
	return t.nodes[place{t.at(n.Pos()), t.at(n.End()), reflect.TypeOf(n)}]
}

// stmt is the statement of the tree that stands for one of the syntax.
func (t *Tree) stmt(s ast.Stmt) dst.Stmt { return t.node(s).(dst.Stmt) }

// stmts are the statements of the tree that stand for those of the syntax.
func (t *Tree) stmts(list []ast.Stmt) []dst.Stmt {
	var out []dst.Stmt
	for _, s := range list {
		out = append(out, t.stmt(s))
	}
	return out
}

// text is the source of the tree as it is now.
func (t *Tree) text() (string, error) {
	var out bytes.Buffer
	if err := decorator.Fprint(&out, t.file); err != nil {
		return "", err
	}
	return strings.TrimSuffix(strings.TrimPrefix(out.String(), clause), "\n"), nil
}

// edits are the lines of the source that differ from those of the tree.
func (t *Tree) edits() (edits []Edit, err error) {
	now, err := t.text()
	if err != nil {
		return nil, err
	}
	edits = udiff.Lines(t.plain, now)
	if t.plain == t.src {
		return edits, nil
	}
	from, to := starts(t.plain), starts(t.src)
	for i, e := range edits {
		edits[i].Start, edits[i].End = to[from.line(e.Start)], to[from.line(e.End)]
	}
	return edits, nil
}

// lineStarts are the offsets at which the lines of a text begin, and its end.
type lineStarts []int

func starts(text string) lineStarts {
	list := lineStarts{0}
	for i, b := range []byte(text) {
		if b == '\n' {
			list = append(list, i+1)
		}
	}
	return append(list, len(text))
}

// line is the index of the line that begins at an offset.
func (l lineStarts) line(at int) int {
	for i, start := range l {
		if start == at {
			return i
		}
	}
	return len(l) - 1
}
