package rewrite

import (
	"strings"
	"testing"

	"github.com/aymanbagabas/go-udiff"
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
			"nest", `
a()

// first
b() // beside b

// second
c() // beside c
// below c
d()`, `
a()

if x {
	// first
	b() // beside b

	// second
	c() // beside c
}
// below c
d()`,
			func(t *testing.T, tree *Tree) {
				check := Stmts("if x {\n}")[0].(*dst.IfStmt)
				list := []dst.Stmt{tree.find(t, "b("), tree.find(t, "c(")}
				tree.Nest(list, check, check.Body)
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
			if got, err := udiff.Apply(src, edits); err != nil || got != body(test.want) {
				t.Errorf("got %v\n%s\nwant\n%s", err, got, body(test.want))
			}
		})
	}
}

func body(stmts string) string {
	return "func f() {" + strings.ReplaceAll(strings.ReplaceAll(stmts, "\n", "\n\t"), "\n\t\n", "\n\n") + "\n}"
}
