package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/analyse"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/load"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/prove"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/report"
	"github.com/lockvet/lockvet/internal/witness"
)

// A proving is the part of a session that executes schedules.
type proving struct {
	ctx   context.Context
	flags []string // of go test
	args  []string // what follows -args
	// packages are those whose tests are run.
	packages []string
	result   *prove.Result
	reasons  []string // why what was seen is not reported, one for each
	written  bool     // the fixes are on disk
}

const proveUsage = "lockvet prove [flags] [packages] [-- go test flags]"

// prove reports as the command without it does, executes the schedules of the findings against the tests, and says
// what was lost.
func (c command) prove(args []string) (int, error) {
	var p proving
	if i := slices.Index(args, "--"); i >= 0 {
		args, p.flags = args[:i:i], args[i+1:]
	}
	if i := slices.IndexFunc(p.flags, func(f string) bool { return f == "-args" || f == "--args" }); i >= 0 {
		p.flags, p.args = p.flags[:i:i], p.flags[i+1:]
	}
	o, err := c.parse(args)
	switch {
	case err != nil:
		return 0, err
	case o.diff || o.interactive || o.commit || o.baselineWrite:
		return 0, errors.New("prove executes what it reports: it cannot be combined with -diff, -i, -commit or -baseline-write; usage: " + proveUsage)
	}
	// An interrupt ends the tests, and what they have left is removed. So it is where nobody reads what is printed.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE)
	defer stop()
	p.ctx, o.proving, o.args = ctx, &p, append([]string{"prove"}, o.args...)
	code, err := c.check(o)
	if ctx.Err() != nil && !p.written {
		return 0, errors.New("interrupted; nothing is left behind")
	}
	return code, err
}

// execute executes the schedules of the findings, and weighs them by what was lost. Notes are left out that it has
// not proven, where they are not asked for.
func (s *session) execute(t *tree) error {
	s.progress.step("preparing the tests")
	if err := s.choosePackages(t); err != nil {
		return err
	}
	opts, err := s.witnessOptions()
	if err != nil {
		return err
	}
	if s.proving.result, err = prove.Run(s.proving.ctx, opts, t.found); err != nil {
		return err
	}
	if t := s.proving.result.Trace; len(t.LeftOut) > 0 && (t.Tests == 0 || s.exec != "") {
		left := t.LeftOut[0]
		return fmt.Errorf("nothing could be executed: %s: %s", cmp.Or(left.Package, left.Test), left.Why)
	}
	named := make(map[string]bool)
	for _, p := range t.pkgs {
		for _, name := range p.GoFiles {
			named[name] = true
		}
	}
	s.proving.result.Keep(func(file string) bool { return named[file] })
	s.printer.Proofs = s.proving.result.Proofs
	if err := s.keepProofs(t.found); err != nil {
		return err
	}
	t.found = slices.DeleteFunc(t.found, func(f *analyse.Found) bool {
		was, p := s.quiet(f), s.printer.Proofs[f.Fingerprint]
		if p.Verdict != "" {
			prove.Weigh(f.Finding, p)
		}
		return was && s.quiet(f) && !s.mayFix(f)
	})
	return s.findReasons()
}

// choosePackages chooses the packages whose tests are run: those that are named, and those that import them. A command
// in place of tests needs the programs that are named, and no others.
func (s *session) choosePackages(t *tree) error {
	if s.proving.packages = s.patterns; s.exec != "" {
		return nil
	}
	var paths []string
	for _, p := range t.pkgs {
		paths = append(paths, load.BasePath(p))
	}
	graph, err := s.load.ImportGraph()
	s.proving.packages = graph.Importers(paths)
	return err
}

// executeAgain executes the schedules of what was fixed once more, against the fixed program.
func (s *session) executeAgain(fixed []*analyse.Found) error {
	s.proving.written = true
	reached := slices.DeleteFunc(slices.Clone(fixed), func(f *analyse.Found) bool {
		v := s.printer.Proofs[f.Fingerprint].Verdict
		return v != witness.Proven && v != witness.Refuted
	})
	if len(reached) == 0 {
		return nil
	}
	opts, err := s.witnessOptions()
	if err != nil {
		return err
	}
	s.printer.ProofsAfter, err = prove.Again(s.proving.ctx, opts, reached, s.printer.Proofs)
	if err != nil {
		return fmt.Errorf("the fixes are written, and their schedules were not executed again: %w", err)
	}
	return nil
}

// witnessOptions are how the tests are run.
func (s *session) witnessOptions() (prove.Options, error) {
	cache, err := cacheFolder(filepath.Join(results, "witness")) // the go command keeps what it builds of the instrumented library
	if err != nil {
		return prove.Options{}, err
	}
	kept, err := openCache()
	if err != nil {
		return prove.Options{}, err
	}
	flags := s.proving.flags
	if s.tags != "" {
		flags = append([]string{"-tags=" + s.tags}, flags...)
	}
	var copies []string
	for _, sup := range s.supplies {
		if sup.Copy != "" {
			copies = append(copies, sup.Copy)
		}
	}
	return prove.Options{Command: s.exec, Kept: kept, Options: witness.Options{Dir: s.dir, Packages: s.proving.packages, Flags: flags,
		Args: s.proving.args, Aside: copies, Cache: cache, Progress: s.showStep()}}, nil
}

// keepProofs keeps the proofs for editors, which show them until the source of the finding changes.
func (s *session) keepProofs(found []*analyse.Found) error {
	c, err := openCache()
	if err != nil {
		return err
	}
	for _, f := range found {
		p, ok := s.printer.Proofs[f.Fingerprint]
		if !ok {
			continue
		}
		proof, err := json.Marshal(p)
		if err != nil {
			return fmt.Errorf("keep the proof of %s: %w", f.Func, err)
		}
		c.Keep(s.proofKey(f), proof)
	}
	return nil
}

// recallProofs finds the proofs that were kept.
func (s *session) recallProofs(found []*analyse.Found) {
	c, err := openCache()
	if err != nil {
		return // who proves is told
	}
	s.printer.Proofs = make(map[string]witness.Proof)
	for _, f := range found {
		var p witness.Proof
		if json.Unmarshal(c.Recall(s.proofKey(f)), &p) == nil {
			s.printer.Proofs[f.Fingerprint] = p
		}
	}
}

// proofKey names the proof of a finding in the source that it stands in.
func (s *session) proofKey(f *analyse.Found) string {
	name := f.Position().Filename
	source, err := s.load.ReadFile(name)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("proof %s %s %x", f.Fingerprint, name, sha256.Sum256(source))
}

// showStep shows the progress of the tests.
func (s *session) showStep() func(witness.Step) {
	var does string
	var since time.Time
	return func(step witness.Step) {
		named := map[string]string{"build": "building with the recorder", "record": "recording"}
		what := cmp.Or(named[step.Does], "executing schedules")
		if what != does {
			does, since = what, time.Now()
		}
		if left := remaining(time.Since(since), step.Number-1, step.Of); left > 0 {
			what += fmt.Sprintf(" (about %v left)", left)
		}
		if step.Does == "build" { // one command builds all
			s.progress.step(what)
			return
		}
		s.progress.count(what, step.Number-1, step.Of)
	}
}

// remaining is how long the rest takes, to the second, if it goes on as it did; zero where that is not known.
func remaining(took time.Duration, done, of int) time.Duration {
	if done <= 0 || took < patience {
		return 0
	}
	return (took * time.Duration(of-done) / time.Duration(done)).Round(time.Second)
}

// findReasons finds out why what was seen is not reported, and drops what the user has said not to report.
func (s *session) findReasons() error {
	r := s.proving.result
	if len(r.Seen) == 0 {
		return nil
	}
	s.progress.step("looking up why what was seen is not reported")
	o := *s.options
	o.all, o.settings = true, append(slices.Clip(o.settings), keepCandidates)
	looking := s.newSession(&o)
	looking.load, looking.supplies = s.load, s.supplies
	t, err := looking.analyse()
	if err != nil {
		return err
	}
	var seen []witness.Loss
	for _, l := range r.Seen {
		why, wanted := looking.silence(t, l)
		if wanted {
			seen, s.proving.reasons = append(seen, l), append(s.proving.reasons, why)
		}
	}
	r.Seen = seen
	return nil
}

// silence says why the analysis does not report a loss. It is not wanted where the user has said so.
func (s *session) silence(t *tree, l witness.Loss) (why string, wanted bool) {
	file := filepath.FromSlash(l.Site.File)
	a, err := s.explainLine(t, line{file, l.Site.Line})
	if err != nil {
		return "the analysis does not look at " + s.printer.Path(file), true
	}
	check := cmp.Or(map[string]string{"update": "lostupdate"}[l.Kind], "tornwrite")
	i := slices.IndexFunc(a.Candidates, func(c report.Candidate) bool { return c.Check == check && len(c.Rules) > 0 })
	switch {
	case i >= 0 && a.Candidates[i].Verdict == report.Reported:
		return "lockvet -all reports " + a.Candidates[i].Category + " there", true
	case i >= 0:
		rule := a.Candidates[i].Rules[0]
		said := slices.Contains([]string{"exclude/ignored", "exclude/configured"}, rule.ID)
		return fmt.Sprintf("rule %s: %s", rule.ID, rule.Why), !said
	case len(a.NoCandidate) > 0:
		return "no check has looked at " + a.Func + ": " + a.NoCandidate[0], true
	}
	return "no check has looked at " + a.Func, true
}

// describeRun adds to a document what the run of the tests has shown beside the proofs.
func (s *session) describeRun(doc *report.Document, p report.Printer) {
	if s.proving == nil || s.proving.result == nil {
		return
	}
	r := s.proving.result
	for i, l := range r.Seen {
		doc.Seen = append(doc.Seen, p.Seen(l, s.proving.reasons[i]))
	}
	doc.Run = report.NewRun(r.Trace, r.Losses)
}

// tellRun says on standard error what was run, and how the findings came out.
func (s *session) tellRun(found []*analyse.Found) {
	r := s.proving.result
	s.progress.clear()
	type left struct{ pkg, why string }
	tests := map[left][]string{}
	var order []left
	for _, l := range r.Trace.LeftOut {
		key := left{l.Package, l.Why}
		if tests[key] == nil {
			order = append(order, key)
		}
		tests[key] = append(tests[key], l.Test)
	}
	for _, l := range order {
		s.complain("left out: %s: %s", strings.TrimSpace(l.pkg+" "+report.Enumerate(tests[l])), s.printer.Paths(l.why))
	}
	if !s.speaks() {
		return
	}
	counts := map[witness.Verdict]int{}
	for _, f := range found {
		counts[r.Proofs[f.Fingerprint].Verdict]++
	}
	ran := report.Plural(r.Trace.Tests, "test")
	if s.exec != "" {
		ran = "the command"
	}
	text := fmt.Sprintf("%s ran: %d proven, %d refuted, %d unreached", ran,
		counts[witness.Proven], counts[witness.Refuted], counts[witness.Unreached])
	if n := len(r.Seen); n > 0 {
		text += fmt.Sprintf(", %s seen beside them", report.Plural(n, "place"))
	}
	if n := counts[""]; n > 0 {
		text += fmt.Sprintf(", %d about memory", n)
	}
	fmt.Fprintln(s.stderr, text)
}
