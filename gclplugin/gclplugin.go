// Package gclplugin makes lockvet a linter of golangci-lint's module plugins. It
// knows what golangci-lint does with settings and diagnostics, and nothing of
// what is wrong with a program.
//
// The settings are the flags of the analyzer by their names, "facts": false for a run in
// which no package knows what another one does, and golangci-lint need not load all
// dependencies from source, and "config" for the file that is read in place of the
// .lockvet.yaml of the directory of the run, or "off". What the file says of severities
// is golangci-lint's to say, but for notes, which are not reported.
package gclplugin

import (
	"cmp"
	"fmt"
	"go/token"
	"path/filepath"
	"strings"

	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"

	"github.com/lockvet/lockvet/analyzer"
	"github.com/lockvet/lockvet/internal/config"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/state"
)

func init() { register.Plugin("lockvet", New) }

// linter is the plugin as golangci-lint asks for it.
type linter struct{ analyzer *analysis.Analyzer }

// New makes the linter from what stands under "settings" in .golangci.yml.
func New(conf any) (register.LinterPlugin, error) {
	a := analyzer.New()
	file, err := configure(a, conf)
	if err != nil {
		return nil, err
	}
	run := a.Run
	a.Run = func(pass *analysis.Pass) (any, error) {
		unheard := *pass
		unheard.Report = func(analysis.Diagnostic) {}
		result, err := run(&unheard)
		if err != nil {
			return nil, err
		}
		for _, f := range result.(*analyzer.Result).Findings {
			if unwanted(file, pass.Fset.Position(f.Pos).Filename, f) {
				continue
			}
			pass.Report(diagnostic(pass, f))
		}
		return result, nil
	}
	return linter{a}, nil
}

func (l linter) BuildAnalyzers() ([]*analysis.Analyzer, error) {
	return []*analysis.Analyzer{l.analyzer}, nil
}

func (l linter) GetLoadMode() string { return register.LoadModeTypesInfo }

// unwanted reports whether a configuration excludes a finding or makes it a note, or the finding is not worth a run that
// fails and the configuration does not say what it counts.
func unwanted(c *config.File, file string, f *finding.Finding) bool {
	severity := cmp.Or(c.Severity[f.Category()], c.Severity[f.Check])
	return severity == string(finding.Note) || severity == "" && !state.FailsBuild(f) || c.Excludes(file, f.Category()) != nil
}

// diagnostic is the finding for a driver that prints a message and nothing else:
// it ends with the strongest evidence. It has no related places, because
// golangci-lint makes each an issue of its own, which no directive at the finding
// silences, and which hides the finding on whose line it stands.
func diagnostic(pass *analysis.Pass, f *finding.Finding) analysis.Diagnostic {
	d := f.Diagnostic()
	d.Related = nil
	why := f.Evidence[0]
	d.Message += fmt.Sprintf("; %s: %s", f.Heading(), why.Text)
	if why.Pos.IsValid() {
		d.Message += " at " + place(pass, why.Pos)
	}
	return d
}

// place is a line of the package by its file's path in the module. It tells the
// findings of two packages apart that read the same otherwise, of which
// golangci-lint shows three.
func place(pass *analysis.Pass, pos token.Pos) string {
	p := pass.Fset.Position(pos)
	name := filepath.Base(p.Filename)
	if pass.Module != nil {
		dir, _ := strings.CutPrefix(strings.TrimSuffix(pass.Pkg.Path(), "_test"), pass.Module.Path)
		name = strings.TrimPrefix(dir+"/"+name, "/")
	}
	return fmt.Sprintf("%s:%d", name, p.Line)
}
