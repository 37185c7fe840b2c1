package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/lockvet/lockvet/analyzer"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/analyse"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/live"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/load"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/repair"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/report"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/supply"
	"github.com/lockvet/lockvet/internal/bundle"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/printable"
	"github.com/lockvet/lockvet/internal/state"
	"github.com/lockvet/lockvet/internal/verdict"
	"github.com/lockvet/lockvet/internal/witness"
)

// A session is one run over packages.
type session struct {
	command
	*options
	load     load.Config
	supplies map[string]supply.Supply // by folder of the main module
	copies   []string                 // folders of copies of safeio
	gate     *repair.Gate
	printer  report.Printer
	progress *progress
	gaveUp   []analyse.GaveUp
	alone    bool               // no other run fixes these modules
	silenced []report.Candidate // with -all
	helpers  []analyse.Helper
	quick    bool     // an editor waits: helpers are looked for when a fix is asked for
	modules  []string // the paths of the main modules that packages are of
	only     string   // the file that is asked for; empty for all
}

func (c command) newSession(o *options) *session {
	s := &session{
		command:  c,
		options:  o,
		load:     load.Config{Dir: o.dir, Tags: o.tags, Tests: o.tests},
		supplies: make(map[string]supply.Supply),
		printer:  report.Printer{Dir: o.dir, Severities: o.severities, Version: moduleVersion()},
		progress: newProgress(c.stderr, c.notice),
	}
	s.gate = &repair.Gate{CopyError: s.copyError, Chosen: o.interactive || o.all && (o.fix || o.diff)}
	return s
}

// check loads, analyses and reports, or fixes, as the options say.
func (c command) check(o *options) (int, error) {
	switch {
	case o.failOn == failOnProven && o.proving == nil:
		return 0, errors.New("-fail-on proven asks for what only an execution shows: it needs lockvet prove")
	case o.exec != "" && o.proving == nil:
		return 0, errors.New("-exec runs a command to execute schedules: it needs lockvet prove")
	}
	s := c.newSession(o)
	defer s.progress.clear()
	if o.verbose {
		s.tellSettings()
		defer s.tellTook()
	}
	for _, path := range o.config.Idle() {
		c.complain("%s: exclude: there is nothing at %s", s.printer.Path(o.config.Name), printable.Text(path))
	}
	if o.fix && !o.diff {
		unlock, err := s.exclude()
		if err != nil {
			return 0, err
		}
		defer unlock()
	}
	if o.commit {
		return s.commitEach()
	}
	t, err := s.analyse()
	if err == nil && s.proving != nil {
		err = s.execute(t)
	}
	switch {
	case err != nil:
		return 0, err
	case s.fixes():
		return s.applyFixes(t)
	case s.baselineWrite && len(t.problems) == 0:
		return s.writeBaseline(t)
	}
	t.found = s.surest(s.narrow(t.found, t))
	s.gate.Withhold(t.found)
	return s.report(t)
}

// A tree is the packages of a run and what was found in them.
type tree struct {
	limits
	pkgs, imported []*packages.Package
	found          []*analyse.Found
	problems       []load.Problem
	asked          func(check string) bool
	looks          []look
	only           string   // what was looked at is kept for the package of this file alone; empty for all
	broken         []string // import paths of what was asked for and does not compile
	waits          []load.Problem
	dead           func(*analyse.Found) bool // no program comes to its place
	weigh          func([]*analyse.Found)    // makes less of what no command comes to
	out            func(*analyse.Found) bool // it is neither reported nor fixed: dead, excluded or a note
	choices        choices                   // nil where nobody was asked
}

// analyse loads the packages and looks at those that compile.
func (s *session) analyse() (*tree, error) {
	limits, err := s.limits()
	if err != nil {
		return nil, err
	}
	cache, err := s.analysisCache()
	if err != nil {
		return nil, err
	}
	s.progress.step("loading packages, for which the go command compiles what they import")
	if s.fixes() {
		s.complete()
	}
	pkgs, err := s.load.Packages(s.patterns...)
	if err != nil {
		return nil, err
	}
	t := &tree{limits: limits, only: s.only, pkgs: slices.Clone(pkgs), imported: load.Imported(pkgs)}
	t.diagnose(pkgs)
	if err := s.chooseSupplies(t.pkgs); err != nil {
		return nil, err
	}
	t.leaveOut(s.isCopy)
	s.gate.Customs = s.customs(t)

	s.progress.step("analysing " + report.Plural(len(t.pkgs), "package"))
	r := s.runner()
	r.Cache = cache
	if !s.quick {
		if s.helpers, err = r.FindHelpers(t.pkgs); err != nil {
			return nil, err
		}
	}
	r.Helpers = s.helpers
	r.Progress = func(done, total int) { s.progress.count("analysing packages", done, total) }
	if s.all && !s.fixes() {
		r.Looked = t.looked
	}
	if t.asked, err = r.Asked(); err != nil {
		return nil, err
	}
	r.Uses = live.NewUses(slices.Concat(t.pkgs, t.imported))
	out, err := r.Run(t.pkgs, t.imported)
	if err != nil {
		return nil, err
	}
	t.found, t.waits, s.gaveUp = out.Found, out.Waits, out.GaveUp
	if s.verbose {
		s.complain("%s, and %d that these import: %d from the cache",
			report.Plural(len(t.pkgs), "package"), len(t.imported), out.Recalled)
	}
	s.weigh(t, r.Uses)
	t.diagnose(pkgs)
	return t, nil
}

// weigh leaves out of a tree what is neither to be reported nor fixed, and makes less of what no command comes to.
func (s *session) weigh(t *tree, uses *live.Uses) {
	dead, unused, idle := uses.Dead(), uses.Unused(), uses.Idle()
	t.dead = func(f *analyse.Found) bool { return dead(f.Decl) || f.Other != f.Decl && unused(f.Other) }
	t.weigh = func(found []*analyse.Found) { s.lowerIdle(found, idle) }
	t.weigh(t.found)
	s.noteLeftOut(t)
	t.out = func(f *analyse.Found) bool {
		// Which notes are reported is not known before their schedules were executed.
		return t.dead(f) || s.unwanted(f) || s.quiet(f) && !s.mayFix(f) && s.proving == nil
	}
	t.found = slices.DeleteFunc(t.found, t.out)
}

// customs tells those of the packages that fixes are made in, with all that are loaded: once for each.
func (s *session) customs(t *tree) func(*analyse.Found) repair.Customs {
	answers := make(map[string]repair.Customs)
	pkgs := slices.Concat(t.pkgs, t.imported)
	return func(f *analyse.Found) repair.Customs {
		of := f.FixedIn
		answer, ok := answers[of.PkgPath]
		if !ok {
			answer = repair.CustomsOf(of, pkgs, s.load.ReadFile)
			answers[of.PkgPath] = answer
		}
		return answer
	}
}

// lowerIdle notes of the findings at which no command comes that this is so, and has somebody be asked before what stands
// there is fixed.
func (s *session) lowerIdle(found []*analyse.Found, idle func(live.Name) bool) {
	if s.leavesOut(analyzer.IdleCode) {
		return
	}
	for _, f := range found {
		if !idle(f.Decl) {
			continue
		}
		f.Asks = cmp.Or(f.Asks, "no command reaches it")
		f.Verdict.Says(analyzer.IdleCode, f.Pos, analyzer.IdleCode.Why)
		state.Rate(f.Finding)
	}
}

// leavesOut reports whether a rule is not to be asked.
func (s *session) leavesOut(rule *verdict.Rule) bool {
	return slices.ContainsFunc(s.settings, func(set analyse.Setting) bool {
		return set.Name == "without" && slices.Contains(strings.Split(set.Value, ","), rule.ID)
	})
}

// complete has copies of safeio that are not whole, or not current, loaded as what they
// are to be, so that what calls them compiles. They are written with the first edits.
func (s *session) complete() {
	modules, err := s.load.MainModules()
	if err != nil {
		return // and loading says why
	}
	s.load.Modules = modules
	s.load.Overlay = make(map[string][]byte)
	for _, m := range modules {
		maps.Copy(s.load.Overlay, supply.Incomplete(m.Dir, m.Path, s.safeio, moduleVersion()))
	}
}

// diagnose takes stock of what does not compile, which is neither analysed nor fixed.
func (t *tree) diagnose(pkgs []*packages.Package) {
	t.problems, t.broken = load.Problems(pkgs), load.BrokenPaths(pkgs)
	t.leaveOut(load.Broken)
}

func (t *tree) leaveOut(unfit func(*packages.Package) bool) {
	t.pkgs, t.imported = slices.DeleteFunc(t.pkgs, unfit), slices.DeleteFunc(t.imported, unfit)
}

func (s *session) fixes() bool { return s.fix || s.diff }

func (s *session) runner() analyse.Runner {
	return analyse.Runner{
		Load:     s.load,
		New:      s.analyzer,
		Settings: s.settings,
		Helpers:  s.helpers,
		SafeIO:   func(p *packages.Package) string { return s.supply(p).ImportPath },
	}
}

// chooseSupplies decides for each main module how its packages reach safeio.
func (s *session) chooseSupplies(pkgs []*packages.Package) error {
	s.copies = supply.Copies(pkgs)
	for _, p := range pkgs {
		m := p.Module
		if m == nil || !m.Main {
			continue
		}
		if _, chosen := s.supplies[m.Dir]; chosen {
			continue
		}
		chosen, err := supply.Choose(s.load, m, s.safeio, s.copies, s.fixes())
		if err != nil {
			return err
		}
		if chosen.Copy != "" {
			known.AddCopy(chosen.ImportPath)
		}
		s.supplies[m.Dir] = chosen
		s.modules = append(s.modules, m.Path)
	}
	return nil
}

func (s *session) supply(p *packages.Package) supply.Supply {
	if m := p.Module; m != nil && m.Main {
		return s.supplies[m.Dir]
	}
	return supply.Supply{ImportPath: bundle.ImportPath} // which nothing may edit
}

// isCopy reports whether a package is a copy of safeio that lockvet made.
func (s *session) isCopy(p *packages.Package) bool {
	return len(p.GoFiles) > 0 && slices.Contains(s.copies, filepath.Dir(p.GoFiles[0]))
}

// copyError is the gate's question about copies of safeio.
func (s *session) copyError(f *analyse.Found) error {
	sup := s.supply(f.FixedIn)
	if sup.Copy == "" {
		return nil
	}
	if sup.CallsCopy(f.Fix) {
		if err := sup.Compiles(); err != nil {
			return err
		}
	}
	_, err := sup.Read()
	return err
}

// report prints the findings of a run that fixes nothing.
func (s *session) report(t *tree) (int, error) {
	s.progress.clear()
	if s.all {
		s.silenced = s.silent(t)
	}
	err := s.print(t.found, nil, nil)
	s.tellGaveUp()
	broken := s.tellBroken(t)
	if s.proving != nil {
		s.tellRun(t.found)
	}
	if len(t.found) > 0 && s.speaks() {
		fmt.Fprint(s.stderr, "\n"+s.totals(t.found)) // apart from the last finding, on a terminal
	}
	return s.verdict(t.found), errors.Join(err, broken)
}

// surest orders findings by file, and within a file by score, the highest first. Of -top N it leaves the N of the highest
// scores, and no order of files.
func (s *session) surest(found []*analyse.Found) []*analyse.Found {
	slices.SortStableFunc(found, func(a, b *analyse.Found) int {
		file := 0
		if s.top == 0 {
			file = strings.Compare(a.Position().Filename, b.Position().Filename)
		}
		return cmp.Or(file, cmp.Compare(b.Score, a.Score))
	})
	if s.top > 0 && len(found) > s.top {
		found = found[:s.top]
	}
	return found
}

// verdict is the exit code for the findings that are left.
func (s *session) verdict(left []*analyse.Found) int {
	for _, f := range left {
		if s.fails(s.severities.Of(f.Finding), f.Fingerprint) {
			return exitFindings
		}
	}
	if s.failOn != string(report.Error) && s.failOn != failOnProven && s.proving != nil && len(s.proving.result.Seen) > 0 {
		return exitFindings // each counts as a warning
	}
	return exitClean
}

// fails reports whether a finding makes the run fail.
func (s *session) fails(of report.Severity, fingerprint string) bool {
	if s.failOn == failOnProven {
		return s.printer.Proofs[fingerprint].Verdict == witness.Proven
	}
	return slices.Index(failLevels, string(of)) <= slices.Index(failLevels, s.failOn)
}

// tellBroken prints what does not compile, once for all variants of a package, and is an error if there is any.
func (s *session) tellBroken(t *tree) error {
	s.progress.clear()
	printed := make(map[string]bool)
	for _, p := range t.problems {
		if line := s.printer.Paths(p.String()); !printed[line] {
			printed[line] = true
			fmt.Fprintln(s.stderr, printable.Lines(line))
		}
	}
	switch {
	case len(t.problems) == 0:
		return nil
	case s.fixes():
		return errors.New("what does not compile was neither analysed nor fixed: " + report.Enumerate(t.broken))
	}
	return errors.New("what does not compile was not analysed: " + report.Enumerate(t.broken))
}

// totals counts what was found: in all, and, where there is more than one finding, for
// each check by severity.
func (s *session) totals(found []*analyse.Found) string {
	pkgs, checks := make(map[string]bool), make(map[string]map[report.Severity]int)
	fixable, widest := 0, 0
	for _, f := range found {
		pkgs[load.BasePath(f.Pkg)] = true
		if f.Fix != nil {
			fixable++
		}
		if checks[f.Check] == nil {
			checks[f.Check] = make(map[report.Severity]int)
		}
		checks[f.Check][s.severities.Of(f.Finding)]++
		widest = max(widest, len(f.Check))
	}
	text := report.Plural(len(found), "finding") + " in " + report.Plural(len(pkgs), "package")
	if with := "-fix"; fixable > 0 {
		if s.proving != nil { // what is proven is an error, and its fix is made
			with = "prove -fix"
		}
		text += fmt.Sprintf(", %d can be fixed with %s", fixable, with)
	}
	text += "\n"
	if len(found) == 1 {
		return text
	}
	for _, check := range slices.Sorted(maps.Keys(checks)) {
		text += fmt.Sprintf("  %-*s  %s\n", widest, check, report.Counts(checks[check]))
	}
	return text
}
