package analyzer

import (
	"fmt"
	"runtime/debug"

	"golang.org/x/tools/go/analysis"
)

// A part of the pass that can be at fault for a crash.
type part struct {
	does string
	// instead is what the user can do until the fault is fixed; empty for nothing.
	instead string
}

func (c check) part() part {
	return part{"check " + c.name, "; until then, -disable " + c.name + " leaves the check out"}
}

// guarded runs a part of the pass. A panic in it is an error that says on which
// package lockvet failed and what to do, so that a linter with other analyzers in
// it goes on.
func guarded(pass *analysis.Pass, p part, run func()) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("internal error in the %s, on package %s: %v; this is a fault of lockvet, please report it with the trace%s\n%s",
				p.does, pass.Pkg.Path(), r, p.instead, debug.Stack())
		}
	}()
	run()
	return nil
}
