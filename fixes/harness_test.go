package fixes

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"sort"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/lockvet/lockvet/fixes/rewrite"
	"github.com/lockvet/lockvet/internal/finding"
)

const safeioPath = "github.com/lockvet/lockvet/safeio"

// safeioStub has the signatures of package safeio that fixes rely on.
const safeioStub = `package safeio

import (
	"io"
	"io/fs"
)

type File struct{}

func WriteFile(name string, data []byte, perm fs.FileMode) error { return nil }
func Create(name string) (*File, error)                        { return nil, nil }
func CreatePerm(name string, perm fs.FileMode) (*File, error)  { return nil, nil }

func (*File) Name() string                            { return "" }
func (*File) Write([]byte) (int, error)               { return 0, nil }
func (*File) WriteString(string) (int, error)         { return 0, nil }
func (*File) ReadFrom(io.Reader) (int64, error)       { return 0, nil }
func (*File) Seek(int64, int) (int64, error)          { return 0, nil }
func (*File) Stat() (fs.FileInfo, error)              { return nil, nil }
func (*File) Chmod(fs.FileMode) error                 { return nil }
func (*File) Sync() error                             { return nil }
func (*File) Commit() error                           { return nil }
func (*File) Close() error                            { return nil }
`

// stdImporter reads the standard library's export data once for all tests.
var stdImporter = sync.OnceValue(func() types.Importer {
	return importer.ForCompiler(token.NewFileSet(), "gc", nil)
})

var stdLock sync.Mutex

type withSafeio struct{ safeio *types.Package }

func (w *withSafeio) Import(path string) (*types.Package, error) {
	stdLock.Lock()
	defer stdLock.Unlock()
	if path != safeioPath {
		return stdImporter().Import(path)
	}
	if w.safeio == nil {
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, "safeio.go", safeioStub, 0)
		if err != nil {
			return nil, err
		}
		conf := types.Config{Importer: stdImporter()}
		w.safeio, err = conf.Check(safeioPath, fset, []*ast.File{f}, nil)
		if err != nil {
			return nil, err
		}
	}
	return w.safeio, nil
}

var testImporter = &withSafeio{}

// A program is one type-checked file and what Plan needs of it.
type program struct {
	text []byte
	pass Pass
	file *ast.File
}

func check(text []byte) (*program, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", text, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	info := &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{},
		Uses: map[*ast.Ident]types.Object{}, Implicits: map[ast.Node]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, Scopes: map[ast.Node]*types.Scope{},
		Instances: map[*ast.Ident]types.Instance{},
	}
	conf := types.Config{Importer: testImporter}
	pkg, err := conf.Check("example.com/p", fset, []*ast.File{file}, info)
	if err != nil {
		return nil, err
	}
	return &program{text: text, file: file, pass: Pass{
		Fset: fset, Pkg: pkg, Info: info, Files: []*ast.File{file},
		ReadFile:   func(string) ([]byte, error) { return text, nil },
		SafeioPath: safeioPath,
	}}, nil
}

// findings finds the remedies of a package as a simple-minded check would:
// every opening with truncation and every whole-file write is one, and a
// rename behind it makes it a temporary file.
func findings(pass Pass) []*finding.Finding {
	var fs []*finding.Finding
	for _, file := range pass.Files {
		for _, body := range bodies(file) {
			fs = append(fs, findingsIn(pass, body)...)
		}
	}
	finding.Sort(pass.Fset, fs)
	return fs
}

func bodies(file *ast.File) []*ast.BlockStmt {
	var bs []*ast.BlockStmt
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			bs = append(bs, n.Body)
		case *ast.FuncLit:
			bs = append(bs, n.Body)
		}
		return true
	})
	return bs
}

// calls reports whether a call calls one of the named package functions.
func calls(pass Pass, call *ast.CallExpr, pkg string, names ...string) bool {
	fn, ok := typeutil.Callee(pass.Info, call).(*types.Func)
	if pkg == "os" && ok && fn.Name() == "WriteFile" && fn.Pkg().Path() == "io/ioutil" {
		return slices.Contains(names, "WriteFile")
	}
	return ok && fn.Pkg() != nil && fn.Pkg().Path() == pkg && fn.Signature().Recv() == nil && slices.Contains(names, fn.Name())
}

// object is the variable that an expression names, nil if it is no plain name.
func object(pass Pass, e ast.Expr) types.Object {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return nil
	}
	return pass.Info.ObjectOf(id)
}

func findingsIn(pass Pass, body *ast.BlockStmt) []*finding.Finding {
	var opens, renames []*ast.CallExpr
	handles := map[*ast.CallExpr]types.Object{}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.AssignStmt:
			if call, ok := n.Rhs[0].(*ast.CallExpr); ok && len(n.Lhs) == 2 && len(n.Rhs) == 1 {
				handles[call] = object(pass, n.Lhs[0])
			}
		case *ast.CallExpr:
			switch {
			case calls(pass, n, "os", "Create", "CreateTemp"), calls(pass, n, "os", "WriteFile"):
				opens = append(opens, n)
			case calls(pass, n, "os", "OpenFile") && strings.Contains(types.ExprString(n.Args[1]), "O_TRUNC"),
				calls(pass, n, "os", "OpenFile") && strings.Contains(types.ExprString(n.Args[1]), "O_EXCL"):
				opens = append(opens, n)
			case calls(pass, n, "os", "Rename"):
				renames = append(renames, n)
			}
		}
		return true
	})
	var fs []*finding.Finding
	for _, open := range opens {
		f := &finding.Finding{Check: "tornwrite", Pos: open.Pos(), End: open.End()}
		for _, r := range renames {
			if r.Pos() > open.Pos() && sameTemp(pass, open, handles[open], r.Args[0], body) {
				f.Remedy = finding.CollapseTemp{Body: body, Open: open, Rename: r}
				break
			}
		}
		switch {
		case f.Remedy != nil:
		case calls(pass, open, "os", "CreateTemp"):
			continue
		case calls(pass, open, "os", "WriteFile"):
			f.Remedy = finding.ReplaceCall{Call: open}
		default:
			f.Remedy = finding.PublishHandle{Body: body, Open: open}
		}
		fs = append(fs, f)
	}
	return fs
}

func sameTemp(pass Pass, open *ast.CallExpr, handle types.Object, old ast.Expr, body *ast.BlockStmt) bool {
	if !calls(pass, open, "os", "CreateTemp") && types.ExprString(old) == types.ExprString(open.Args[0]) {
		return true
	}
	isName := func(e ast.Expr) bool {
		call, ok := e.(*ast.CallExpr)
		if !ok {
			return false
		}
		sel, ok := call.Fun.(*ast.SelectorExpr)
		return ok && sel.Sel.Name == "Name" && handle != nil && object(pass, sel.X) == handle
	}
	if isName(old) {
		return true
	}
	same := false
	obj := object(pass, old)
	ast.Inspect(body, func(n ast.Node) bool {
		if a, ok := n.(*ast.AssignStmt); ok && len(a.Lhs) == 1 && len(a.Rhs) == 1 && obj != nil && object(pass, a.Lhs[0]) == obj &&
			isName(a.Rhs[0]) {
			same = true
		}
		return true
	})
	return same
}

// applyFixes applies fixes as the strictest driver does: equal edits once, and
// no others may overlap.
func applyFixes(p *program, fixes []*analysis.SuggestedFix) ([]byte, error) {
	tok := p.pass.Fset.File(p.file.FileStart)
	var edits []edit
	for _, f := range fixes {
		for _, e := range f.TextEdits {
			n := edit{tok.Offset(e.Pos), tok.Offset(e.End), string(e.NewText), tok}
			if !slices.Contains(edits, n) {
				edits = append(edits, n)
			}
		}
	}
	sort.SliceStable(edits, func(i, j int) bool {
		if edits[i].start != edits[j].start {
			return edits[i].start < edits[j].start
		}
		return edits[i].end < edits[j].end
	})
	var out bytes.Buffer
	at := 0
	for _, e := range edits {
		if e.start < at {
			return nil, fmt.Errorf("edits overlap at offset %d: %q", e.start, e.text)
		}
		out.Write(p.text[at:e.start])
		out.WriteString(e.text)
		at = e.end
	}
	out.Write(p.text[at:])
	return out.Bytes(), nil
}

// verify checks what must be true of every fixed file.
func verify(p *program, fixed []byte) error {
	if _, err := check(fixed); err != nil {
		return fmt.Errorf("does not compile: %v", err)
	}
	plain := bytes.ReplaceAll(p.text, []byte("\r\n"), []byte("\n"))
	if f, err := format.Source(plain); err == nil && bytes.Equal(f, plain) {
		got := bytes.ReplaceAll(fixed, []byte("\r\n"), []byte("\n"))
		if f, err := format.Source(got); err != nil || !bytes.Equal(f, got) {
			return fmt.Errorf("is not formatted (%v)", err)
		}
	}
	if bytes.Contains(p.text, []byte("\r\n")) && bytes.Count(fixed, []byte("\n")) != bytes.Count(fixed, []byte("\r\n")) {
		return fmt.Errorf("mixes line endings")
	}
	lost := comments(p.text)
	for c, n := range comments(fixed) {
		lost[c] -= n
	}
	for c, n := range lost {
		if n > 0 && !mayGo(c) &&
			!slices.ContainsFunc(groupsOf(p.text), func(group string) bool { return strings.Contains(group, c) && mayGo(group) }) {
			return fmt.Errorf("lost the comment %q", c)
		}
	}
	return nil
}

// mayGo reports whether a comment speaks of what a fix takes away, or asks for what it does.
func mayGo(c string) bool {
	return rewrite.Stale(c)
}

// groupsOf are the comments of a source of several lines, each as it stands there.
func groupsOf(text []byte) (list []string) {
	file, err := parser.ParseFile(token.NewFileSet(), "", text, parser.ParseComments)
	if err != nil {
		return nil
	}
	for _, group := range file.Comments {
		var lines []string
		for _, c := range group.List {
			lines = append(lines, c.Text)
		}
		list = append(list, strings.Join(lines, "\n"))
	}
	return list
}

func comments(text []byte) map[string]int {
	m := map[string]int{}
	file, err := parser.ParseFile(token.NewFileSet(), "", text, parser.ParseComments)
	if err != nil {
		return m
	}
	for _, g := range file.Comments {
		for _, c := range g.List {
			m[strings.TrimSpace(c.Text)]++
		}
	}
	return m
}

// planned gives the distinct fixes of the findings after Plan.
func planned(p *program, fs []*finding.Finding) []*analysis.SuggestedFix {
	Plan(p.pass, fs)
	var fixes []*analysis.SuggestedFix
	for _, f := range fs {
		if f.Fix != nil {
			fixes = append(fixes, f.Fix)
		}
	}
	return fixes
}

// subsets verifies every selection of the fixes, as long as they are few.
func subsets(t *testing.T, p *program, fixes []*analysis.SuggestedFix) {
	t.Helper()
	if len(fixes) > 6 {
		for _, f := range fixes {
			subset(t, p, []*analysis.SuggestedFix{f})
		}
		return
	}
	for mask := 1; mask < 1<<len(fixes); mask++ {
		var some []*analysis.SuggestedFix
		for i, f := range fixes {
			if mask>>i&1 == 1 {
				some = append(some, f)
			}
		}
		subset(t, p, some)
	}
}

func subset(t *testing.T, p *program, some []*analysis.SuggestedFix) {
	t.Helper()
	out, err := applyFixes(p, some)
	if err == nil {
		err = verify(p, out)
	}
	if err != nil {
		t.Errorf("%d fixes together: %v\n%s", len(some), err, out)
	}
}
