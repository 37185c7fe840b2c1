package effects

import (
	"fmt"
	"go/types"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lockvet/lockvet/internal/fixtures"
	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/process"
	"github.com/lockvet/lockvet/internal/slice"
)

// TestSliceLosesNothing compares the effects of every fixture with those of the
// same package when all of it is kept.
func TestSliceLosesNothing(t *testing.T) {
	dirs, err := filepath.Glob(filepath.Join(fixtures.GOPATH(t, "../../testdata"), "src", "tornwrite", "*", "*.go"))
	if err != nil || len(dirs) < 20 {
		t.Fatalf("%d fixtures, %v", len(dirs), err)
	}
	compared := 0
	for _, file := range dirs {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !onlyStd(string(src)) {
			continue
		}
		w := newWorld(t)
		pass, err := w.Check("example.com/agentd/"+filepath.Base(filepath.Dir(file)), string(src))
		if err != nil {
			continue // a package of several files
		}
		part, whole := slice.New(pass, slice.Config{Tests: true, Files: true, Acts: nothing}), slice.New(
			pass,
			slice.Config{Tests: true, Files: true, Acts: nothing},
		)
		whole.KeepAll()
		got, want := tell(compute(part, process.New(pass), flow.NewBudget(flow.Limit))), tell(
			compute(whole, process.New(pass), flow.NewBudget(flow.Limit)),
		)
		for name, text := range want {
			if text != "" && got[name] != text {
				t.Errorf("%s: %s:\n%s\nof the whole package:\n%s", file, name, got[name], text)
			}
		}
		compared++
	}
	if compared < 20 {
		t.Errorf("only %d fixtures were compared", compared)
	}
}

// onlyStd reports whether a file imports nothing but the standard library.
func onlyStd(src string) bool {
	imports, _, _ := strings.Cut(src, "\n)")
	return !strings.Contains(imports, "example.com/") && !strings.Contains(imports, "golang.org/")
}

// tell spells the effects of every function that acts on files.
func tell(p *Package) map[string]string {
	m := map[string]string{}
	for _, f := range p.Funcs {
		var b strings.Builder
		acts := false
		for _, e := range f.Effects {
			acts = acts || e.Kind <= CreateExclusive && e.Kind != Decode || e.Kind == Rename || e.Kind == Remove
			fmt.Fprintln(&b, e.Kind, e.Path.Key(), e.Target.Key(), e.Handle.Key(), e.Data.Key(), e.When, e.Dropped, len(e.Via))
		}
		if acts {
			m[p.Fset.Position(f.SSA.Pos()).String()+" "+f.Name()] = b.String()
		}
	}
	return m
}

// nothing is what acts on files by what other packages tell, where there are none.
func nothing(*types.Func) bool { return false }
