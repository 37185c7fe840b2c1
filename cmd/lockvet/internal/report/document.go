package report

import (
	"cmp"
	"fmt"
	"go/token"
	"slices"
	"strings"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/analyse"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/edit"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/printable"
)

// documentVersion grows when a field changes its meaning or goes. New fields do
// not change it.
const documentVersion = 1

// A Document is what a run found, with the places in it as names and numbers.
// Every form of output for programs is made from it, and -json is it. Its texts are printable; names of
// files and edits are what they are.
type Document struct {
	Version int `json:"version"`
	// Tool is "lockvet" and the version that made the document.
	Tool     string    `json:"tool"`
	Findings []Finding `json:"findings"`
	Fixed    []Finding `json:"fixed,omitempty"`
	GaveUp   []GaveUp  `json:"gaveUp,omitempty"`
	// Candidates are the places that the checks looked at and did not report, where they
	// were asked for.
	Candidates []Candidate `json:"candidates,omitempty"`
	// Seen are the losses that tests have shown and no finding reports, Run what was executed: of lockvet prove.
	Seen []Seen `json:"seen,omitempty"`
	Run  *Run   `json:"run,omitempty"`
	// Fails, if not nil, says whether a finding of that severity and fingerprint makes the run fail, as errors do
	// otherwise.
	Fails func(of Severity, fingerprint string) bool `json:"-"`
}

// A Finding is one finding of a document. Names of files are relative to the
// directory of the run and have slashes.
type Finding struct {
	Check    string   `json:"check"`
	Category string   `json:"category"`
	Severity Severity `json:"severity"`
	// Score is how likely a maintainer wants the finding fixed, from 0 to 1.
	Score float64 `json:"score"`
	// Fingerprint names the finding across runs. It stays the same when lines
	// move.
	Fingerprint string     `json:"fingerprint"`
	Package     string     `json:"package"`
	Pos         *Pos       `json:"pos"`
	End         *Pos       `json:"end"`
	Func        string     `json:"func"`
	Message     string     `json:"message"`
	Claim       string     `json:"claim"`
	Evidence    []Evidence `json:"evidence"`
	Schedule    []Step     `json:"schedule"`
	// Fix is nil where NoFix says why there is none.
	Fix   *Fix   `json:"fix"`
	NoFix string `json:"noFix"`
	// Rules are those that spoke of it, where they were kept.
	Rules []Spoken `json:"rules,omitempty"`
	// Proof is what the execution of the schedule has shown, and ProofAfter what it shows after the fix; nil where it
	// was not executed.
	Proof      *Proof `json:"proof,omitempty"`
	ProofAfter *Proof `json:"proofAfter,omitempty"`
}

// A Pos is a place in a file. Line and Column count from 1, Column in bytes.
type Pos struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

// String is a place as a compiler prints it.
func (p *Pos) String() string { return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column) }

// Evidence is one reason to believe the claim of a finding. Pos is nil where it
// stands in another package.
type Evidence struct {
	Pos  *Pos   `json:"pos"`
	Text string `json:"text"`
}

// A Step is one step of the schedule that loses data. Pos is nil for a crash
// and for what others do; Memory and File are empty where memory and the file
// stay as they were.
type Step struct {
	Actor  string `json:"actor"`
	Pos    *Pos   `json:"pos"`
	Does   string `json:"does"`
	Memory string `json:"memory"`
	File   string `json:"file"`
}

// A Fix is the edits that fix a finding.
type Fix struct {
	Message string `json:"message"`
	Edits   []Edit `json:"edits"`
}

// An Edit replaces the bytes from Start up to End of a file.
type Edit struct {
	File  string `json:"file"`
	Start int    `json:"start"`
	End   int    `json:"end"`
	New   string `json:"new"`
}

// Files are the names of the files that the fix edits, in the order of its edits, and the edits
// of each.
func (f *Fix) Files() (names []string, edits map[string][]edit.Edit) {
	edits = make(map[string][]edit.Edit)
	for _, e := range f.Edits {
		if edits[e.File] == nil {
			names = append(names, e.File)
		}
		edits[e.File] = append(edits[e.File], edit.Edit{Start: e.Start, End: e.End, New: e.New})
	}
	return names, edits
}

// Document describes the findings of a run, those that it fixed, and what it gave up.
func (p Printer) Document(found, fixed []*analyse.Found, gaveUp []analyse.GaveUp) *Document {
	return &Document{Version: documentVersion, Tool: "lockvet " + p.Version, Findings: p.describe(found), Fixed: p.describe(fixed), GaveUp: gaveUp}
}

func (p Printer) describe(found []*analyse.Found) []Finding {
	all := make([]Finding, 0, len(found))
	for _, f := range found {
		all = append(all, p.finding(f))
	}
	return all
}

func (p Printer) finding(f *analyse.Found) Finding {
	fset := f.Pkg.Fset
	d := Finding{
		Check:       f.Check,
		Category:    f.Category(),
		Severity:    p.Severities.Of(f.Finding),
		Score:       f.Score,
		Fingerprint: f.Fingerprint,
		Package:     f.Pkg.PkgPath,
		Pos:         p.pos(fset, f.Pos),
		End:         p.pos(fset, f.End),
		Func:        printable.Text(f.Func),
		Message:     printable.Text(f.Sentence),
		Claim:       printable.Text(f.Heading()),
		Evidence:    []Evidence{},
		Schedule:    []Step{},
		NoFix:       printable.Text(f.NoFix),
	}
	d.Proof, d.ProofAfter = p.proofOf(p.Proofs, f), p.proofOf(p.ProofsAfter, f)
	if f.Verdict != nil {
		d.Rules = p.rules(fset, f.Verdict)
	}
	for _, e := range f.Evidence {
		d.Evidence = append(d.Evidence, Evidence{p.pos(fset, e.Pos), printable.Text(e.Text)})
	}
	for _, s := range f.Schedule {
		d.Schedule = append(d.Schedule, Step{s.Actor, p.pos(fset, s.Pos), printable.Text(s.Does), printable.Text(s.Memory), printable.Text(s.File)})
	}
	if f.Fix != nil {
		d.Fix = &Fix{Message: printable.Text(f.Fix.Message), Edits: []Edit{}}
		for _, e := range f.Fix.TextEdits {
			file := f.FixedIn.Fset.File(e.Pos)
			end := cmp.Or(e.End, e.Pos)
			d.Fix.Edits = append(d.Fix.Edits, Edit{p.Path(file.Name()), file.Offset(e.Pos), file.Offset(end), string(e.NewText)})
		}
	}
	return d
}

func (p Printer) pos(fset *token.FileSet, pos token.Pos) *Pos {
	if !pos.IsValid() {
		return nil
	}
	at := fset.Position(pos)
	return &Pos{p.Path(at.Filename), at.Line, at.Column}
}

// String is the step as a sentence: who does what, and what memory and the file
// hold then.
func (s Step) String() string {
	return finding.Step{Actor: s.Actor, Does: s.Does, Memory: s.Memory, File: s.File}.String()
}

// A Band is what memory, or the file, holds in the course of a schedule.
type Band struct {
	// Head introduces what it holds, Before is what that is in the beginning.
	Head, Before string
	// After says what it holds after each step, empty where it stays as it was.
	After []string
}

// Bands are those of a schedule that a step of it changes: of memory, then of the
// file.
func Bands(schedule []Step) []Band {
	memory := Band{Head: finding.MemoryHolds, Before: "what it held before"}
	file := Band{Head: finding.FileHolds, Before: "what was saved before"}
	for _, s := range schedule {
		memory.After = append(memory.After, s.Memory)
		file.After = append(file.After, s.File)
	}
	return slices.DeleteFunc([]Band{memory, file}, func(b Band) bool { return strings.Join(b.After, "") == "" })
}
