package syntax

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"testing"
)

const source = `package p

func save(path string, v []byte) error {
	f := open(path)
	_, _ = f.Write(v)
	f.Close()
	if len(v) == 0 {
		return nil
	}
	switch {
	case path == "":
		f.Sync()
	}
	return f.err
}
`

// TestTrees asks of one function what the package can say of it.
func TestTrees(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "p.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	body := file.Decls[0].(*ast.FuncDecl).Body
	var plain []bool
	for _, s := range body.List {
		plain = append(plain, PlainCall(s) != nil)
	}
	if want := []bool{false, true, true, false, false, false}; !slices.Equal(plain, want) {
		t.Errorf("calls of which nothing is taken: %v, want %v", plain, want)
	}
	if SoleCall(body.List[0]) == nil || SoleCall(body.List[2]) != nil || !IsDefine(body.List[0]) || IsDefine(body.List[1]) {
		t.Error("f := open(path) is the one that declares what a call yields")
	}
	var names []string
	for id := range Unselected(body.List[5]) {
		names = append(names, id.Name)
	}
	if !slices.Equal(names, []string{"f"}) {
		t.Errorf("f.err names %q", names)
	}
	if check, ok := FirstIf(body.List[3:]); !ok || SoleReturn(check.Body.List) == nil || SoleReturn(body.List) != nil ||
		!EndsInReturn(body.List) {
		t.Error("the check holds one return, and the body ends in another")
	}
	if id, ok := Result(body.List[5]).(*ast.SelectorExpr); !ok || id.Sel.Name != "err" || Result(body.List[0]) != nil {
		t.Error("f.err is what is returned last")
	}
	calls := slices.Collect(Nodes[*ast.CallExpr](body))
	parents := Parents(body)
	if len(calls) != 5 || ListIn(parents[parents[calls[4]]]) == nil {
		t.Errorf("%d calls; the last stands in a statement of a case", len(calls))
	}
	if !Some(body, func(s *ast.SwitchStmt) bool { return Inside(calls[4], s) }) ||
		Every(body, func(r *ast.ReturnStmt) bool { return r.Results[0] == calls[0] }) {
		t.Error("the last call stands in the switch, and no call is returned")
	}
	seen := 0
	stop := errors.New("stop")
	if err := First(List(body.List), func(*ast.CallExpr) error { seen++; return stop }); err != stop || seen != 1 {
		t.Errorf("%v after %d calls, want the first error and no more", err, seen)
	}
}

func TestOctal(t *testing.T) {
	for _, test := range []struct{ file, other, want string }{
		{"var m = 0644", "var n = 0o600", "0755"},
		{"var m, n = 0o644, 07", "var o = 0600", "0o755"},
		{"var m = 0", "", "0o755"},
		{"var m = 0x1f", "var n = 0o600", "0o755"},
		{"var m = 0x1f", "var n = 0600", "0755"},
		{"var m = 0x1f", "var n, o = 0600, 0o600", "0o755"},
	} {
		var files []*ast.File
		for _, src := range []string{test.file, test.other} {
			f, err := parser.ParseFile(token.NewFileSet(), "m.go", "package m\n"+src, 0)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
		}
		if got := Octal("0o755", files[0], files); got != test.want {
			t.Errorf("%s beside %s: %s, want %s", test.file, test.other, got, test.want)
		}
	}
}
