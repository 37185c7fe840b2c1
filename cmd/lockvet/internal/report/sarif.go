package report

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/chavacava/garif"
	"golang.org/x/mod/semver"

	"github.com/lockvet/lockvet/analyzer"
	"github.com/lockvet/lockvet/internal/printable"
)

const (
	home = "https://github.com/lockvet/lockvet"
	// sarifSchema is what the log follows.
	sarifSchema = "https://raw.githubusercontent.com/oasis-tcs/sarif-spec/main/sarif-2.1/schema/sarif-schema-2.1.0.json"
	// fingerprintKey names the algorithm of Fingerprints in SARIF.
	fingerprintKey = "lockvetFinding/v1"
)

// These write what the library leaves out where it is empty or 0. Without a list of results
// a run did not look for any, without an index a result is of no rule, and there are readers
// that expect rules in each run and a text in each replacement.
type (
	sarifFile struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		*garif.Run
		Tool    sarifTool     `json:"tool"`
		Results []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		*garif.ToolComponent
		Rules []*garif.ReportingDescriptor `json:"rules"`
	}
	sarifResult struct {
		*garif.Result
		RuleIndex int        `json:"ruleIndex"`
		Fixes     []sarifFix `json:"fixes,omitempty"`
	}
	sarifFix struct {
		Description     *garif.Message `json:"description"`
		ArtifactChanges []*sarifChange `json:"artifactChanges"`
	}
	sarifChange struct {
		ArtifactLocation *garif.ArtifactLocation `json:"artifactLocation"`
		Replacements     []sarifReplacement      `json:"replacements"`
	}
	sarifReplacement struct {
		DeletedRegion   *garif.Region `json:"deletedRegion"`
		InsertedContent sarifContent  `json:"insertedContent"`
	}
	sarifContent struct {
		Text string `json:"text"`
	}
)

// SARIF writes the findings of a document as a SARIF 2.1.0 log, as code
// scanning services read it. Each kind of mistake that was found is a rule; the schedule is a
// code flow with one thread flow for each process or goroutine. Names of files
// are relative to the directory of the printer, which should be the root of the
// repository. Columns count code points. The version is that of the tool.
func (p Printer) SARIF(w io.Writer, doc *Document, version string) error {
	driver := &garif.ToolComponent{Name: "lockvet", InformationUri: home, Version: version}
	if semver.IsValid(version) {
		driver.SemanticVersion = strings.TrimPrefix(version, "v")
	}
	s := sarifLog{printer: p, sources: newSources(p), run: sarifRun{
		Run:     &garif.Run{ColumnKind: "unicodeCodePoints"},
		Tool:    sarifTool{sarifDriver{driver, []*garif.ReportingDescriptor{}}},
		Results: []sarifResult{},
	}}
	s.addRules(doc)
	s.addSeenRules(doc)
	for i := range doc.Findings {
		s.add(&doc.Findings[i])
	}
	for _, f := range doc.SeenFindings() {
		s.add(&f)
	}
	s.addGaveUp(doc.GaveUp)
	data, err := json.Marshal(sarifFile{sarifSchema, string(garif.Version210), []sarifRun{s.run}})
	if err != nil {
		return err
	}
	_, err = w.Write(printable.JSON(data))
	return err
}

// A sarifLog is a log under construction.
type sarifLog struct {
	printer Printer
	run     sarifRun
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
			help := text(c.Doc)
			help.Markdown = c.Markdown()
			s.run.Tool.Driver.Rules = append(s.run.Tool.Driver.Rules, &garif.ReportingDescriptor{
				Id:                   v.Category,
				Name:                 camel(c.Name, name),
				ShortDescription:     text(sentenceCase(v.Title)),
				FullDescription:      text(sentenceCase(c.Title)),
				Help:                 help,
				HelpUri:              PageOf(c.Name),
				DefaultConfiguration: &garif.ReportingConfiguration{Level: s.printer.Severities.OfCategory(v.Category)},
				Properties:           &garif.PropertyBag{"precision": "high", "tags": []string{"reliability", "data-loss", "concurrency"}},
			})
		}
	}
}

// addSeenRules describes the kinds of losses that tests have shown and no finding reports.
func (s *sarifLog) addSeenRules(doc *Document) {
	for _, name := range slices.Sorted(maps.Keys(seenKinds)) {
		kind := seenKinds[name]
		if slices.ContainsFunc(doc.Seen, func(l Seen) bool { return l.Category == kind.category }) {
			s.run.Tool.Driver.Rules = append(s.run.Tool.Driver.Rules, &garif.ReportingDescriptor{
				Id:                   kind.category,
				Name:                 camel("seen", name),
				ShortDescription:     text(sentenceCase(kind.title)),
				FullDescription:      text(sentenceCase(kind.title)),
				Help:                 text(sentenceCase(kind.title)),
				HelpUri:              Page("prove"),
				DefaultConfiguration: &garif.ReportingConfiguration{Level: Warning},
			})
		}
	}
}

func text(s string) *garif.MultiformatMessageString { return garif.NewMultiformatMessageString(s) }

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
	place := s.physical(f.Pos, f.End)
	place.LogicalLocations = []*garif.LogicalLocation{logical(f.Package, f.Func)}
	rule := slices.IndexFunc(s.run.Tool.Driver.Rules, func(d *garif.ReportingDescriptor) bool { return d.Id == f.Category })
	r := sarifResult{RuleIndex: rule, Result: &garif.Result{
		RuleId:              f.Category,
		Level:               garif.ResultLevel(f.Severity),
		Rank:                100 * f.Score,
		Message:             garif.NewMessageFromText(sarifMessage(f)),
		Locations:           []*garif.Location{place},
		PartialFingerprints: map[string]string{fingerprintKey: f.Fingerprint},
	}}
	for i, e := range f.Evidence {
		at := s.physical(orPos(e.Pos, f.Pos), nil)
		at.Id = i + 1
		at.Message = garif.NewMessageFromText(f.Claim + ": " + e.Text)
		r.RelatedLocations = append(r.RelatedLocations, at)
	}
	if len(f.Schedule) > 0 {
		r.CodeFlows = []*garif.CodeFlow{s.flow(f)}
	}
	if f.Fix != nil {
		r.Fixes = []sarifFix{s.fix(f.Fix)}
	}
	if f.Proof != nil {
		r.Properties = &garif.PropertyBag{"proof": f.Proof}
	}
	s.run.Results = append(s.run.Results, r)
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
	if p := f.Proof; p != nil {
		fmt.Fprintf(&b, "\n%s: %s.\n", sentenceCase(string(p.Verdict))[:len(p.Verdict)], p.Headline())
	}
	switch {
	case f.Fix != nil:
		b.WriteString("\nFix: " + f.Fix.Message + " (lockvet -fix).\n")
		if slices.ContainsFunc(f.Fix.Edits, func(e Edit) bool { return namesSafeio.MatchString(e.New) }) {
			b.WriteString("The edit calls package safeio: it compiles once the module has that package, which lockvet -fix adds.\n")
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
func (s *sarifLog) flow(f *Finding) *garif.CodeFlow {
	flow := &garif.CodeFlow{Message: garif.NewMessageFromText("How it is lost")}
	bands := Bands(f.Schedule)
	for i, step := range f.Schedule {
		at := slices.IndexFunc(flow.ThreadFlows, func(t *garif.ThreadFlow) bool { return t.Id == step.Actor })
		if at < 0 {
			at = len(flow.ThreadFlows)
			flow.ThreadFlows = append(flow.ThreadFlows, &garif.ThreadFlow{Id: step.Actor, Message: garif.NewMessageFromText(step.Actor)})
		}
		place := s.physical(orPos(step.Pos, f.Pos), nil)
		place.Message = garif.NewMessageFromText(step.String())
		t := &garif.ThreadFlowLocation{Location: place, ExecutionOrder: i + 1, Importance: "essential", State: make(map[string]*garif.MultiformatMessageString)}
		for _, b := range bands {
			if b.After[i] != "" {
				t.State[b.Head] = text(b.After[i])
			}
		}
		flow.ThreadFlows[at].Locations = append(flow.ThreadFlows[at].Locations, t)
	}
	return flow
}

func orPos(pos, otherwise *Pos) *Pos {
	if pos != nil {
		return pos
	}
	return otherwise
}

func (s *sarifLog) fix(fix *Fix) sarifFix {
	changes := make(map[string]*sarifChange)
	out := sarifFix{Description: garif.NewMessageFromText(fix.Message)}
	for _, e := range fix.Edits {
		c := changes[e.File]
		if c == nil {
			c = &sarifChange{ArtifactLocation: artifact(e.File)}
			changes[e.File] = c
			out.ArtifactChanges = append(out.ArtifactChanges, c)
		}
		region := new(garif.Region)
		region.StartLine, region.StartColumn = s.sources.at(e.File, e.Start)
		region.EndLine, region.EndColumn = s.sources.at(e.File, e.End)
		c.Replacements = append(c.Replacements, sarifReplacement{region, sarifContent{e.New}})
	}
	return out
}

// addGaveUp tells what was given up, as notifications of the run of the tool.
func (s *sarifLog) addGaveUp(all []GaveUp) {
	if len(all) == 0 {
		return
	}
	invocation := &garif.Invocation{ExecutionSuccessful: true}
	s.run.Invocations = []*garif.Invocation{invocation}
	for _, g := range all {
		n := &garif.Notification{Level: "warning", Message: garif.NewMessageFromText(g.String())}
		if g.Func != "" {
			n.Locations = []*garif.Location{{LogicalLocations: []*garif.LogicalLocation{logical(g.Package, g.Func)}}}
		}
		invocation.ToolExecutionNotifications = append(invocation.ToolExecutionNotifications, n)
	}
}

// logical is a function of a package.
func logical(pkg, fn string) *garif.LogicalLocation {
	return &garif.LogicalLocation{Name: fn, FullyQualifiedName: pkg + "." + fn, Kind: "function"}
}

// physical is the place from pos to end, or the one at pos where end is nil or
// in another file.
func (s *sarifLog) physical(pos, end *Pos) *garif.Location {
	region := &garif.Region{StartLine: pos.Line, StartColumn: s.sources.column(pos)}
	if end != nil && end.File == pos.File {
		region.EndLine, region.EndColumn = end.Line, s.sources.column(end)
	}
	return &garif.Location{PhysicalLocation: &garif.PhysicalLocation{ArtifactLocation: artifact(pos.File), Region: region}}
}

func artifact(name string) *garif.ArtifactLocation {
	if filepath.IsAbs(name) {
		return &garif.ArtifactLocation{Uri: (&url.URL{Scheme: "file", Path: name}).String()}
	}
	return &garif.ArtifactLocation{Uri: (&url.URL{Path: name}).EscapedPath(), UriBaseId: "%SRCROOT%"}
}
