package lostupdate

import (
	"slices"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/evidence"
	"github.com/lockvet/lockvet/internal/finding"
)

// Reasons are the names of the reasons for silence.
func Reasons() []string {
	var names []string
	for _, r := range reasons {
		names = append(names, r.name)
	}
	return names
}

// RunWithout is Run without one of the reasons for silence.
func RunWithout(name string, p *effects.Package, x *evidence.Index) []*finding.Finding {
	return run(p, x, slices.DeleteFunc(slices.Clone(reasons), func(r reason) bool { return r.name == name }))
}
