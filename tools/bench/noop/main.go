// Noop is the floor of the vettool measurements: the driver that lockvet uses,
// around a pass that does nothing. Like lockvet it declares a fact: a pass
// without is not run on packages that are only imported.
package main

import (
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/unitchecker"
)

// A fact is never exported.
type fact struct{}

func (*fact) AFact() {}

func main() {
	unitchecker.Main(&analysis.Analyzer{
		Name:      "noop",
		Doc:       "do nothing",
		FactTypes: []analysis.Fact{new(fact)},
		Run:       func(*analysis.Pass) (any, error) { return nil, nil },
	})
}
