package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"

	"golang.org/x/tools/go/packages"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/analyse"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/load"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/repair"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/report"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/supply"
)

// A session is one run over packages.
type session struct {
	command
	*options
	load     load.Config
	supplies map[string]supply.Supply // by folder of the main module
	gate     *repair.Gate
	printer  report.Printer
	progress *progress
}

// check loads, analyses and reports, or mends, as the options say.
func (c command) check(o *options) (int, error) {
	s := &session{
		command:  c,
		options:  o,
		load:     load.Config{Dir: o.dir, Tags: o.tags, Tests: o.tests},
		supplies: make(map[string]supply.Supply),
		printer:  report.Printer{Dir: o.dir, Severities: o.severities},
		progress: newProgress(c.stderr),
	}
	s.gate = &repair.Gate{CopyError: s.copyError()}
	defer s.progress.clear()

	s.progress.step("loading packages")
	pkgs, err := s.load.Packages(o.patterns...)
	if err != nil {
		return 0, err
	}
	problems := load.Problems(pkgs)
	if s.mends() && len(problems) > 0 {
		s.printProblems(problems)
		return 0, errors.New("the code must compile before it can be mended; nothing was changed")
	}
	pkgs, imported, err := s.load.WithImported(pkgs)
	if err != nil {
		return 0, err
	}
	broken := func(p *packages.Package) bool { return p.IllTyped || len(p.Errors) > 0 }
	pkgs, imported = slices.DeleteFunc(pkgs, broken), slices.DeleteFunc(imported, broken)
	if err := s.chooseSupplies(pkgs); err != nil {
		return 0, err
	}
	pkgs, imported = slices.DeleteFunc(pkgs, s.isCopy), slices.DeleteFunc(imported, s.isCopy)

	s.progress.step("analysing " + report.Plural(len(pkgs), "package"))
	load.Prune(slices.Concat(pkgs, imported))
	found, err := s.runner().Run(pkgs)
	if err != nil {
		return 0, err
	}
	if s.mends() {
		return s.mend(pkgs, imported, found)
	}
	if s.baselineWrite && len(problems) == 0 {
		return s.writeBaseline(found, pkgs)
	}
	if found, err = s.narrow(found, pkgs); err != nil {
		return 0, err
	}
	s.gate.Withhold(found)
	return s.report(found, problems)
}

func (s *session) mends() bool { return s.fix || s.diff }

func (s *session) runner() analyse.Runner {
	return analyse.Runner{
		New:      s.analyzer,
		Settings: s.settings,
		SafeIO:   func(p *packages.Package) string { return s.supply(p).ImportPath },
	}
}

// chooseSupplies decides for each main module how its packages reach safeio.
func (s *session) chooseSupplies(pkgs []*packages.Package) error {
	for _, p := range pkgs {
		m := p.Module
		if m == nil || !m.Main {
			continue
		}
		if _, known := s.supplies[m.Dir]; known {
			continue
		}
		chosen, err := supply.Choose(s.load, m, s.safeio)
		if err != nil {
			return err
		}
		s.supplies[m.Dir] = chosen
	}
	return nil
}

func (s *session) supply(p *packages.Package) supply.Supply {
	if m := p.Module; m != nil && m.Main {
		return s.supplies[m.Dir]
	}
	return supply.Foreign()
}

// isCopy reports whether a package is a copy of safeio that lockvet made.
func (s *session) isCopy(p *packages.Package) bool {
	sup := s.supply(p)
	if sup.Copy == "" || p.PkgPath != sup.ImportPath {
		return false
	}
	_, exists, err := supply.Changes(sup.Copy, moduleVersion())
	return err == nil && exists
}

// copyError is the gate's question about copies of safeio, answered once for
// each module.
func (s *session) copyError() func(*packages.Package) error {
	answers := make(map[string]error)
	return func(p *packages.Package) error {
		dir := s.supply(p).Copy
		if dir == "" {
			return nil
		}
		if _, known := answers[dir]; !known {
			_, _, answers[dir] = supply.Changes(dir, moduleVersion())
		}
		return answers[dir]
	}
}

// report prints the findings of a run that mends nothing.
func (s *session) report(found []*analyse.Found, problems []load.Problem) (int, error) {
	s.progress.clear()
	if err := s.print(found, nil); err != nil {
		return 0, err
	}
	if len(problems) > 0 {
		s.printProblems(problems)
		return 0, errors.New("what does not compile was not analysed")
	}
	if len(found) > 0 && s.speaks() {
		fmt.Fprintln(s.stderr, summary(found))
	}
	return s.verdict(found), nil
}

// verdict is the exit code for the findings that are left.
func (s *session) verdict(left []*analyse.Found) int {
	for _, f := range left {
		if s.severities.Of(f.Finding) == report.Error {
			return exitFindings
		}
	}
	return exitClean
}

// printProblems prints what does not compile, once for all variants of a
// package.
func (s *session) printProblems(problems []load.Problem) {
	s.progress.clear()
	printed := make(map[string]bool)
	for _, p := range problems {
		if line := s.printer.Paths(p.String()); !printed[line] {
			printed[line] = true
			fmt.Fprintln(s.stderr, line)
		}
	}
}

func summary(found []*analyse.Found) string {
	pkgs := make(map[string]bool)
	fixable := 0
	for _, f := range found {
		pkgs[load.BasePath(f.Pkg)] = true
		if f.Fix != nil {
			fixable++
		}
	}
	text := report.Plural(len(found), "finding") + " in " + report.Plural(len(pkgs), "package")
	if fixable > 0 {
		text += fmt.Sprintf(", %d can be fixed with -fix", fixable)
	}
	return text
}

// mend finds the end state, and prints the patch or writes the files.
func (s *session) mend(pkgs, imported []*packages.Package, found []*analyse.Found) (int, error) {
	s.progress.step("mending")
	m := repair.Mender{
		Load:    s.load,
		Runner:  s.runner(),
		Gate:    s.gate,
		Supply:  s.supply,
		Version: moduleVersion(),
	}
	out, err := m.Mend(pkgs, imported, found)
	if err != nil {
		return 0, err
	}
	if out.Left, err = s.narrow(out.Left, pkgs); err != nil {
		return 0, err
	}
	s.progress.clear()
	for _, p := range out.PutBack {
		s.complain("%s", s.printer.Paths(describePutBack(p)))
	}
	for _, o := range s.gate.Obstacles() {
		s.complain("%s", s.printer.Paths(o))
	}
	if s.diff {
		return s.printPatch(out)
	}
	return s.writeFiles(out)
}

func describePutBack(p repair.PutBack) string {
	if p.Func != "" {
		return fmt.Sprintf("%s: the fix in %s was taken back: %s", p.Package, p.Func, p.Problem)
	}
	return fmt.Sprintf("%s was put back: %s", p.Package, p.Problem)
}

func (s *session) printPatch(out *repair.Outcome) (int, error) {
	patch := repair.Patch(s.dir, out.Changes)
	if _, err := s.stdout.Write(patch); err != nil {
		return 0, err
	}
	if n := len(out.Left); n > 0 {
		fmt.Fprintf(s.stderr, "%s left by this patch\n", report.Plural(n, "finding"))
	}
	switch {
	case len(s.gate.Obstacles()) > 0:
		return exitFailed, nil
	case len(patch) > 0 || len(out.PutBack) > 0:
		return exitFindings, nil
	}
	return exitClean, nil
}

func (s *session) writeFiles(out *repair.Outcome) (int, error) {
	// Until here nothing was written, and an interrupt may simply kill.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	written, err := repair.Write(ctx, out.Changes, s.write)
	if err != nil {
		s.printWritten(written, len(out.Changes))
		return 0, err
	}
	if s.speaks() {
		s.printMended(out)
	}
	if err := s.print(out.Left, out.Mended); err != nil {
		return 0, err
	}
	if s.speaks() && len(out.Mended)+len(out.Left) > 0 {
		fmt.Fprintf(s.stderr, "%d mended, %d left; %s written\n", len(out.Mended), len(out.Left), report.Plural(len(written), "file"))
	}
	if len(s.gate.Obstacles()) > 0 {
		return exitFailed, nil
	}
	return s.verdict(out.Left), nil
}

func (s *session) printWritten(written []string, of int) {
	fmt.Fprintf(s.stderr, "lockvet: %d of %d files written", len(written), of)
	for _, name := range written {
		fmt.Fprintf(s.stderr, "\n\t%s", s.printer.Path(name))
	}
	fmt.Fprintln(s.stderr)
}

// printMended says what was mended and which files are new.
func (s *session) printMended(out *repair.Outcome) {
	for _, f := range out.Mended {
		at := f.Position()
		fmt.Fprintf(s.stdout, "mended: %s:%d: %s: %s (%s)\n", s.printer.Path(at.Filename), at.Line, f.Func, f.Fix.Message, f.Category())
	}
	fresh := make(map[string]int)
	for _, c := range out.Changes {
		if c.Old == nil {
			fresh[filepath.Dir(c.Name)]++
		}
	}
	for _, c := range out.Changes {
		dir := filepath.Dir(c.Name)
		if n := fresh[dir]; n > 0 {
			fmt.Fprintf(s.stdout, "added: %s (%s)\n", s.printer.Path(dir), report.Plural(n, "file"))
			delete(fresh, dir)
		}
	}
	if len(out.Mended) > 0 && len(out.Left) > 0 {
		fmt.Fprintln(s.stdout)
	}
}
