package analyse

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/pattern"
	"github.com/lockvet/lockvet/internal/syntax"
)

// refuseTested takes the fixes that do away with a temporary file from the findings of functions
// that a test calls which makes that file before: it would still be there then. It takes those
// that leave a lock file from the findings of functions that a test calls which then wants the file to
// be gone. Tests are read for that where such a fix is at hand, and are no part of what is kept
// of a package.
func (u *run) refuseTested(all []*Found) {
	read := make(map[string][]*ast.FuncDecl)
	for _, f := range all {
		if f.Fix == nil || len(f.Temps) == 0 && !f.Leaves {
			continue
		}
		dir := filepath.Dir(f.Position().Filename)
		tests, ok := read[dir]
		if !ok {
			tests = u.tests(dir)
			read[dir] = tests
		}
		if reason := objection(tests, f.Finding); reason != "" {
			without := *f.Finding
			without.Fix, without.NoFix = nil, reason+"; change the test with it"
			f.Finding = &without
		}
	}
}

// objection is what tests have against a fix; empty for nothing.
func objection(tests []*ast.FuncDecl, f *finding.Finding) string {
	for _, temp := range f.Temps {
		if test := testOf(tests, func(d *ast.FuncDecl) bool { return makes(d, temp) }); test != "" {
			return fmt.Sprintf("%s makes its temporary file, %s, and would find it again", test, temp.Name)
		}
	}
	if !f.Leaves {
		return ""
	}
	of := finding.Temp{Func: f.Func}
	if test := testOf(tests, func(d *ast.FuncDecl) bool { return wantsGone(d, of) }); test != "" {
		return test + " wants the file to be gone"
	}
	return ""
}

// testOf names the first test that does something; empty for none.
func testOf(tests []*ast.FuncDecl, does func(*ast.FuncDecl) bool) string {
	if i := slices.IndexFunc(tests, does); i >= 0 {
		return tests[i].Name.Name
	}
	return ""
}

// wantsGone reports whether a test names a function, and then one that tells that a file is not there.
func wantsGone(test *ast.FuncDecl, of finding.Temp) bool {
	fn, called := funcName(of), false
	return syntax.Some(test, func(id *ast.Ident) bool {
		called = called || id.Name == fn
		return called && (id.Name == "IsNotExist" || id.Name == "ErrNotExist" || strings.HasPrefix(id.Name, "NoFileExists"))
	})
}

// tests are the functions of the test files in a directory, as far as these can be read and parsed.
func (u *run) tests(dir string) (list []*ast.FuncDecl) {
	files, _ := filepath.Glob(filepath.Join(dir, "*_test.go"))
	for _, name := range files {
		src, err := u.Load.ReadFile(name)
		if err != nil {
			continue
		}
		f, _ := parser.ParseFile(token.NewFileSet(), name, src, parser.SkipObjectResolution)
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				list = append(list, fn)
			}
		}
	}
	return list
}

// funcName is the name of the function of a temporary file, without that of its type.
func funcName(temp finding.Temp) string { return temp.Func[strings.LastIndex(temp.Func, ".")+1:] }

// makes reports whether a test calls the function of a temporary file and makes that file
// itself, by the end of its name, to see what becomes of it. One that only looks whether
// nothing is left sees the same without.
func makes(test *ast.FuncDecl, temp finding.Temp) bool {
	fn := funcName(temp)
	variables := map[string]bool{}
	ends := func(lit *ast.BasicLit) bool {
		text, err := strconv.Unquote(lit.Value)
		return err == nil && lit.Kind == token.STRING && strings.HasSuffix(text, temp.Name)
	}
	says := func(n ast.Expr) bool {
		return syntax.Some(n, ends) || syntax.Some(n, func(id *ast.Ident) bool { return variables[id.Name] })
	}
	calls, made := false, false
	ast.Inspect(test, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			calls = calls || n.Name == fn
		case *ast.AssignStmt:
			if name, ok := n.Lhs[0].(*ast.Ident); ok && len(n.Rhs) == 1 && says(n.Rhs[0]) {
				variables[name.Name] = true
			}
		case *ast.CallExpr:
			made = made || making.MatchString(types.ExprString(n.Fun)) && slices.ContainsFunc(n.Args, says)
		}
		return true
	})
	return calls && made
}

// making are the names of functions that make a file.
var making = pattern.New(`(?i)(write|create|mkdir|symlink|openfile|touch)\w*$`)
