package rewrite

import (
	"cmp"
	"go/format"
	"go/parser"
	"go/token"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/dave/dst"
)

// find is the outermost statement that has the given source.
func (t *Tree) find(tb testing.TB, src string) dst.Stmt {
	tb.Helper()
	var found dst.Stmt
	longest := 0
	for at, n := range t.nodes {
		s, ok := n.(dst.Stmt)
		if ok && at.from >= 0 && at.to <= len(t.src) && strings.HasPrefix(t.src[at.from:at.to], src) && at.to-at.from > longest {
			found, longest = s, at.to-at.from
		}
	}
	if found == nil {
		tb.Fatalf("no statement %q", src)
	}
	return found
}

// TestStmts changes the statements of a function; comments stay with what they speak of.
func TestStmts(t *testing.T) {
	temp := func(comment string) bool { return strings.Contains(comment, "temp") }
	for _, test := range []struct {
		name, src, want string
		change          func(*testing.T, *Tree)
	}{
		{
			"drop keeps what stands above, within and beside", `
// about a
a()

// apart

// above
b(
	1, // within
	2,
) // beside
// below
c()`, `
// about a
a()

// apart

// above
// within
// beside
// below
c()`,
			func(t *testing.T, tree *Tree) { tree.Drop(nil, tree.find(t, "b(")) },
		},
		{
			"drop takes comments along that speak of what goes", `
a()
// to a temporary file
b(1) // temp
// below
c()`, `
a()
// below
c()`,
			func(t *testing.T, tree *Tree) { tree.Drop(temp, tree.find(t, "b(")) },
		},
		{
			"drop judges a comment as a whole", `
a()
// to a temporary file,
// for ever
b(1)
// a temporary
//
// or not
c()`, `
a()
// a temporary
//
// or not
c()`,
			func(t *testing.T, tree *Tree) { tree.Drop(temp, tree.find(t, "b(")) },
		},
		{
			"drop leaves one blank line", `
a()

b()

c()`, `
a()

c()`,
			func(t *testing.T, tree *Tree) { tree.Drop(nil, tree.find(t, "b(")) },
		},
		{
			"drop leaves no blank line at the ends of a block", `
a()

b()

c()`, `
b()`,
			func(t *testing.T, tree *Tree) {
				tree.Drop(nil, tree.find(t, "a("))
				tree.Drop(nil, tree.find(t, "c("))
			},
		},
		{
			"drop of the last keeps its comments in the block", `
if a() {
	// why
	b() // so
}
c()`, `
if a() {
	// why
	// so
}
c()`,
			func(t *testing.T, tree *Tree) { tree.Drop(nil, tree.find(t, "b(")) },
		},
		{
			"replace", `
a()

// above
b(
	1, // within
	2,
) // beside

c()`, `
a()

// above
// within
x() // beside

c()`,
			func(t *testing.T, tree *Tree) {
				tree.Replace([]dst.Stmt{tree.find(t, "b(")}, Stmts("x()"), nil)
			},
		},
		{
			"take and put behind", `
// apart

// of a
a() // beside a

// of b
b()
// below b

c() // beside c
// below c
d()`, `
// apart

// of b
b()
// below b

c() // beside c
// of a
a() // beside a
// below c
d()`,
			func(t *testing.T, tree *Tree) {
				tree.After(tree.find(t, "c("), tree.Take(tree.find(t, "a("))...)
			},
		},
		{
			"put in front", `
a()

// of b
b()`, `
a()

x()
// of b
b()`,
			func(t *testing.T, tree *Tree) { tree.Before(tree.find(t, "b("), Stmts("x()")...) },
		},
		{
			"in a case", `
switch x {
case 1:
	// of a
	a()
	b()
case 2:
	c() // beside c
}`, `
switch x {
case 1:
	b()
	// of a
	a()
case 2: // beside c
}`,
			func(t *testing.T, tree *Tree) {
				tree.After(tree.find(t, "b("), tree.Take(tree.find(t, "a("))...)
				tree.Drop(nil, tree.find(t, "c("))
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			src := body(test.src)
			tree, err := parse(src)
			if err != nil {
				t.Fatal(err)
			}
			test.change(t, tree)
			edits, err := tree.Apply()
			if err != nil {
				t.Fatal(err)
			}
			if got := applied(src, edits); got != body(test.want) {
				t.Errorf("got\n%s\nwant\n%s", got, body(test.want))
			}
		})
	}
}

// applied is a text with edits in it, which are in order.
func applied(src string, edits []Edit) string {
	for _, e := range slices.Backward(edits) {
		src = src[:e.Start] + e.New + src[e.End:]
	}
	return src
}

func body(stmts string) string {
	return "func f() {" + strings.ReplaceAll(strings.ReplaceAll(stmts, "\n", "\n\t"), "\n\t\n", "\n\n") + "\n}"
}

// TestNothingLost drops and moves the statements of functions, one at a time: what
// is left parses, and every comment is there once.
func TestNothingLost(t *testing.T) {
	t.Parallel()
	changes := map[string]func(*Tree, dst.Stmt){
		"drop": func(tree *Tree, s dst.Stmt) { tree.Drop(nil, s) },
		"move": func(tree *Tree, s dst.Stmt) {
			list, _, i := tree.list(s)
			if other := (*list)[len(*list)-1]; i < len(*list)-1 {
				tree.After(other, tree.Take(s)...)
			} else if other := (*list)[0]; i > 0 {
				tree.Before(other, tree.Take(s)...)
			}
		},
		"replace": func(tree *Tree, s dst.Stmt) { tree.Replace([]dst.Stmt{s}, Stmts("x()\ny()"), nil) },
	}
	done := 0
	for _, name := range []string{"../imports.go", "os/exec/exec.go", "net/http/transfer.go"} {
		if !strings.HasPrefix(name, "..") {
			name = filepath.Join(runtime.GOROOT(), "src", name)
		}
		for _, src := range declarations(t, name) {
			want := commentsOf(t, src)
			for i, at := range statements(t, src) {
				if i%5 > 0 {
					continue // some will do
				}
				for what, change := range changes {
					tree, err := parse(src)
					if err != nil {
						t.Fatal(err)
					}
					stmt := tree.nodes[at].(dst.Stmt)
					change(tree, stmt)
					edits, err := tree.Apply()
					if err != nil {
						t.Fatal(err)
					}
					got := applied(src, edits)
					if have := commentsOf(t, got); !slices.Equal(have, want) {
						t.Errorf("%s %s: comments are\n%q\nwant\n%q\n%s", what, src[at.from:at.to], have, want, got)
					}
					if again, err := format.Source([]byte(clause + got + "\n")); err != nil || string(again) != clause+got+"\n" {
						t.Errorf("%s %s: is not formatted, %v\n%s", what, src[at.from:at.to], err, got)
					}
					done++
				}
			}
		}
	}
	if done < 500 {
		t.Errorf("%d changes", done)
	}
}

// statements are the places of the statements of a declaration, in order.
func statements(t *testing.T, src string) (list []place) {
	tree, err := parse(src)
	if err != nil {
		t.Fatal(err)
	}
	for at, n := range tree.nodes {
		switch n.(type) {
		case *dst.CaseClause, *dst.CommClause:
		case dst.Stmt:
			if tree.stands(n.(dst.Stmt)) {
				list = append(list, at)
			}
		}
	}
	slices.SortFunc(list, func(a, b place) int { return cmp.Or(a.from-b.from, b.to-a.to) })
	return list
}

// commentsOf are the comments of a declaration, sorted.
func commentsOf(t *testing.T, src string) (list []string) {
	file, err := parser.ParseFile(token.NewFileSet(), "", clause+src, parser.ParseComments)
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	for _, g := range file.Comments {
		for _, c := range g.List {
			list = append(list, c.Text)
		}
	}
	slices.Sort(list)
	return list
}
