package analyzer

import (
	"fmt"
	"go/parser"
	"go/token"
	"slices"
	"strings"

	"github.com/lockvet/lockvet/analyzer/clobber"
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
	run    func(*effects.Package, *effects.StateIndex) []*finding.Finding
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
	}
}

// Checks lists the names of the checks.
func Checks() []string {
	var names []string
	for _, c := range registry() {
		names = append(names, c.name)
	}
	return names
}

// Explain returns the documentation of a check. The error names the checks
// there are.
func Explain(name string) (string, error) {
	for _, c := range registry() {
		if c.name == name {
			return c.doc(), nil
		}
	}
	return "", unknown(name)
}

func unknown(name string) error {
	return fmt.Errorf("no check is named %q; the checks are: %s", name, strings.Join(Checks(), ", "))
}

// doc is the package comment of the check's doc.go.
func (c check) doc() string {
	f, err := parser.ParseFile(token.NewFileSet(), "doc.go", c.source, parser.ParseComments|parser.PackageClauseOnly)
	if err != nil || f.Doc == nil {
		return c.name
	}
	return f.Doc.Text()
}

// title is the first sentence of the documentation.
func (c check) title() string {
	text, _, _ := strings.Cut(c.doc(), "\n\n")
	text = strings.ReplaceAll(text, "\n", " ")
	return strings.TrimPrefix(text, "Package "+c.name+" defines the check for ")
}

// selected lists the checks that the flags ask for.
func selected(enable, disable []string) []check {
	var list []check
	for _, c := range registry() {
		if (len(enable) == 0 || slices.Contains(enable, c.name)) && !slices.Contains(disable, c.name) {
			list = append(list, c)
		}
	}
	return list
}
