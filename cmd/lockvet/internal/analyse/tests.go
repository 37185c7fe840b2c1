package analyse

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/lockvet/lockvet/internal/finding"
)

// heedTests takes the fixes that do away with a temporary file from the findings of functions
// that a test calls which names that file: it would fail, or test nothing any more. Tests are
// read for that where such a fix is at hand, and are no part of what is kept of a package.
func (u *run) heedTests(all []*Found) {
	read := make(map[string][]*ast.FuncDecl)
	for _, f := range all {
		if f.Fix == nil || len(f.Temps) == 0 {
			continue
		}
		dir := filepath.Dir(f.Position().Filename)
		tests, ok := read[dir]
		if !ok {
			tests = u.tests(dir)
			read[dir] = tests
		}
		for _, temp := range f.Temps {
			if i := slices.IndexFunc(tests, func(d *ast.FuncDecl) bool { return names(d, temp) }); i >= 0 {
				without := *f.Finding
				without.Fix = nil
				without.NoFix = fmt.Sprintf("%s looks for its temporary file, %s; change the test with it", tests[i].Name.Name, temp.Name)
				f.Finding = &without
				break
			}
		}
	}
}

// tests are the functions of the test files in a directory. What cannot be read has none.
func (u *run) tests(dir string) (list []*ast.FuncDecl) {
	files, _ := filepath.Glob(filepath.Join(dir, "*_test.go"))
	for _, name := range files {
		src, err := u.Load.ReadFile(name)
		if err != nil {
			continue
		}
		file, _ := parser.ParseFile(token.NewFileSet(), name, src, parser.SkipObjectResolution)
		if file == nil {
			continue
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				list = append(list, f)
			}
		}
	}
	return list
}

// names reports whether a test calls the function of a temporary file and has the end of its
// name in a text.
func names(test *ast.FuncDecl, temp finding.Temp) bool {
	fn := temp.Func[strings.LastIndex(temp.Func, ".")+1:]
	calls, says := false, false
	ast.Inspect(test, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			calls = calls || n.Name == fn
		case *ast.BasicLit:
			if text, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING {
				says = says || strings.HasSuffix(text, temp.Name)
			}
		}
		return !calls || !says
	})
	return calls && says
}
