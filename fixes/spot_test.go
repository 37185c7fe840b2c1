package fixes

import (
	"go/ast"
	"strings"
	"testing"

	"github.com/lockvet/lockvet/internal/finding"
)

// TestLockAndAnswer: a lock in front of a load is no fix of what is done about the error of that.
func TestLockAndAnswer(t *testing.T) {
	p, err := check([]byte(`package p

import "os"

func Load() ([]byte, error) { return os.ReadFile("state.json") }

func Save(data []byte) error { return os.WriteFile("state.json", data, 0o600) }

func Set(b byte) error {
	data, err := Load()
	if err != nil {
		data = []byte("new")
	}
	return Save(append(data, b))
}
`))
	if err != nil {
		t.Fatal(err)
	}
	body := p.file.Decls[len(p.file.Decls)-1].(*ast.FuncDecl).Body
	load := body.List[0].(*ast.AssignStmt).Rhs[0].(*ast.CallExpr)
	save := body.List[2].(*ast.ReturnStmt).Results[0].(*ast.CallExpr)
	lost := &finding.Finding{Func: "Set", Pos: load.Pos(), Remedy: finding.SpanLock{Body: body, Load: load, Save: save, Path: `"state.json"`}}
	erased := &finding.Finding{Func: "Set", Pos: load.Pos(), Remedy: finding.SurfaceError{Body: body, Call: load, Opens: true, Does: "load"}}
	for _, fs := range [][]*finding.Finding{{lost, erased}, {erased, lost}} {
		Plan(p.pass, fs)
		if lost.Fix == nil || !strings.Contains(lost.Fix.Message, "lock") {
			t.Errorf("the lock: %v, %s", lost.Fix, lost.NoFix)
		}
		if erased.Fix != nil || !strings.Contains(erased.NoFix, "the error may be that of a missing file") {
			t.Errorf("the error: %v, %q", erased.Fix, erased.NoFix)
		}
	}
}
