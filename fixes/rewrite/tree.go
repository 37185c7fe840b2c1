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
	"slices"
	"strings"

	"github.com/dave/dst"
	"github.com/dave/dst/decorator"

	"github.com/lockvet/lockvet/internal/linediff"
)

// A Tree is a declaration that is changed.
type Tree struct {
	src   string
	from  int    // where src begins in its file
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

// An Edit replaces what stands between two offsets of a file.
type Edit = linediff.Edit

// Errors of Parse.
var (
	ErrLines  = errors.New("a comment says which lines the code is on")
	ErrLayout = errors.New("the function is not laid out as gofmt does, or has a comment that would not stay in its place")
)

const clause = "package p\n\n"

// Parse makes a tree of the declaration that stands between two offsets of a file. At
// gives the offsets of the syntax that changes are told by. It fails where the
// declaration would not come back as it is.
func Parse(text []byte, from, to int, at func(token.Pos) int) (t *Tree, err error) {
	defer func() {
		if r := recover(); r != nil {
			t, err = nil, fmt.Errorf("the code cannot be taken apart: %v", r)
		}
	}()
	t = &Tree{src: string(text[from:to]), from: from, at: at, nodes: make(map[place]dst.Node),
		behind: make(map[dst.Stmt]dst.Stmt)}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", clause+t.src+"\n", parser.ParseComments|parser.SkipObjectResolution)
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
	if t.plain != strings.ReplaceAll(t.src, "\r\n", "\n") {
		return nil, ErrLayout
	}
	return t, nil
}

// node is the node of the tree that stands for one of the syntax.
func (t *Tree) node(n ast.Node) dst.Node {
	return t.nodes[t.place(n)]
}

// place is where a node of the syntax stands in the source.
func (t *Tree) place(n ast.Node) place {
	return place{t.at(n.Pos()) - t.from, t.at(n.End()) - t.from, reflect.TypeOf(n)}
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
	edits = linediff.Edits(t.plain, now)
	if t.plain != t.src { // by its line endings
		from, to := lineStarts(t.plain), lineStarts(t.src)
		for i, e := range edits {
			edits[i].Start, edits[i].End = to[slices.Index(from, e.Start)], to[slices.Index(from, e.End)]
		}
	}
	for i := range edits {
		edits[i].Start, edits[i].End = t.from+edits[i].Start, t.from+edits[i].End
	}
	return edits, nil
}

// lineStarts are the offsets at which the lines of a text begin, and its end.
func lineStarts(text string) []int {
	list := []int{0}
	for i, b := range []byte(text) {
		if b == '\n' {
			list = append(list, i+1)
		}
	}
	return append(list, len(text))
}
