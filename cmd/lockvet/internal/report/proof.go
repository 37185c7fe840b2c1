package report

import (
	"fmt"
	"path/filepath"

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
	// Experiment is the one that decided, Does what the other process does in it, at Site.
	Experiment string `json:"experiment,omitempty"`
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

// Content is what a file held: Size bytes, the first of which are in Excerpt. Where there was no file, Exists is not
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

// A Reader is a function that read a file: what it returned, empty for no error.
type Reader struct {
	Func  string `json:"func"`
	Pos   *Pos   `json:"pos"`
	Error string `json:"error"`
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
	Tests      int       `json:"tests"`
	Operations int       `json:"operations"`
	LeftOut    []LeftOut `json:"leftOut,omitempty"`
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
		Does: w.Does, Site: p.frame(w.Site), Says: printable.Text(w.Says)}
	for _, t := range w.Tried {
		d.Tried = append(d.Tried, Tried{t.Experiment, printable.Text(t.Says)})
	}
	if w.File != "" {
		d.File = printable.Text(filepath.Base(w.File))
		d.Before, d.After = content(w.Before), content(w.After)
	}
	if r := w.Reader; r.Site.File != "" {
		d.Reader = &Reader{Func: r.Func, Pos: p.frame(r.Site), Error: printable.Text(r.Error)}
	}
	return d
}

func content(c witness.Content) *Content {
	return &Content{Exists: c.Exists, Size: c.Size, Excerpt: printable.Text(c.Excerpt)}
}

// frame is the place of a frame; nil for none.
func (p Printer) frame(f witness.Frame) *Pos {
	if f.File == "" {
		return nil
	}
	return &Pos{p.Path(filepath.FromSlash(f.File)), f.Line, 1}
}

// seenCategories are the categories of losses that a run has shown.
var seenCategories = map[string]string{
	"truncation": "seen/truncation",
	"unsynced":   "seen/unsynced",
	"update":     "seen/update",
}

// Seen describes a loss that no finding reports.
func (p Printer) Seen(l witness.Loss, why string) Seen {
	return Seen{Category: seenCategories[l.Kind], Severity: Warning, Pos: p.frame(l.Site), Func: l.Site.Name(),
		Package: l.Package, Test: l.Test, Tests: l.Tests, File: printable.Text(filepath.Base(l.File)),
		Says: printable.Text(l.Says), Why: printable.Text(why)}
}

// headline is the proof as one line for people.
func (d *Proof) headline() string {
	if d.Test == "" {
		return d.Says
	}
	test := d.Test
	if d.TestPos != nil {
		test = fmt.Sprintf("%s (%s:%d)", d.Test, filepath.Base(d.TestPos.File), d.TestPos.Line)
	}
	text := test + ": " + d.Says
	if r := d.Reader; r != nil {
		text += ", and " + r.String()
	}
	return text
}

// String says what the reader returned.
func (r *Reader) String() string {
	name := r.Func
	if name == "" {
		name = fmt.Sprintf("who reads it at %s:%d", filepath.Base(r.Pos.File), r.Pos.Line)
	}
	if r.Error == "" {
		return name + " returns no error"
	}
	return fmt.Sprintf("%s returns %q", name, r.Error)
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
		t.wrapped("  "+p.label+string(p.Verdict)+": ", p.headline(), pen[p.Verdict])
	}
}

// seen writes a loss that no finding reports.
func (t *texter) seen(s *Seen) {
	at := fmt.Sprintf("%s:%d:%d:", s.Pos.File, s.Pos.Line, s.Pos.Column)
	t.head(printable.Text(at), s.Says, "("+s.Category+", "+string(s.Severity)+")")
	t.excerpt(s.Pos, nil)
	test := s.Test
	if s.Tests > 1 {
		test = fmt.Sprintf("%s and %s", s.Test, Plural(s.Tests-1, "other test"))
	}
	t.wrapped("  seen in: ", test, t.mild)
	t.wrapped("  not reported: ", s.Why, t.faint)
}
