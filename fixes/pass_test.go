package fixes

import (
	"errors"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"github.com/lockvet/lockvet/internal/finding"
)

const onlyWrite = `package p

import "os"

func save(path string, data []byte) error { return os.WriteFile(path, data, 0o600) }
`

// TestRefusedFiles covers what keeps a whole file from being fixed.
func TestRefusedFiles(t *testing.T) {
	for _, test := range []struct {
		name, want string
		change     func(*program)
	}{
		{"unreadable", "its source cannot be read", func(p *program) {
			p.pass.ReadFile = func(string) ([]byte, error) { return nil, errors.New("gone") }
		}},
		{"changed", "its source has changed since it was parsed", func(p *program) {
			p.pass.ReadFile = func(string) ([]byte, error) { return []byte("package p\n"), nil }
		}},
		{"itself", "package safeio cannot import itself", func(p *program) {
			p.pass.SafeioPath = "example.com/p"
		}},
		{"elsewhere", "its source file is not part of the package", func(p *program) {
			p.pass.Files = nil
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			p, err := check([]byte(onlyWrite))
			if err != nil {
				t.Fatal(err)
			}
			fs := findings(p.pass)
			test.change(p)
			Plan(p.pass, fs)
			if len(fs) != 1 || fs[0].Fix != nil || !strings.HasPrefix(fs[0].NoFix, test.want) {
				t.Errorf("NoFix %q, want %q", fs[0].NoFix, test.want)
			}
		})
	}
}

// TestCgo: what the compiler sees of a cgo file is not its source.
func TestCgo(t *testing.T) {
	text := strings.Replace(onlyWrite, "import \"os\"", "import \"C\"\nimport \"os\"", 1)
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", text, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	info := &types.Info{
		Types:     map[ast.Expr]types.TypeAndValue{},
		Defs:      map[*ast.Ident]types.Object{},
		Uses:      map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{},
	}
	conf := types.Config{Importer: importer.Default(), FakeImportC: true, Error: func(error) {}}
	pkg, _ := conf.Check("example.com/p", fset, []*ast.File{file}, info)
	pass := Pass{Fset: fset, Pkg: pkg, Info: info, Files: []*ast.File{file}, SafeioPath: safeioPath,
		ReadFile: func(string) ([]byte, error) { return []byte(text), nil }}
	fs := findings(pass)
	Plan(pass, fs)
	if len(fs) != 1 || fs[0].NoFix != "the file uses cgo" {
		t.Errorf("not refused: %v", fs)
	}
}

// TestRemedyWithoutCall: a remedy that names no call is refused, and one of
// nil is none of Plan's business.
func TestRemedyWithoutCall(t *testing.T) {
	p, err := check([]byte(onlyWrite))
	if err != nil {
		t.Fatal(err)
	}
	fs := findings(p.pass)
	empty := &finding.Finding{Pos: fs[0].Pos, Remedy: finding.CollapseTemp{}}
	none := &finding.Finding{Pos: fs[0].Pos, NoFix: "said before"}
	Plan(p.pass, []*finding.Finding{empty, none})
	if empty.NoFix == "" || empty.Fix != nil {
		t.Error("a remedy without a call was not refused")
	}
	if none.NoFix != "said before" || none.Fix != nil {
		t.Error("a finding without a remedy was changed")
	}
}

// TestSharedFix: two findings about one call carry one fix.
func TestSharedFix(t *testing.T) {
	p, err := check([]byte(onlyWrite))
	if err != nil {
		t.Fatal(err)
	}
	fs := findings(p.pass)
	twin := *fs[0]
	fixes := planned(p, append(fs, &twin))
	if len(fixes) != 2 {
		t.Fatalf("%d fixes", len(fixes))
	}
	subsets(t, p, fixes)
}
