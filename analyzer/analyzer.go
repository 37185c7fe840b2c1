// Package analyzer is the one go/analysis pass of lockvet. It knows which
// checks there are and in which order the rooms of the house are walked
// through; it knows nothing of any single defect.
package analyzer

import (
	"reflect"

	"golang.org/x/tools/go/analysis"

	"github.com/lockvet/lockvet/internal/finding"
)

// Result is what the pass returns for a package, for drivers that print more
// than diagnostics can carry.
type Result struct {
	// Findings are in source order. Each was also reported as a diagnostic.
	Findings []*finding.Finding
}

// New returns a fresh pass with its own flags. Drivers call it once.
func New() *analysis.Analyzer {
	a := &analysis.Analyzer{
		Name:       "lockvet",
		Doc:        "report unsafe writes of session and state files",
		URL:        "https://pkg.go.dev/github.com/lockvet/lockvet/analyzer",
		ResultType: reflect.TypeFor[*Result](),
		Run:        func(*analysis.Pass) (any, error) { return &Result{}, nil },
	}
	return a
}
