package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/analyse"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/prove"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/repair"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/report"
	"github.com/lockvet/lockvet/internal/bundle"
	"github.com/lockvet/lockvet/internal/printable"
	"github.com/lockvet/lockvet/internal/witness"
)

// applyFixes finds the end state, of the fixes that are chosen where somebody is asked, and prints the patch or writes
// the files.
func (s *session) applyFixes(t *tree) (int, error) {
	if s.interactive {
		if err := s.decide(t); err != nil {
			fmt.Fprintln(s.stderr, counted(&repair.Outcome{Left: t.found}, 0))
			return 0, err
		}
	}
	out, err := s.endState(t)
	if err != nil {
		return 0, err
	}
	if s.diff {
		s.warn(out)
		code, err := s.printPatch(out)
		return code, errors.Join(err, s.tellBroken(t))
	}
	written, err := s.writeChanges(out)
	if err != nil {
		return 0, err
	}
	if s.proving != nil {
		err = s.executeAgain(out.Fixed)
	}
	code, failed := s.conclude(t, out, len(written))
	return code, errors.Join(err, failed)
}

// endState fixes in memory.
func (s *session) endState(t *tree) (*repair.Outcome, error) {
	s.progress.step("fixing")
	m := repair.Fixer{
		Runner:  s.runner(),
		Gate:    s.gate,
		Supply:  s.supply,
		Version: moduleVersion(),
		Before:  t.waits,
	}
	m.Runner.Weigh, m.Runner.LeaveOut = t.weigh, t.out
	if t.choices != nil {
		m.Choose = s.choose(t.choices)
	}
	out, err := m.Fix(t.pkgs, t.imported, t.found)
	if err != nil {
		return nil, err
	}
	out.Left = slices.DeleteFunc(out.Left, func(f *analyse.Found) bool {
		if p := s.printer.Proofs[f.Fingerprint]; p.Verdict == witness.Proven {
			prove.Weigh(f.Finding, p) // it was found anew
		}
		return s.quiet(f) && !t.choices.made(f)
	})
	out.Left = s.narrow(out.Left, t)
	return out, nil
}

// warn says what stood in the way of a fix.
func (s *session) warn(out *repair.Outcome) {
	s.progress.clear()
	for _, p := range out.PutBack {
		s.complain("%s", s.printer.Paths(describePutBack(p)))
	}
	for _, o := range s.gate.Obstacles() {
		s.complain("%s", s.printer.Paths(o))
	}
}

func describePutBack(p repair.PutBack) string {
	if p.Func != "" {
		return fmt.Sprintf("%s: the fix in %s was taken back: %s", p.Package, p.Func, p.Problem)
	}
	return fmt.Sprintf("%s was put back: %s", p.Package, p.Problem)
}

func (s *session) printPatch(out *repair.Outcome) (int, error) {
	patch := repair.Patch(s.dir, out.Changes, s.diffAll)
	if _, err := s.stdout.Write(patchOn(s.onTerminal(), patch)); err != nil {
		return 0, err
	}
	s.tellGaveUp()
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

// patchOn is a patch for a terminal, where it is read, or for elsewhere, where it
// is to be applied.
func patchOn(terminal bool, patch []byte) []byte {
	if terminal {
		return []byte(printable.Lines(string(patch)))
	}
	return patch
}

// writeChanges writes the end state and returns the names of the files.
func (s *session) writeChanges(out *repair.Outcome) ([]string, error) {
	// Until here nothing was written, and an interrupt may simply kill.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	s.sweep(out)
	written, err := repair.Write(ctx, out.Changes, s.step)
	switch {
	case err == nil:
		return written, nil
	case len(written) == 0:
		return nil, fmt.Errorf("%w; what was changed is put back", err)
	}
	s.printWritten(written, len(out.Changes))
	return written, err
}

// sweep removes what a run that was killed has left where this one writes.
func (s *session) sweep(out *repair.Outcome) {
	for _, sup := range s.supplies {
		if sup.Copy == "" || !s.alone {
			continue
		}
		if _, err := sup.Read(); err == nil {
			repair.Sweep(sup.Copy)
		}
	}
	for _, c := range out.Changes {
		if s.alone {
			repair.SweepTemp(c.Name)
		}
	}
}

// conclude reports what was fixed and what is left.
func (s *session) conclude(t *tree, out *repair.Outcome, written int) (int, error) {
	s.warn(out)
	untold := slices.DeleteFunc(slices.Clone(out.Left), t.choices.leave)
	if s.speaks() {
		s.printFixed(out)
	}
	if s.speaks() && len(out.Fixed) > 0 && len(untold) > 0 {
		fmt.Fprintln(s.stdout)
	}
	err := s.print(untold, out.Fixed, out.Seen)
	s.tellGaveUp()
	err = errors.Join(err, s.summarize(out), s.tellBroken(t))
	if s.speaks() && len(out.Fixed)+len(out.Left) > 0 {
		fmt.Fprintln(s.stderr, counted(out, written))
	}
	if len(s.gate.Obstacles()) > 0 {
		return exitFailed, err
	}
	return s.verdict(out.Left), err
}

// counted is what became of the findings, in numbers.
func counted(out *repair.Outcome, written int) string {
	ignored, text := 0, ""
	for _, f := range out.Fixed {
		if isIgnored(f) {
			ignored++
		}
	}
	if ignored > 0 {
		text = fmt.Sprintf(", %d ignored", ignored)
	}
	return fmt.Sprintf("%d fixed%s, %d left; %s written",
		len(out.Fixed)-ignored, text, len(out.Left), report.Plural(written, "file"))
}

// summarize writes the summary for those who review what was fixed.
func (s *session) summarize(out *repair.Outcome) error {
	if s.summary == "" {
		return nil
	}
	p := s.atRoot()
	m := &report.Migration{Document: p.Document(out.Left, nil, s.gaveUp), Library: bundle.Library, Added: make(map[string]report.Size)}
	for i, f := range p.Document(nil, out.Fixed, nil).Fixed {
		f.Pos.Line = out.Line(i, p.Abs(f.Pos.File), f.Pos.Line)
		if isIgnored(out.Fixed[i]) {
			m.Ignored = append(m.Ignored, f)
		} else {
			m.Fixed = append(m.Fixed, f)
		}
	}
	for dir, size := range added(out.Changes) {
		m.Added[p.Path(dir)] = size
	}
	for _, r := range out.Required {
		m.Required = append(m.Required, r.Module)
	}
	for _, b := range out.PutBack {
		m.PutBack = append(m.PutBack, p.Paths(describePutBack(b)))
	}
	return s.writeOutput(s.summary, func(w io.Writer) error { return report.Summary(w, m) })
}

// added are the directories of new copies.
func added(changes []repair.Change) map[string]report.Size {
	fresh := make(map[string]report.Size)
	for _, c := range changes {
		if filepath.Base(c.Name) == bundle.First && c.Copy != "" && c.Old == nil {
			fresh[c.Copy] = report.Size{}
		}
	}
	for _, c := range changes {
		if size, ok := fresh[c.Copy]; ok {
			fresh[c.Copy] = report.Size{Files: size.Files + 1, Lines: size.Lines + bytes.Count(c.New, []byte("\n"))}
		}
	}
	return fresh
}

// printWritten names the files that could not be put back.
func (s *session) printWritten(written []string, of int) {
	fmt.Fprintf(s.stderr, "lockvet: %d of %d files are written and could not be put back", len(written), of)
	for _, name := range written {
		fmt.Fprintf(s.stderr, "\n\t%s", printable.Text(s.printer.Path(name)))
	}
	fmt.Fprintln(s.stderr)
}

// printFixed says what was fixed and which files are new.
func (s *session) printFixed(out *repair.Outcome) {
	for _, f := range out.Fixed {
		at, done := f.Position(), "fixed"
		if isIgnored(f) {
			done = "ignored"
		}
		fmt.Fprintf(s.stdout, "%s: %s:%d: %s: %s (%s)\n",
			done, printable.Text(s.printer.Path(at.Filename)), at.Line, f.Func, f.Fix.Message, f.Category())
		fmt.Fprint(s.stdout, s.printer.BeforeAndAfter(f))
	}
	fresh := added(out.Changes)
	for _, dir := range slices.Sorted(maps.Keys(fresh)) {
		fmt.Fprintf(s.stdout, "added: %s (%s)\n", printable.Text(s.printer.Path(dir)), fresh[dir])
	}
	for _, r := range out.Required {
		fmt.Fprintf(s.stdout, "required: %s %s by module %s\n", r.ImportPath, r.Version, r.Module)
	}
}
