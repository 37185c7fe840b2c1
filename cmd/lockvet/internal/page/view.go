package page

import (
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strings"

	"github.com/lockvet/lockvet/analyzer"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/report"
	"github.com/lockvet/lockvet/internal/printable"
	"github.com/lockvet/lockvet/internal/witness"
)

// A view is the page as the template walks it.
type view struct {
	Title, Version string
	About          []Fact
	Policy         string
	Style          template.CSS
	Script         template.JS
	// Verdict is the run in one sentence.
	Verdict string
	// GaveUp says what the analysis gave up, GaveUpSum how much that is.
	GaveUpSum  string
	GaveUp     []string
	Total      int
	Severities []report.Severity
	Checks     []tally
	Sum        tally
	Packages   []string
	// HasFixed says that the run fixed something.
	HasFixed bool
	Parts    []part
	Docs     []doc
}

// A tally counts the findings of one check.
type tally struct {
	Check, Title   string
	Counts         []int // by the severities of the view
	Fixable, Fixed int
}

// A part of the page is what is left, or what was fixed.
type part struct {
	ID, Heading string
	Groups      []group
}

// A group is the findings of one package, by check.
type group struct {
	Package string
	Checks  []checkGroup
}

type checkGroup struct {
	Check    string
	Findings []finding
}

// A doc is the documentation of a check that found something.
type doc struct {
	Check, Title string
	HTML         template.HTML
}

// A finding is one of them with what a reviewer wants to see beside it.
type finding struct {
	*report.Finding
	// ID is the name of the finding in addresses, Key the beginning of the names
	// of what is in it.
	ID, Key string
	// State is "fixable", "nofix" or "fixed".
	State string
	// Place is where it stands.
	Place string
	// Kind says what the variant is, Stays what fixes of the check do not change,
	// Review what to look at in them.
	Kind, Stays, Review string

	Source   *excerpt
	Folds    []excerpt
	Evidence []evidence
	Spoken   []spoken
	Schedule *schedule
	Executed []executed
	Patches  []patch
	// own is the hunk that the finding is about, where there are others.
	own *hunk
}

// Own reports whether a hunk is the one that the finding is about, and others belong to its
// fix as well.
func (f *finding) Own(h *hunk) bool { return f.own == h }

// ownHunk is the hunk in which the line of the finding stands, nil where there is none or no other.
func (f *finding) ownHunk() (own *hunk) {
	count := 0
	for _, p := range f.Patches {
		count += len(p.Hunks)
		for i := range p.Hunks {
			h := &p.Hunks[i]
			if p.File == printable.Text(f.Pos.File) && h.Line <= f.Pos.Line && f.Pos.Line < h.Line+h.lines() {
				own = h
			}
		}
	}
	if count < 2 {
		return nil
	}
	return own
}

// lines is how many lines the hunk replaces, those around them included.
func (h *hunk) lines() (n int) {
	for _, b := range h.Blocks {
		n += len(b.Old)
	}
	return n
}

// Evidence is one reason, with the line that it is about. Of reasons in a row
// that are about one line, the last has it.
type evidence struct {
	Place place
	Text  string
	Line  *line
}

// A spoken is a rule that spoke of the finding, with the line that it saw.
type spoken struct {
	ID, Why string
	Place   place
}

// Executed is a proof with what was executed for it.
type executed struct {
	*report.Proof
	When     string // "", or "after the fix"
	Schedule *schedule
}

// A place is a line of a source, with the name of its copy on the page where
// there is one.
type place struct {
	Name, Target string
}

func (p Page) view() *view {
	v := &view{
		Title:   p.Title,
		Version: p.Version,
		About:   p.About,
		Policy:  policy(),
		Style:   template.CSS(style),
		Script:  template.JS(script),
		Total:   len(p.Document.Findings) + len(p.Document.Fixed) + len(p.Document.Seen),
	}
	v.GaveUpSum, v.GaveUp = gaveUp(p.Document)
	v.HasFixed = len(p.Document.Fixed) > 0
	b := builder{texts: make(map[textKey]*text), checks: analyzer.Catalogue()}
	var left, fixed []finding
	for i := range p.Document.Findings {
		left = append(left, b.finding(&p.Document.Findings[i], p.Read))
	}
	for _, f := range p.Document.SeenFindings() {
		left = append(left, b.finding(&f, p.Read))
	}
	for i := range p.Document.Fixed {
		read := func(name string) []byte { return p.ReadFixed(i, name) }
		f := b.finding(&p.Document.Fixed[i], read)
		f.ID, f.State = "fixed-"+f.ID, "fixed"
		fixed = append(fixed, f)
	}
	v.count(slices.Concat(left, fixed))
	for _, part := range []part{{"left", "Findings", groups(left)}, {"fixed", "Fixed", groups(fixed)}} {
		if len(part.Groups) > 0 {
			v.Parts = append(v.Parts, part)
		}
	}
	v.Verdict = verdict(left, fixed, len(v.Packages))
	return v
}

// count fills in what the summary and the filters offer.
func (v *view) count(all []finding) {
	for _, s := range []report.Severity{report.Error, report.Warning, report.Note} {
		if slices.ContainsFunc(all, func(f finding) bool { return f.Severity == s }) {
			v.Severities = append(v.Severities, s)
		}
	}
	v.Sum = v.tally("", "all", all)
	byCheck := make(map[string][]finding)
	for _, f := range all {
		byCheck[f.Check] = append(byCheck[f.Check], f)
		v.Packages = append(v.Packages, f.Package)
	}
	slices.Sort(v.Packages)
	v.Packages = slices.Compact(v.Packages)
	for _, c := range analyzer.Catalogue() {
		if found := byCheck[c.Name]; len(found) > 0 {
			title := strings.TrimSuffix(c.Title, ".")
			v.Checks = append(v.Checks, v.tally(c.Name, title, found))
			v.Docs = append(v.Docs, doc{c.Name, title, template.HTML(c.HTML())})
			delete(byCheck, c.Name)
		}
	}
	for _, check := range slices.Sorted(maps.Keys(byCheck)) { // not in the catalogue, so without documentation
		v.Checks = append(v.Checks, v.tally(check, "", byCheck[check]))
	}
}

// tally counts findings.
func (v *view) tally(check, title string, found []finding) tally {
	t := tally{Check: check, Title: title, Counts: make([]int, len(v.Severities))}
	for _, f := range found {
		if f.State == "fixed" {
			t.Fixed++
			continue
		}
		t.Counts[slices.Index(v.Severities, f.Severity)]++
		if f.State == "fixable" {
			t.Fixable++
		}
	}
	return t
}

// groups puts findings together by package, then by check, in the order in which
// these come up.
func groups(all []finding) []group {
	var gs []group
	for _, f := range all {
		i := slices.IndexFunc(gs, func(g group) bool { return g.Package == f.Package })
		if i < 0 {
			i = len(gs)
			gs = append(gs, group{Package: f.Package})
		}
		checks := &gs[i].Checks
		j := slices.IndexFunc(*checks, func(c checkGroup) bool { return c.Check == f.Check })
		if j < 0 {
			j = len(*checks)
			*checks = append(*checks, checkGroup{Check: f.Check})
		}
		(*checks)[j].Findings = append((*checks)[j].Findings, f)
	}
	return gs
}

func verdict(left, fixed []finding, packages int) string {
	if len(left)+len(fixed) == 0 {
		return "Nothing was found."
	}
	in := " in " + report.Plural(packages, "package") + "."
	if len(fixed) > 0 {
		return fmt.Sprintf("%d fixed, %d left%s", len(fixed), len(left), in)
	}
	fixable := 0
	for _, f := range left {
		if f.State == "fixable" {
			fixable++
		}
	}
	text := report.Plural(len(left), "finding") + in
	if fixable > 0 {
		text += fmt.Sprintf(" lockvet -fix can fix %d.", fixable)
	}
	return text
}

// gaveUp sums up what the analysis gave up, and lists it.
func gaveUp(doc *report.Document) (sum string, lines []string) {
	if len(doc.GaveUp) == 0 {
		return "", nil
	}
	pkgs := make(map[string]bool)
	for _, g := range doc.GaveUp {
		pkgs[g.Package] = true
	}
	sum = fmt.Sprintf("The analysis gave up on %s in %s; findings there may be missing.",
		report.Plural(len(doc.GaveUp), "question"), report.Plural(len(pkgs), "package"))
	return sum, doc.GaveUpLines()
}

// A builder makes the views of findings.
type builder struct {
	texts  map[textKey]*text
	checks []analyzer.Check
	made   int
}

func (b *builder) finding(f *report.Finding, read func(string) []byte) finding {
	b.made++
	v := finding{
		Finding: f,
		ID:      f.Fingerprint,
		Key:     fmt.Sprintf("f%d", b.made),
		State:   "nofix",
		Place:   fmt.Sprintf("%s:%d", f.Pos.File, f.Pos.Line),
	}
	for _, c := range b.checks {
		for _, variant := range c.Variants {
			if variant.Category == f.Category {
				v.Kind, v.Stays, v.Review = variant.Title, c.Stays, c.Review
			}
		}
	}
	file := func(name string) *text { return b.text(name, read(name)) }
	x := excerpter{f: f, key: v.Key, file: file}
	v.Source, v.Folds = x.excerpts()
	for i, e := range f.Evidence {
		reason := evidence{Text: e.Text}
		if i+1 == len(f.Evidence) || !same(e.Pos, f.Evidence[i+1].Pos) {
			reason.Place, reason.Line = x.place(e.Pos), x.single(e.Pos)
		}
		v.Evidence = append(v.Evidence, reason)
	}
	for _, r := range f.Rules {
		v.Spoken = append(v.Spoken, spoken{r.ID, r.Why, x.place(r.Pos)})
	}
	v.Schedule = newSchedule(f.Schedule, x.place)
	for _, e := range []executed{{Proof: f.Proof}, {Proof: f.ProofAfter, When: "after the fix"}} {
		if e.Proof != nil {
			e.Schedule = newSchedule(e.Steps(), x.place)
			if e.Schedule != nil && e.Verdict != witness.Proven {
				e.Schedule.Steps[len(e.Schedule.Steps)-1].Last = false // nothing is lost
			}
			v.Executed = append(v.Executed, e)
		}
	}
	if f.Fix != nil {
		v.State = "fixable"
		v.Patches = patches(f.Fix, file)
		v.own = v.ownHunk()
	}
	return v
}

// same reports whether two places are on one line.
func same(a, b *report.Pos) bool {
	return a != nil && b != nil && a.File == b.File && a.Line == b.Line
}
