package analyzer

import (
	"slices"

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
	"github.com/lockvet/lockvet/analyzer/unflushed"
	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/finding"
)

// A check asks one question of a package's effects.
type check struct {
	name string
	// source is the check's doc.go, the only text of its documentation.
	source string
	// run is nil for the check of directives, which hears what the others found.
	run func(*effects.Package, *effects.StateIndex) []*finding.Finding
}

// registry lists the checks in the order in which they run.
func registry() []check {
	return []check{
		{tornwrite.Name, tornwrite.Doc, tornwrite.Run},
		{latelock.Name, latelock.Doc, latelock.Run},
		{trunclock.Name, trunclock.Doc, trunclock.Run},
		{unflushed.Name, unflushed.Doc, unflushed.Run},
		{earlyrelease.Name, earlyrelease.Doc, earlyrelease.Run},
		{racycreate.Name, racycreate.Doc, racycreate.Run},
		{droppedlock.Name, droppedlock.Doc, droppedlock.Run},
		{lostupdate.Name, lostupdate.Doc, lostupdate.Run},
		{tornappend.Name, tornappend.Doc, tornappend.Run},
		{clobber.Name, clobber.Doc, clobber.Run},
		{stalesnapshot.Name, stalesnapshot.Doc, stalesnapshot.Run},
		{directive.Name, directive.Doc, nil},
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

func asked(name string, enable, disable []string) bool {
	return (len(enable) == 0 || slices.Contains(enable, name)) && !slices.Contains(disable, name)
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
