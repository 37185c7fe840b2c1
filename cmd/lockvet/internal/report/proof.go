package report

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/analyse"
	"github.com/lockvet/lockvet/internal/printable"
	"github.com/lockvet/lockvet/internal/witness"
)

// A Proof is what the execution of a schedule has shown.
type Proof struct {
	// Verdict is "proven", "refuted" or "unreached".
	Verdict witness.Verdict `json:"verdict"`
	// Test is the test that reaches the place, in Package; TestPos is where it calls the program.
	Package string `json:"package,omitempty"`
	Test    string `json:"test,omitempty"`
	TestPos *Pos   `json:"testPos,omitempty"`
	// Experiment is the one that decided: Actor is who acts in it, and Does what it does, at Site.
	Experiment string `json:"experiment,omitempty"`
	Actor      string `json:"actor,omitempty"`
	Does       string `json:"does,omitempty"`
	Site       *Pos   `json:"site,omitempty"`
	// File is the name of the file at stake, without its directory. Before and After are what it held.
	File   string   `json:"file,omitempty"`
	Before *Content `json:"before,omitempty"`
	After  *Content `json:"after,omitempty"`
	// Reader is the function of the program that read the file afterwards.
	Reader *Reader `json:"reader,omitempty"`
	// Says is the proof in a sentence.
	Says string `json:"says"`
	// Tried are the experiments that were run before, and did not decide.
	Tried []Tried `json:"tried,omitempty"`
}

// Content is what a file held: Size bytes, the first of which are in Excerpt, with single blanks for white space. Where there was no file, Exists is not
// set.
type Content struct {
	Exists  bool   `json:"exists"`
	Size    int64  `json:"size"`
	Excerpt string `json:"excerpt"`
}

// Tried is an experiment that did not decide, and what it has shown.
type Tried struct {
	Experiment string `json:"experiment"`
	Says       string `json:"says"`
}

// A Reader is a function that read a file: what it returned, empty for no error. It is silent if neither it nor a
// function around it returns errors.
type Reader struct {
	Func   string `json:"func"`
	Pos    *Pos   `json:"pos"`
	Error  string `json:"error"`
	Silent bool   `json:"silent"`
}

// A Seen is a loss that a test has shown and no finding reports.
type Seen struct {
	Category string   `json:"category"`
	Severity Severity `json:"severity"`
	Pos      *Pos     `json:"pos"`
	Func     string   `json:"func"`
	Package  string   `json:"package"`
	// Test is the first test that has shown it, Tests counts them.
	Test  string `json:"test"`
	Tests int    `json:"tests"`
	File  string `json:"file"`
	Says  string `json:"says"`
	// Why is why the analysis did not report it.
	Why string `json:"why"`
}

// A Run is what was executed for proofs.
type Run struct {
	Tests      int `json:"tests"`
	Operations int `json:"operations"`
	// Losses counts the places at which the tests have shown a loss, reported or not, by the categories of what is
	// seen.
	Losses  map[string]int `json:"losses"`
	LeftOut []LeftOut      `json:"leftOut,omitempty"`
}

// NewRun describes a run.
func NewRun(trace *witness.Trace, losses []witness.Loss) *Run {
	r := &Run{Tests: trace.Tests, Operations: trace.Operations, Losses: make(map[string]int)}
	for _, l := range losses {
		r.Losses[seenKinds[l.Kind].category]++
	}
	for _, l := range trace.LeftOut {
		r.LeftOut = append(r.LeftOut, LeftOut{l.Package, l.Test, printable.Text(l.Why)})
	}
	return r
}

// A LeftOut is a test that nothing was learned from; a whole package where Test is empty.
type LeftOut struct {
	Package string `json:"package"`
	Test    string `json:"test,omitempty"`
	Why     string `json:"why"`
}

// proofOf describes the proof of a finding; nil where there is none.
func (p Printer) proofOf(proofs map[string]witness.Proof, f *analyse.Found) *Proof {
	w, ok := proofs[f.Fingerprint]
	if !ok {
		return nil
	}
	return p.Proof(w)
}

// Proof describes a proof, with the names of files as the printer has them.
func (p Printer) Proof(w witness.Proof) *Proof {
	d := &Proof{Verdict: w.Verdict, Package: w.Package, Test: w.Test, TestPos: p.frame(w.At), Experiment: w.Experiment,
		Actor: w.Actor, Does: w.Does, Site: p.frame(w.Site), Says: printable.Text(w.Says)}
	for _, t := range w.Tried {
		d.Tried = append(d.Tried, Tried{t.Experiment, printable.Text(t.Says)})
	}
	if w.File != "" {
		d.File = printable.Text(filepath.Base(w.File))
		d.Before, d.After = content(w.Before), content(w.After)
	}
	if r := w.Reader; r.Site.File != "" {
		d.Reader = &Reader{cmp.Or(r.Func, r.Site.Name()), p.frame(r.Site), printable.Text(r.Error), r.Func == ""}
	}
	return d
}

func content(c witness.Content) *Content {
	return &Content{Exists: c.Exists, Size: c.Size, Excerpt: printable.Text(strings.Join(strings.Fields(c.Excerpt), " "))}
}

// frame is the place of a frame; nil for none.
func (p Printer) frame(f witness.Frame) *Pos {
	if f.File == "" {
		return nil
	}
	return &Pos{p.Path(filepath.FromSlash(f.File)), f.Line, 1}
}

// A seenKind is a kind of loss that a run can show, as the categories of findings have it.
type seenKind struct{ category, title string }

// seenKinds are those kinds, by what package witness calls them.
var seenKinds = map[string]seenKind{
	"truncation": {"seen/truncation", "a test shows that a file which the program reads is truncated before it is written"},
	"unsynced":   {"seen/unsynced", "a test shows that a file is replaced by content which was not synced"},
	"update":     {"seen/update", "a test shows that a file is loaded and saved with no lock between processes around both"},
}

// ExplainSeen is what is said of a category of losses that only a run shows; empty for any other.
func ExplainSeen(category string) string {
	for _, kind := range seenKinds {
		if kind.category == category {
			return fmt.Sprintf("%s: %s, and no finding reports that.\nlockvet prove reports it: %s", category, kind.title, Page("prove"))
		}
	}
	return ""
}

// Seen describes a loss that no finding reports.
func (p Printer) Seen(l witness.Loss, why string) Seen {
	return Seen{Category: seenKinds[l.Kind].category, Severity: Warning, Pos: p.frame(l.Site), Func: l.Site.Name(),
		Package: l.Package, Test: l.Test, Tests: l.Tests, File: printable.Text(filepath.Base(l.File)),
		Says: printable.Text(l.Says), Why: printable.Text(why)}
}

// listed are the findings of a document as lists of one message each have them: the message says what the execution
// has shown, and a loss that was seen is a finding.
func (d *Document) listed() []Finding {
	all := slices.Clone(d.Findings)
	for i := range all {
		if p := all[i].Proof; p != nil && p.Test != "" {
			all[i].Message += fmt.Sprintf("; %s by %s", p.Verdict, p.Headline())
		}
	}
	return append(all, d.SeenFindings()...)
}

// SeenFindings are the losses that were seen, as findings.
func (d *Document) SeenFindings() []Finding {
	var all []Finding
	for i := range d.Seen {
		all = append(all, d.Seen[i].finding())
	}
	return all
}

// Steps are what was executed, as a schedule: the test, what the other process did, and who read the file then. There
// are none where nothing was reached.
func (d *Proof) Steps() []Step {
	if d.Before == nil {
		return nil
	}
	steps := []Step{
		{Actor: d.Test, Pos: d.TestPos, Does: "calls the program", File: d.Before.String()},
		{Actor: d.Actor, Pos: d.Site, Does: d.Does, File: d.After.String()},
	}
	if r := d.Reader; r != nil {
		steps = append(steps, Step{Actor: d.Test, Pos: r.Pos, Does: "calls " + r.Func + ", which " + r.answer()})
	}
	return steps
}

// String is how much there is, and how it begins.
func (c *Content) String() string {
	switch {
	case !c.Exists:
		return "nothing: there is no file"
	case c.Size == 0:
		return "0 bytes"
	}
	return fmt.Sprintf("%s: %s", Plural(int(c.Size), "byte"), c.Excerpt)
}

// finding is what was seen as a finding.
func (s *Seen) finding() Finding {
	sum := sha256.Sum256([]byte(strings.Join([]string{s.Package, path.Base(s.Pos.File), s.Func, s.Category}, "\x00")))
	check, _, _ := strings.Cut(s.Category, "/")
	return Finding{Check: check, Category: s.Category, Severity: s.Severity, Package: s.Package, Pos: s.Pos, Func: s.Func,
		Fingerprint: fmt.Sprintf("%x:1", sum[:16]), Message: s.Says + "; seen in " + s.tests(), Claim: "not reported",
		Evidence: []Evidence{{Text: s.Why}}, Schedule: []Step{}}
}

// tests names the first test that has shown it, and counts the others.
func (s *Seen) tests() string {
	if s.Tests > 1 {
		return fmt.Sprintf("%s and %s", s.Test, Plural(s.Tests-1, "other test"))
	}
	return s.Test
}

// Headline is the proof as one line for people.
func (d *Proof) Headline() string {
	if d.Test == "" {
		return d.Says
	}
	test := d.Test
	if d.Package == "" { // a command that runs in place of tests
		test = "the command"
	}
	if d.TestPos != nil {
		test = fmt.Sprintf("%s (%s:%d)", d.Test, filepath.Base(d.TestPos.File), d.TestPos.Line)
	}
	text := test + ": " + d.Says
	if r := d.Reader; r != nil && (r.Error != "" || !slices.Contains(replacedWhole, d.Experiment)) {
		text += ", and " + r.Func + " " + r.answer()
	}
	return text
}

// replacedWhole are the experiments after which the file is one that the program wrote whole: that its reader returns
// no error goes without saying.
var replacedWhole = []string{"update", "torn"}

// answer says what the reader makes of the file.
func (r *Reader) answer() string {
	switch {
	case r.Error != "":
		return fmt.Sprintf("returns %q", r.Error)
	case r.Silent:
		return "reads that, and has no error to return"
	}
	return "reads that without an error"
}

// proof writes what the execution of the schedule has shown.
func (t *texter) proof(f *Finding) {
	for _, p := range []struct {
		label string
		*Proof
	}{{"", f.Proof}, {"after the fix ", f.ProofAfter}} {
		if p.Proof == nil {
			continue
		}
		pen := map[witness.Verdict]func(...any) string{witness.Proven: t.bad, witness.Refuted: t.good, witness.Unreached: t.faint}
		t.wrapped("  "+p.label+string(p.Verdict)+": ", p.Headline(), pen[p.Verdict])
	}
}

// seen writes a loss that no finding reports.
func (t *texter) seen(s *Seen) {
	t.head(written(s.Pos)+":", s.Says, "("+s.Category+", "+string(s.Severity)+")")
	t.excerpt(s.Pos, nil)
	t.wrapped("  observed in: ", s.tests(), t.mild)
	t.wrapped("  why the analysis is silent: ", s.Why, t.faint)
}

// BeforeAndAfter is what the schedule of a fixed finding has shown before and after the fix, a line each; empty where
// it was not executed.
func (p Printer) BeforeAndAfter(f *analyse.Found) string {
	text := ""
	for _, proof := range []struct {
		when string
		*Proof
	}{{"before", p.proofOf(p.Proofs, f)}, {"after", p.proofOf(p.ProofsAfter, f)}} {
		if proof.Proof != nil {
			text += fmt.Sprintf("\t%s: %s: %s\n", proof.when, proof.Verdict, proof.Headline())
		}
	}
	return text
}
