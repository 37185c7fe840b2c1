// Package analyzer is the one go/analysis pass of lockvet. It knows which
// checks there are and in which order the rooms of the house are walked
// through; it knows nothing of any single defect.
package analyzer

import (
	"fmt"
	"go/types"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/lockvet/lockvet/analyzer/directive"
	"github.com/lockvet/lockvet/fixes"
	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/excludes"
	"github.com/lockvet/lockvet/internal/failure"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/locks"
	"github.com/lockvet/lockvet/internal/replacers"
	"github.com/lockvet/lockvet/internal/state"
	"github.com/lockvet/lockvet/internal/verdict"
)

// Result is what the pass returns for a package, for drivers that print more
// than diagnostics can carry.
type Result struct {
	// Findings are in source order. Each was also reported as a diagnostic.
	Findings []*finding.Finding
	// Waits are the calls that wait for a lock which the caller has. They are no
	// findings: what is fixed in one package can bring them about in another.
	Waits []locks.Wait
	// Offers plans the fixes of places in the package that only callers in other
	// packages have something to say of; [finding.Finding.Elsewhere] names them. Those
	// without a fix are objections to the fix of a place in another package. It needs
	// the syntax of the pass, and is nil where a pass plans nothing.
	Offers func() ([]*finding.Finding, error)
	// Candidates are the places that the checks looked at, with the rules that spoke of
	// them, where the pass was asked to keep them.
	Candidates []*verdict.Candidate
	// Seen is what the functions do to files, where candidates are kept.
	Seen []Seen
	// Replaces are the exported functions of the package that put a file in place as a whole,
	// and take what os.WriteFile takes.
	Replaces []string
	// GaveUp are the questions about the package that were not answered, so that
	// findings may be missing; Steps are those that its analysis has taken.
	GaveUp []flow.GaveUp
	Steps  int
}

// DefaultSafeio is the import path that fixed code uses unless the user says
// otherwise.
const DefaultSafeio = "github.com/lockvet/lockvet/safeio"

// settings are the values of the pass's flags, and what the driver knows.
type settings struct {
	helper          *types.Func // a function that replaces files, nil for none
	enable, disable []string
	fix             []string // empty for all
	state           *regexp.Regexp
	safeio          string
	tests           bool
	candidates      bool     // they are kept
	without         []string // IDs of rules that are left out
	limit           int      // of the steps for each package
}

// New returns a fresh pass with flags of its own; a driver calls it once. One
// that cannot afford facts, for which every dependency is loaded from source,
// sets FactTypes to nil: then each package is analysed as if it stood alone.
func New() *analysis.Analyzer { return NewWithHelper(nil) }

// NewWithHelper is New for a driver that knows more packages of the program than one imports. The
// packages that the pass analyses can import helper, a function like os.WriteFile that puts the
// file in place as a whole: fixes call it.
func NewWithHelper(helper *types.Func) *analysis.Analyzer {
	s := &settings{helper: helper, limit: flow.Limit}
	a := &analysis.Analyzer{
		Name:       "lockvet",
		Doc:        doc(),
		URL:        "https://pkg.go.dev/github.com/lockvet/lockvet/analyzer",
		ResultType: reflect.TypeFor[*Result](),
		FactTypes:  effects.Facts(),
		Run:        s.run,
	}
	a.Flags.Var(checkNames{&s.enable, true}, "enable", "run only these checks or variants, a comma-separated `list`")
	a.Flags.Var(checkNames{&s.disable, true}, "disable", "do not run these checks, or report these variants, a comma-separated `list`")
	a.Flags.Var(checkNames{&s.fix, false}, "fix-only", "offer fixes for the findings of these checks only, a comma-separated `list`")
	a.Flags.Var(expression{&s.state}, "state", "paths with a name that matches this `regexp` hold state")
	a.Flags.StringVar(&s.safeio, "safeio", DefaultSafeio, "import path of package safeio in fixed code")
	a.Flags.BoolVar(&s.tests, "tests", false, "report in _test.go files too")
	a.Flags.BoolVar(&s.candidates, "candidates", false, "keep what the checks looked at and did not report, for drivers that print it")
	a.Flags.Var(ruleIDs{&s.without}, "without", "leave out these rules, a comma-separated `list` of IDs")
	a.Flags.Var(
		steps{&s.limit},
		"budget",
		fmt.Sprintf(
			"take at most `N` steps for each package, %d unless told otherwise; where they end, findings may be missing",
			flow.Limit,
		),
	)
	return a
}

// run asks the rooms in order: effects, checks, directives, fixes, diagnostics, facts.
func (s *settings) run(pass *analysis.Pass) (any, error) {
	if len(pass.Analyzer.FactTypes) == 0 {
		pass = factless(pass)
	}
	var p *effects.Package
	var x *state.Index
	log := verdict.NewLog(s.candidates, s.without)
	if err := guarded(pass, part{does: "reading of effects"}, func() {
		if p = effects.Build(pass, effects.Config{Tests: s.tests, Limit: s.limit}); p != nil {
			x = state.NewIndex(p, state.Options{State: s.state, Log: log})
		}
	}); err != nil {
		return nil, err
	}
	found, err := s.find(pass, p, x)
	if err != nil {
		return nil, err
	}
	if err := guarded(pass, part{does: "planning of fixes"}, func() { s.plan(pass, p, found) }); err != nil {
		return nil, err
	}
	for _, f := range found {
		if state.FailsBuild(f) { // drivers that know severities have the result
			pass.Report(f.Diagnostic())
		}
	}
	r := &Result{Findings: found, Candidates: log.Candidates(), Offers: func() ([]*finding.Finding, error) { return s.offers(pass, p, x) }}
	if p != nil {
		r.Waits, r.Replaces = locks.Waits(p), replacers.Exported(p)
		p.Export(failure.Of(p).Ignores)
		r.GaveUp, r.Steps = p.GaveUp(), p.Steps()
		if log.Keeps() {
			r.Seen = seen(p)
		}
	}
	return r, nil
}

// find runs the checks over the effects of the package, nil for one that has none.
func (s *settings) find(pass *analysis.Pass, p *effects.Package, x *state.Index) ([]*finding.Finding, error) {
	checks := selected(s.enable, s.disable)
	var found []*finding.Finding
	if p != nil {
		var err error
		if found, checks, err = s.through(pass, p, x, checks); err != nil {
			return nil, err
		}
	}
	all := slices.Clone(found)
	found = slices.DeleteFunc(found, func(f *finding.Finding) bool { return x.Generated(f.Pos) })
	found = silence(x.Log(), all, found, excludes.Generated)
	all = slices.Clone(found)
	found = finding.Uncovered(found)
	found = silence(x.Log(), all, found, excludes.Covered)
	all = slices.Clone(found)
	found = s.applyDirectives(pass, checks, found)
	found = silence(x.Log(), all, found, excludes.Ignored)
	keepNolint(pass.Fset, pass.Files, found)
	finding.Sort(pass.Fset, found)
	return found, nil
}

// through runs checks, and returns what they have found with those that were through
// before the steps of the analysis ended. The others say nothing: what is not known any
// more can speak against a finding as well as for it.
func (s *settings) through(
	pass *analysis.Pass, p *effects.Package, x *state.Index, checks []check,
) (found []*finding.Finding, ran []check, err error) {
	var cut []string
	for _, c := range checks {
		var own []*finding.Finding
		if c.run != nil && !p.Ended() {
			if err := guarded(pass, c.part(), func() { own = c.run(p, x) }); err != nil {
				return nil, nil, err
			}
			own = slices.DeleteFunc(own, func(f *finding.Finding) bool { return !asked(f.Category(), s.enable, s.disable) })
		}
		if c.run != nil && p.Ended() {
			cut = append(cut, c.name)
			continue
		}
		for _, f := range own {
			bind(x.Log(), f)
		}
		found, ran = append(found, own...), append(ran, c)
	}
	if len(cut) > 0 {
		p.GiveUp("the checks " + strings.Join(cut, ", "))
	}
	return found, ran, nil
}

// offers are what [Result.Offers] returns.
func (s *settings) offers(pass *analysis.Pass, p *effects.Package, x *state.Index) (all []*finding.Finding, err error) {
	if p == nil || p.Ended() {
		return nil, nil
	}
	err = guarded(pass, part{does: "planning of fixes for other packages"}, func() {
		checks := selected(s.enable, s.disable)
		var offered []*finding.Finding
		for _, c := range checks {
			if c.offers == nil {
				continue
			}
			for _, f := range c.offers(p, x) {
				if f.Variant != "" && !asked(f.Category(), s.enable, s.disable) {
					continue
				}
				if f.Remedy != nil {
					offered = append(offered, f)
				} else {
					all = append(all, f)
				}
			}
		}
		offered, _ = s.directives(pass, checks).Apply(offered)
		for _, f := range offered {
			s.plan(pass, p, []*finding.Finding{f}) // each alone: not all of them may be made
			if f.Fix != nil || len(f.Heard) == 0 {
				all = append(all, f)
			}
		}
	})
	return all, err
}

// plan gives the findings the edits that fix them.
func (s *settings) plan(pass *analysis.Pass, p *effects.Package, found []*finding.Finding) {
	s.leave(found)
	how := fixes.Pass{
		Fset: pass.Fset, Pkg: pass.Pkg, Info: pass.TypesInfo, Files: pass.Files,
		ReadFile: reader(pass), SafeioPath: s.safeio,
	}
	if p != nil {
		how.Replacers = func() []*types.Func { return s.withHelper(replacers.Of(p)) }
		how.ByName = func() []*types.Func { return replacers.ByName(p) }
		how.Ends = p.Process.Ends
	}
	fixes.Plan(how, found)
}

// withHelper are functions that replace a file, and behind them the one that the driver knows
// of, if it is none of them.
func (s *settings) withHelper(list []*types.Func) []*types.Func {
	h := s.helper
	if h == nil || slices.ContainsFunc(list, func(fn *types.Func) bool { return fn.Pkg().Path() == h.Pkg().Path() }) {
		return list
	}
	return append(slices.Clip(list), h)
}

// reader is how the source of the pass is read: not every driver says. Some let a pass
// read the files alone that were parsed, to which the source that cgo made such a file
// of does not belong.
func reader(pass *analysis.Pass) func(string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		if pass.ReadFile != nil {
			if text, err := pass.ReadFile(name); err == nil {
				return text, nil
			}
		}
		return os.ReadFile(name)
	}
}

// leave takes the remedies from the findings that are not to be fixed.
func (s *settings) leave(found []*finding.Finding) {
	for _, f := range found {
		if (f.Remedy != nil || f.Elsewhere != "") && len(s.fix) > 0 && !slices.Contains(s.fix, f.Check) {
			f.Remedy, f.Elsewhere, f.NoFix = nil, "", "-fix-only leaves out "+f.Check
		}
	}
}

// applyDirectives leaves out what directives answer for, and adds those that are not heard
// if their check is among those that run.
func (s *settings) applyDirectives(pass *analysis.Pass, checks []check, found []*finding.Finding) []*finding.Finding {
	d := s.directives(pass, checks)
	left, unheard := d.Apply(found)
	if slices.Contains(d.Ran, directive.Name) {
		left = append(
			left,
			slices.DeleteFunc(unheard, func(f *finding.Finding) bool { return !asked(f.Category(), s.enable, s.disable) })...)
	}
	return left
}

// directives are those of the package.
func (s *settings) directives(pass *analysis.Pass, checks []check) directive.Pass {
	d := directive.Pass{Fset: pass.Fset, Files: pass.Files, Tests: s.tests, Known: Names, Alone: len(pass.Analyzer.FactTypes) == 0}
	for _, c := range checks {
		if c.name == directive.Name || !partly(c.name, s.enable, s.disable) { // or else a directive may answer for what is not reported
			d.Ran = append(d.Ran, c.name)
		}
	}
	return d
}

// factless is the pass with facts that are not there and go nowhere.
func factless(pass *analysis.Pass) *analysis.Pass {
	alone := *pass
	alone.ImportObjectFact = func(types.Object, analysis.Fact) bool { return false }
	alone.ImportPackageFact = func(*types.Package, analysis.Fact) bool { return false }
	alone.ExportObjectFact = func(types.Object, analysis.Fact) {}
	alone.ExportPackageFact = func(analysis.Fact) {}
	return &alone
}

func doc() string {
	var b strings.Builder
	b.WriteString("report unsafe writes of session and state files\n")
	for _, c := range registry() {
		fmt.Fprintf(&b, "\n%s: %s", c.name, title(c.name, opening(c.source)))
	}
	return b.String()
}
