package edit

import (
	"strings"
	"testing"
)

func TestPlanOverlap(t *testing.T) {
	one := Fix{"a": {{10, 20, "x"}, {2, 2, "import"}}}
	for _, test := range []struct {
		name string
		fix  Fix
		want bool
	}{
		{"apart", Fix{"a": {{30, 40, "y"}}}, true},
		{"adjacent", Fix{"a": {{20, 25, "y"}}}, true},
		{"same import", Fix{"a": {{2, 2, "import"}, {30, 40, "y"}}}, true},
		{"other import at the same place", Fix{"a": {{2, 2, "other"}}}, false},
		{"overlapping", Fix{"a": {{15, 25, "y"}}}, false},
		{"insertion inside", Fix{"a": {{15, 15, "y"}}}, false},
		{"insertion at the edge", Fix{"a": {{10, 10, "y"}}}, false},
		{"other file", Fix{"b": {{15, 25, "y"}}}, true},
		{"half overlapping", Fix{"b": {{1, 2, "y"}}, "a": {{15, 25, "y"}}}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			var p Plan
			if !p.Add(one) {
				t.Fatal("the first fix does not fit")
			}
			before := len(p.Files()["b"])
			if got := p.Add(test.fix); got != test.want {
				t.Errorf("Add = %t, want %t", got, test.want)
			}
			if !test.want && len(p.Files()["b"]) != before {
				t.Error("a refused fix left an edit in the plan")
			}
		})
	}
}

func TestPlanMergesEqualEdits(t *testing.T) {
	var p Plan
	p.Add(Fix{"a": {{0, 0, "i"}, {1, 2, "X"}}})
	p.Add(Fix{"a": {{0, 0, "i"}, {3, 4, "Y"}}})
	if got := string(Apply([]byte("abcd"), p.Files()["a"])); got != "iaXcY" {
		t.Errorf("got %q", got)
	}
}

// A fix that inserts twice at one place means both, in its order.
func TestApplyOrder(t *testing.T) {
	if got := string(Apply([]byte("ab"), []Edit{{1, 1, "1"}, {1, 1, "2"}})); got != "a12b" {
		t.Errorf("got %q", got)
	}
}

func TestStyle(t *testing.T) {
	const (
		clean = "package p\n\nfunc f() {\n\tg()\n}\n"
		rough = "package p\nfunc f() { g()\n}\n"
		// The edit appends a line that gofmt would indent.
		edit     = "\nfunc h() {\ng()\n}\n"
		indented = "\nfunc h() {\n\tg()\n}\n"
	)
	dos := func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }
	for _, test := range []struct{ name, src, edited, want string }{
		{"formatted", clean, clean + edit, clean + indented},
		{"not formatted", rough, rough + edit, rough + edit},
		{"CR LF", dos(clean), dos(clean) + edit, dos(clean + indented)},
		{"CR LF, not formatted", dos(rough), dos(rough) + edit, dos(rough + edit)},
		{"mixed line endings", dos(clean) + "\n", dos(clean) + "\n" + edit, dos(clean) + "\n" + edit},
		{"byte order mark", byteOrderMark + clean, byteOrderMark + clean + edit, byteOrderMark + clean + indented},
		{"no final newline", strings.TrimSuffix(clean, "\n"), clean + strings.TrimSuffix(edit, "\n"), clean + strings.TrimSuffix(indented, "\n")},
	} {
		t.Run(test.name, func(t *testing.T) {
			style := StyleOf([]byte(test.src))
			if got := string(style.Restore([]byte(test.edited))); got != test.want {
				t.Errorf("got %q\nwant %q", got, test.want)
			}
			if got := string(style.Restore([]byte(test.src))); got != test.src {
				t.Errorf("no edit: got %q\nwant %q", got, test.src)
			}
		})
	}
}

func TestDropUnusedImports(t *testing.T) {
	used := map[string]string{"os": "os", "fmt": "fmt", "example.com/go-x": "x"}
	for _, test := range []struct{ name, src, want string }{
		{
			"one of a group",
			"package p\n\nimport (\n\t\"fmt\"\n\t\"os\" // files\n)\n\nvar _ = fmt.Sprint\n",
			"package p\n\nimport (\n\t\"fmt\"\n)\n\nvar _ = fmt.Sprint\n",
		},
		{
			"the whole declaration",
			"package p\n\nimport \"os\"\n\nvar x = 1\n",
			"package p\n\nvar x = 1\n",
		},
		{
			"the whole group",
			"package p\n\nimport (\n\t\"fmt\"\n\t\"os\"\n)\n\nvar x = 1\n",
			"package p\n\nvar x = 1\n",
		},
		{
			"name other than the path",
			"package p\n\nimport \"example.com/go-x\"\n\nvar _ = x.Y\n",
			"package p\n\nimport \"example.com/go-x\"\n\nvar _ = x.Y\n",
		},
		{
			"shadowed",
			"package p\n\nimport \"os\"\n\nfunc f(os T) { os.F() }\n",
			"package p\n\nfunc f(os T) { os.F() }\n",
		},
		{
			"blank, dot and unknown ones stay",
			"package p\n\nimport (\n\t_ \"fmt\"\n\t. \"os\"\n\t\"new\"\n)\n",
			"package p\n\nimport (\n\t_ \"fmt\"\n\t. \"os\"\n\t\"new\"\n)\n",
		},
		{
			"renamed",
			"package p\n\nimport (\n\tf \"fmt\"\n\tg \"os\"\n)\n\nvar _ = g.Args\n",
			"package p\n\nimport (\n\tg \"os\"\n)\n\nvar _ = g.Args\n",
		},
		{"does not parse", "package", "package"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := string(DropUnusedImports([]byte(test.src), used)); got != test.want {
				t.Errorf("got %q\nwant %q", got, test.want)
			}
		})
	}
}
