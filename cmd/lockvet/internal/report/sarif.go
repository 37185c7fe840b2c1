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

// An object is one of SARIF, by the names that its specification gives to properties.
type object = map[string]any

// SARIF writes the findings of a document as a SARIF 2.1.0 log, as code
// scanning services read it. Each kind of mistake that was found is a rule; the schedule is a
// code flow with one thread flow for each process or goroutine. Names of files
// are relative to the directory of the printer, which should be the root of the
// repository. Columns count code points.
func (p Printer) SARIF(w io.Writer, doc *Document) error {
	s := sarifLog{printer: p, sources: newSources(p), rules: []object{}, results: []object{}}
	s.addRules(doc)
	for i := range doc.Findings {
		s.add(&doc.Findings[i])
	}
	for _, f := range doc.SeenFindings() {
		s.add(&f)
	}
	driver := object{"name": "lockvet", "informationUri": home, "version": p.Version, "rules": s.rules}
	if semver.IsValid(p.Version) {
		driver["semanticVersion"] = strings.TrimPrefix(p.Version, "v")
	}
	run := object{"columnKind": "unicodeCodePoints", "tool": object{"driver": driver}, "results": s.results}
	if len(doc.GaveUp) > 0 {
		run["invocations"] = []object{gaveUpInvocation(doc.GaveUp)}
	}
	data, err := json.Marshal(object{"$schema": sarifSchema, "version": "2.1.0", "runs": []object{run}})
	if err != nil {
		return err
	}
	_, err = w.Write(printable.JSON(data))
	return err
}

// A sarifLog is a log under construction.
type sarifLog struct {
	printer        Printer
	sources        *sources
	rules, results []object
}

// addRules describes the kinds of mistakes that were found, and of losses that tests have shown and no finding reports.
func (s *sarifLog) addRules(doc *Document) {
	for _, c := range analyzer.Catalogue() {
		for _, v := range c.Variants {
			if !slices.ContainsFunc(doc.Findings, func(f Finding) bool { return f.Category == v.Category }) {
				continue
			}
			help := object{"text": c.Doc, "markdown": c.Markdown()}
			rule := sarifRule(v.Category, v.Title, c.Title, help, PageOf(c.Name), s.printer.Severities.OfCategory(v.Category))
			rule["properties"] = object{"precision": "high", "tags": []string{"reliability", "data-loss", "concurrency"}}
			s.rules = append(s.rules, rule)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(seenKinds)) {
		kind := seenKinds[name]
		if slices.ContainsFunc(doc.Seen, func(l Seen) bool { return l.Category == kind.category }) {
			help := text(sentenceCase(kind.title))
			s.rules = append(s.rules, sarifRule(kind.category, kind.title, kind.title, help, Page("prove"), Warning))
		}
	}
}

func sarifRule(category, short, full string, help object, page string, level Severity) object {
	check, name, _ := strings.Cut(category, "/")
	return object{
		"id":                   category,
		"name":                 upper(check) + upper(name), // as SARIF wants it: "TornwriteInplace"
		"shortDescription":     text(sentenceCase(short)),
		"fullDescription":      text(sentenceCase(full)),
		"help":                 help,
		"helpUri":              page,
		"defaultConfiguration": object{"level": level},
	}
}

func text(s string) object { return object{"text": s} }

func upper(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// sentenceCase makes a sentence of a text that has none of its marks.
func sentenceCase(s string) string { return strings.TrimSuffix(upper(s), ".") + "." }

func (s *sarifLog) add(f *Finding) {
	place := s.physical(f.Pos, f.End)
	place["logicalLocations"] = []object{logical(f.Package, f.Func)}
	related := []object{}
	for i, e := range f.Evidence {
		at := s.physical(orPos(e.Pos, f.Pos), nil)
		at["id"], at["message"] = i+1, text(f.Claim+": "+e.Text)
		related = append(related, at)
	}
	r := object{
		"ruleId":              f.Category,
		"ruleIndex":           slices.IndexFunc(s.rules, func(rule object) bool { return rule["id"] == f.Category }),
		"level":               f.Severity,
		"rank":                100 * f.Score,
		"message":             text(sarifMessage(f)),
		"locations":           []object{place},
		"relatedLocations":    related,
		"partialFingerprints": object{fingerprintKey: f.Fingerprint},
	}
	if len(f.Schedule) > 0 {
		r["codeFlows"] = []object{s.flow(f)}
	}
	if f.Fix != nil {
		r["fixes"] = []object{s.fix(f.Fix)}
	}
	if f.Proof != nil {
		r["properties"] = object{"proof": f.Proof}
	}
	s.results = append(s.results, r)
}

// sarifMessage is the sentence, the evidence with links to its places, and what
// becomes of the finding. The first paragraph can stand alone.
func sarifMessage(f *Finding) string {
	var b strings.Builder
	b.WriteString(f.Message + ".\n\n" + upper(f.Claim) + ":\n")
	for i, e := range f.Evidence {
		fmt.Fprintf(&b, "- [%s](%d)\n", linkText(e.Text), i+1)
	}
	if len(f.Schedule) > 0 {
		b.WriteString("\nHow it is lost:\n" + schedule(f))
	}
	if p := f.Proof; p != nil {
		fmt.Fprintf(&b, "\n%s: %s.\n", upper(string(p.Verdict)), p.Headline())
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
func (s *sarifLog) flow(f *Finding) object {
	threads, bands := []object{}, Bands(f.Schedule)
	for _, actor := range Actors(f.Schedule) {
		var steps []object
		for i, step := range f.Schedule {
			if step.Actor != actor {
				continue
			}
			place, state := s.physical(orPos(step.Pos, f.Pos), nil), object{}
			place["message"] = text(step.String())
			for _, b := range bands {
				if b.After[i] != "" {
					state[b.Head] = text(b.After[i])
				}
			}
			steps = append(steps, object{"location": place, "executionOrder": i + 1, "importance": "essential", "state": state})
		}
		threads = append(threads, object{"id": actor, "message": text(actor), "locations": steps})
	}
	return object{"message": text("How it is lost"), "threadFlows": threads}
}

func orPos(pos, otherwise *Pos) *Pos {
	if pos != nil {
		return pos
	}
	return otherwise
}

func (s *sarifLog) fix(fix *Fix) object {
	names, edits := fix.Files()
	changes := []object{}
	for _, name := range names {
		var replacements []object
		for _, e := range edits[name] {
			line, column := s.sources.at(name, e.Start)
			endLine, endColumn := s.sources.at(name, e.End)
			replacements = append(replacements, object{"insertedContent": text(e.New), "deletedRegion": object{
				"startLine": line, "startColumn": column, "endLine": endLine, "endColumn": endColumn,
			}})
		}
		changes = append(changes, object{"artifactLocation": artifact(name), "replacements": replacements})
	}
	return object{"description": text(fix.Message), "artifactChanges": changes}
}

// gaveUpInvocation tells what was given up, as notifications of the run of the tool.
func gaveUpInvocation(all []GaveUp) object {
	var list []object
	for _, g := range all {
		in := ""
		if g.Func != "" {
			in = " in " + g.Func
		}
		said := fmt.Sprintf("package %s: gave up on %s%s after %s; findings there may be missing",
			g.Package, g.Question, in, Plural(g.Steps, "step"))
		n := object{"level": "warning", "message": text(said)}
		if g.Func != "" {
			n["locations"] = []object{{"logicalLocations": []object{logical(g.Package, g.Func)}}}
		}
		list = append(list, n)
	}
	return object{"executionSuccessful": true, "toolExecutionNotifications": list}
}

// logical is a function of a package.
func logical(pkg, fn string) object {
	return object{"name": fn, "fullyQualifiedName": pkg + "." + fn, "kind": "function"}
}

// physical is the place from pos to end, or the one at pos where end is nil or
// in another file.
func (s *sarifLog) physical(pos, end *Pos) object {
	region := object{"startLine": pos.Line, "startColumn": s.sources.column(pos)}
	if end != nil && end.File == pos.File {
		region["endLine"], region["endColumn"] = end.Line, s.sources.column(end)
	}
	return object{"physicalLocation": object{"artifactLocation": artifact(pos.File), "region": region}}
}

func artifact(name string) object {
	if filepath.IsAbs(name) {
		return object{"uri": (&url.URL{Scheme: "file", Path: name}).String()}
	}
	return object{"uri": (&url.URL{Path: name}).EscapedPath(), "uriBaseId": "%SRCROOT%"}
}
