package analyzer

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/lockvet/lockvet/analyzer/clobber"
	"github.com/lockvet/lockvet/analyzer/directive"
	"github.com/lockvet/lockvet/analyzer/droppedlock"
	"github.com/lockvet/lockvet/analyzer/earlyrelease"
	"github.com/lockvet/lockvet/analyzer/latelock"
	"github.com/lockvet/lockvet/analyzer/lostupdate"
	"github.com/lockvet/lockvet/analyzer/racycreate"
	"github.com/lockvet/lockvet/analyzer/stalesnapshot"
	"github.com/lockvet/lockvet/analyzer/tornappend"
	"github.com/lockvet/lockvet/analyzer/tornwrite"
	"github.com/lockvet/lockvet/analyzer/trunclock"
	"github.com/lockvet/lockvet/analyzer/uncommitted"
	"github.com/lockvet/lockvet/analyzer/unflushed"
	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/state"
)

// A check asks one question of a package's effects.
type check struct {
	name string
	// source is the check's doc.go, the only text of its documentation.
	source string
	// run is nil for the check of directives, which hears what the others found.
	run func(*effects.Package, *state.Index) []*finding.Finding
	// offers plans for the callers in other packages: see [Result.Offers]. It is nil
	// where no place of one package is the fix of what is found in another.
	offers func(*effects.Package, *state.Index) []*finding.Finding
}

// registry lists the checks in the order in which they run.
func registry() []check {
	return []check{
		{name: tornwrite.Name, source: tornwrite.Doc, run: tornwrite.Run, offers: tornwrite.Offers},
		{name: latelock.Name, source: latelock.Doc, run: latelock.Run},
		{name: trunclock.Name, source: trunclock.Doc, run: trunclock.Run},
		{name: unflushed.Name, source: unflushed.Doc, run: unflushed.Run},
		{name: uncommitted.Name, source: uncommitted.Doc, run: uncommitted.Run},
		{name: earlyrelease.Name, source: earlyrelease.Doc, run: earlyrelease.Run},
		{name: racycreate.Name, source: racycreate.Doc, run: racycreate.Run},
		{name: droppedlock.Name, source: droppedlock.Doc, run: droppedlock.Run},
		{name: lostupdate.Name, source: lostupdate.Doc, run: lostupdate.Run, offers: lostupdate.Offers},
		{name: tornappend.Name, source: tornappend.Doc, run: tornappend.Run},
		{name: clobber.Name, source: clobber.Doc, run: clobber.Run, offers: clobber.Offers},
		{name: stalesnapshot.Name, source: stalesnapshot.Doc, run: stalesnapshot.Run},
		{name: directive.Name, source: directive.Doc},
	}
}

// selected lists the checks that the flags ask for.
func selected(enable, disable []string) []check {
	var list []check
	for _, c := range registry() {
		if asked(c.name, enable, disable) {
			list = append(list, c)
		}
	}
	return list
}

// asked reports whether the flags ask for a check, or for one of its variants; or, by
// its category, for that variant.
func asked(name string, enable, disable []string) bool {
	check, _, variant := strings.Cut(name, "/")
	enabled := len(enable) == 0 || slices.ContainsFunc(enable, func(n string) bool {
		return n == name || n == check || !variant && strings.HasPrefix(n, check+"/")
	})
	return enabled && !slices.Contains(disable, name) && !slices.Contains(disable, check)
}

// partly reports whether the flags ask for some of the variants of a check, and not for others.
func partly(check string, enable, disable []string) bool {
	named := func(n string) bool { return strings.HasPrefix(n, check+"/") }
	return asked(check, enable, disable) &&
		(slices.ContainsFunc(enable, named) && !slices.Contains(enable, check) || slices.ContainsFunc(disable, named))
}

// Asked reports whether the flags of a pass of lockvet ask for a check.
func Asked(a *analysis.Analyzer, name string) bool {
	return asked(name, listed(a, "enable"), listed(a, "disable"))
}

// listed is the value of a flag that lists checks.
func listed(a *analysis.Analyzer, flagName string) []string {
	if f := a.Flags.Lookup(flagName); f != nil {
		if list, ok := f.Value.(checkNames); ok {
			return *list.list
		}
	}
	return nil
}
