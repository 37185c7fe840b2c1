package prove

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"

	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/state"
	"github.com/lockvet/lockvet/internal/witness"
)

// TestActs: package witness has an experiment for each act that a step of a schedule can name.
func TestActs(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "../../../../internal/finding/finding.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	acts := 0
	ast.Inspect(f, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || spec.Type == nil {
			return true
		}
		if typ, ok := spec.Type.(*ast.Ident); !ok || typ.Name != "Act" {
			return true
		}
		acts++
		act, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		if err != nil || !witness.Known(act) {
			t.Errorf("%s: there is no experiment %q", spec.Names[0].Name, act)
		}
		return true
	})
	if acts == 0 {
		t.Error("there are no acts")
	}
}

// TestWeigh: what was refuted is a note; what makes the program's own reader fail is an error; the rest is as before.
func TestWeigh(t *testing.T) {
	failing := witness.Reader{Func: "load", Error: "unexpected end of JSON input"}
	for _, c := range []struct {
		name     string
		was      finding.Severity
		proof    witness.Proof
		severity finding.Severity
	}{
		{"refuted", finding.Error, witness.Proof{Verdict: witness.Refuted}, finding.Note},
		{"the reader fails", finding.Warning, witness.Proof{Verdict: witness.Proven, Reader: failing}, finding.Error},
		{"the reader accepts it", finding.Warning, witness.Proof{Verdict: witness.Proven}, finding.Warning},
		{"unreached", finding.Error, witness.Proof{Verdict: witness.Unreached}, finding.Error},
	} {
		f := &finding.Finding{Severity: c.was}
		if Weigh(f, c.proof); f.Severity != c.severity {
			t.Errorf("%s: %s, want %s", c.name, f.Severity, c.severity)
		}
		if state.Rate(f); f.Severity != c.severity {
			t.Errorf("%s: rated again, it is %s, want %s", c.name, f.Severity, c.severity)
		}
	}
}
