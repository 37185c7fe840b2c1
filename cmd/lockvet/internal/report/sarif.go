package report

import (
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"golang.org/x/mod/semver"

	"github.com/lockvet/lockvet/analyzer"
)

const (
	home = "https://github.com/lockvet/lockvet"
	// fingerprintKey names the algorithm of Fingerprints in SARIF.
	fingerprintKey = "lockvetFinding/v1"
)

// SARIF writes the findings of a document as a SARIF 2.1.0 log, as code
// scanning services read it. Each kind of mistake that was found is a rule; the schedule is a
// code flow with one thread flow for each process or goroutine. Names of files
// are relative to the directory of the printer, which should be the root of the
// repository. Columns count code points. The version is that of the tool.
func (p Printer) SARIF(w io.Writer, doc *Document, version string) error {
	s := sarifLog{printer: p, run: sarif.NewRunWithInformationURI("lockvet", home), sources: newSources(p)}
	s.run.Tool.Driver.WithVersion(version)
	if semver.IsValid(version) {
		s.run.Tool.Driver.WithSemanticVersion(strings.TrimPrefix(version, "v"))
	}
	s.run.WithColumnKind("unicodeCodePoints")
	s.addRules(doc)
	for i := range doc.Findings {
		s.add(&doc.Findings[i])
	}
	s.addGaveUp(doc.GaveUp)
	return sarif.NewReport().AddRun(s.run).Write(w)
}

// A sarifLog is a log under construction.
type sarifLog struct {
	printer Printer
	run     *sarif.Run
	sources *sources
}

// addRules describes the kinds of mistakes that were found.
func (s *sarifLog) addRules(doc *Document) {
	for _, c := range analyzer.Catalogue() {
		for _, v := range c.Variants {
			if !slices.ContainsFunc(doc.Findings, func(f Finding) bool { return f.Category == v.Category }) {
				continue
			}
			_, name, _ := strings.Cut(v.Category, "/")
			s.run.AddRule(v.Category).
				WithName(camel(c.Name, name)).
				WithShortDescription(text(sentenceCase(v.Title))).
				WithFullDescription(text(sentenceCase(c.Title))).
				WithHelp(text(c.Doc).WithMarkdown(c.Markdown())).
				WithHelpURI(PageOf(c.Name)).
				WithDefaultConfiguration(sarif.NewReportingConfiguration().WithLevel(string(s.printer.Severities.OfCategory(v.Category)))).
				WithProperties(sarif.NewPropertyBag().Add("precision", "high").WithTags([]string{"reliability", "data-loss", "concurrency"}))
		}
	}
}

func text(s string) *sarif.MultiformatMessageString {
	return sarif.NewMultiformatMessageString().WithText(s)
}

// camel is the name of a rule as SARIF wants it: "TornwriteInplace".
func camel(words ...string) string {
	var b strings.Builder
	for _, w := range words {
		b.WriteString(strings.ToUpper(w[:1]) + w[1:])
	}
	return b.String()
}

// sentenceCase makes a sentence of a text that has none of its marks.
func sentenceCase(s string) string {
	s = strings.ToUpper(s[:1]) + s[1:]
	if !strings.HasSuffix(s, ".") {
		s += "."
	}
	return s
}

func (s *sarifLog) add(f *Finding) {
	place := sarif.NewLocationWithPhysicalLocation(s.physical(f.Pos, f.End)).
		WithLogicalLocations([]*sarif.LogicalLocation{logical(f.Package, f.Func)})
	r := s.run.CreateResultForRule(f.Category).
		WithLevel(string(f.Severity)).
		WithMessage(sarif.NewTextMessage(sarifMessage(f))).
		WithLocations([]*sarif.Location{place}).
		WithPartialFingerprints(map[string]string{fingerprintKey: f.Fingerprint})
	for i, e := range f.Evidence {
		at := sarif.NewLocationWithPhysicalLocation(s.physical(orPos(e.Pos, f.Pos), nil)).WithID(i + 1)
		r.AddRelatedLocation(at.WithMessage(sarif.NewTextMessage(f.Claim + ": " + e.Text)))
	}
	if flow := s.flow(f); flow != nil {
		r.AddCodeFlow(flow)
	}
	if f.Fix != nil {
		r.AddFixe(s.fix(f.Fix))
	}
}

// sarifMessage is the sentence, the evidence with links to its places, and what
// becomes of the finding. The first paragraph can stand alone.
func sarifMessage(f *Finding) string {
	var b strings.Builder
	b.WriteString(f.Message + ".\n\n" + sentenceCase(f.Claim)[:len(f.Claim)] + ":\n")
	for i, e := range f.Evidence {
		fmt.Fprintf(&b, "- [%s](%d)\n", linkText(e.Text), i+1)
	}
	if len(f.Schedule) > 0 {
		b.WriteString("\nHow it is lost:\n")
	}
	for i, step := range f.Schedule {
		fmt.Fprintf(&b, "%d. %s\n", i+1, step)
	}
	switch {
	case f.Fix != nil:
		b.WriteString("\nFix: " + f.Fix.Message + " (lockvet -fix).\n")
		if slices.ContainsFunc(f.Fix.Edits, func(e Edit) bool { return namesSafeio.MatchString(e.New) }) {
			b.WriteString("The edit calls package safeio: it compiles where the module has that, which lockvet -fix sees to.\n")
		}
	case f.NoFix != "":
		b.WriteString("\nNo fix: " + f.NoFix + ".\n")
	}
	return b.String()
}

// namesSafeio finds package safeio in the text of an edit, which can be its name alone: in
// place of that of package os.
var namesSafeio = regexp.MustCompile(`\bsafeio\b`)

// linkText escapes what would end the text of a link early.
func linkText(s string) string {
	return strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`).Replace(s)
}

// flow is the schedule: each actor has a thread flow, the order of execution
// runs through all of them.
func (s *sarifLog) flow(f *Finding) *sarif.CodeFlow {
	if len(f.Schedule) == 0 {
		return nil
	}
	var threads []*sarif.ThreadFlow
	bands := Bands(f.Schedule)
	for i, step := range f.Schedule {
		at := slices.IndexFunc(threads, func(t *sarif.ThreadFlow) bool { return *t.ID == step.Actor })
		if at < 0 {
			at = len(threads)
			threads = append(threads, sarif.NewThreadFlow().WithID(step.Actor).WithMessage(sarif.NewTextMessage(step.Actor)))
		}
		place := sarif.NewLocationWithPhysicalLocation(s.physical(orPos(step.Pos, f.Pos), nil)).
			WithMessage(sarif.NewTextMessage(step.String()))
		t := sarif.NewThreadFlowLocation().WithLocation(place).WithExecutionOrder(i + 1).WithImportance("essential")
		state := make(map[string]sarif.MultiformatMessageString)
		for _, b := range bands {
			if b.After[i] != "" {
				state[b.Head] = *text(b.After[i])
			}
		}
		if len(state) > 0 {
			t.WithState(state)
		}
		threads[at].AddLocation(t)
	}
	return sarif.NewCodeFlow().WithMessage(sarif.NewTextMessage("How it is lost")).WithThreadFlows(threads)
}

func orPos(pos, otherwise *Pos) *Pos {
	if pos != nil {
		return pos
	}
	return otherwise
}

func (s *sarifLog) fix(fix *Fix) *sarif.Fix {
	changes := make(map[string]*sarif.ArtifactChange)
	out := sarif.NewFix().WithDescription(sarif.NewTextMessage(fix.Message))
	for _, e := range fix.Edits {
		c := changes[e.File]
		if c == nil {
			c = sarif.NewArtifactChange().WithArtifactLocation(artifact(e.File))
			changes[e.File] = c
			out.ArtifactChanges = append(out.ArtifactChanges, c)
		}
		line, column := s.sources.at(e.File, e.Start)
		endLine, endColumn := s.sources.at(e.File, e.End)
		region := sarif.NewRegion().WithStartLine(line).WithStartColumn(column).WithEndLine(endLine).WithEndColumn(endColumn)
		c.AddReplacement(sarif.NewReplacement().WithDeletedRegion(region).
			WithInsertedContent(sarif.NewArtifactContent().WithText(e.New)))
	}
	return out
}

// addGaveUp tells what was given up, as notifications of the run of the tool.
func (s *sarifLog) addGaveUp(all []GaveUp) {
	if len(all) == 0 {
		return
	}
	invocation := sarif.NewInvocation().WithExecutionSuccessful(true)
	s.run.AddInvocation(invocation)
	for _, g := range all {
		n := sarif.NewNotification().WithLevel("warning").WithMessage(sarif.NewTextMessage(g.String()))
		if g.Func != "" {
			n.AddLocation(sarif.NewLocation().WithLogicalLocations([]*sarif.LogicalLocation{logical(g.Package, g.Func)}))
		}
		invocation.AddToolExecutionNotification(n)
	}
}

// logical is a function of a package.
func logical(pkg, fn string) *sarif.LogicalLocation {
	return sarif.NewLogicalLocation().WithName(fn).WithFullyQualifiedName(pkg + "." + fn).WithKind("function")
}

// physical is the place from pos to end, or the one at pos where end is nil or
// in another file.
func (s *sarifLog) physical(pos, end *Pos) *sarif.PhysicalLocation {
	region := sarif.NewRegion().WithStartLine(pos.Line).WithStartColumn(s.sources.column(pos))
	if end != nil && end.File == pos.File {
		region.WithEndLine(end.Line).WithEndColumn(s.sources.column(end))
	}
	return sarif.NewPhysicalLocation().WithArtifactLocation(artifact(pos.File)).WithRegion(region)
}

func artifact(name string) *sarif.ArtifactLocation {
	if filepath.IsAbs(name) {
		return sarif.NewSimpleArtifactLocation((&url.URL{Scheme: "file", Path: name}).String())
	}
	return sarif.NewSimpleArtifactLocation((&url.URL{Path: name}).EscapedPath()).WithURIBaseID("%SRCROOT%")
}
