package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/jstemmer/go-junit-report/v2/junit"

	"github.com/lockvet/lockvet/internal/printable"
)

// A Format is a form in which a document is written.
type Format struct {
	Name string
	// FromRoot says that its readers know files by their names in the repository, and not
	// in the directory of the run.
	FromRoot bool
	Write    func(p Printer, w io.Writer, doc *Document) error
}

// Formats are all forms. The lists have each finding with its place, its message and its severity, and no fix.
var Formats = []Format{
	{"text", false, func(p Printer, w io.Writer, doc *Document) error { return p.Text(w, doc, Style{}) }},
	{"json", false, func(_ Printer, w io.Writer, doc *Document) error { return Encode(w, doc) }},
	{"sarif", true, Printer.SARIF},
	{"short", false, list(Short)},
	{"checkstyle", true, list(Checkstyle)},
	{"junit", true, list(JUnit)},
	{"gitlab", true, list(CodeQuality)},
	{"github", true, list(Annotations)},
}

func list(write func(io.Writer, *Document) error) func(Printer, io.Writer, *Document) error {
	return func(_ Printer, w io.Writer, doc *Document) error { return write(w, doc) }
}

// Short writes each finding as one line: file:line:col: severity: message (category).
func Short(w io.Writer, doc *Document) error {
	for _, f := range doc.listed() {
		_, err := fmt.Fprintf(w, "%s: %s: %s (%s)\n", written(f.Pos), f.Severity, printable.Text(f.Message), f.Category)
		if err != nil {
			return err
		}
	}
	return nil
}

// files yields the findings of each file, files in the order of their names.
func (d *Document) files() func(yield func(string, []Finding) bool) {
	byFile := make(map[string][]Finding)
	for _, f := range d.listed() {
		byFile[f.Pos.File] = append(byFile[f.Pos.File], f)
	}
	return func(yield func(string, []Finding) bool) {
		for _, name := range slices.Sorted(maps.Keys(byFile)) {
			if !yield(name, byFile[name]) {
				return
			}
		}
	}
}

// Checkstyle writes the findings as the XML of Checkstyle
// (https://checkstyle.org/config_reporting.html). Its severities are those of lockvet,
// but for note, which is info there.
func Checkstyle(w io.Writer, doc *Document) error {
	type problem struct {
		Line     int    `xml:"line,attr"`
		Column   int    `xml:"column,attr"`
		Severity string `xml:"severity,attr"`
		Message  string `xml:"message,attr"`
		Source   string `xml:"source,attr"`
	}
	type file struct {
		Name   string    `xml:"name,attr"`
		Errors []problem `xml:"error"`
	}
	log := struct {
		XMLName xml.Name `xml:"checkstyle"`
		Version string   `xml:"version,attr"`
		Files   []file   `xml:"file"`
	}{Version: "8.0"}
	severity := map[Severity]string{Error: "error", Warning: "warning", Note: "info"}
	for name, findings := range doc.files() {
		list := file{Name: name}
		for _, f := range findings {
			list.Errors = append(list.Errors, problem{f.Pos.Line, f.Pos.Column, severity[f.Severity], f.Message, "lockvet." + strings.ReplaceAll(f.Category, "/", ".")})
		}
		log.Files = append(log.Files, list)
	}
	return encodeXML(w, log)
}

// JUnit writes the findings as the XML of JUnit: a suite for each file, and in it a case
// for each finding. What makes the run fail is a failed case; other findings are cases that
// were skipped, so that they fail no build. Without a finding there is one case that passed.
func JUnit(w io.Writer, doc *Document) error {
	var suites junit.Testsuites
	for name, findings := range doc.files() {
		suite := junit.Testsuite{Name: name, ID: len(suites.Suites), Time: "0"}
		for _, f := range findings {
			at := f.Pos.String()
			result := &junit.Result{Type: string(f.Severity), Message: at + ": " + f.Message, Data: schedule(&f)}
			c := junit.Testcase{Name: f.Category + " at " + at, Classname: f.Package + "." + f.Func, Failure: result}
			fails := f.Severity == Error
			if doc.Fails != nil {
				fails = doc.Fails(f.Severity, f.Fingerprint)
			}
			if !fails {
				c.Failure, c.Skipped = nil, result
			}
			suite.AddTestcase(c)
		}
		suites.AddSuite(suite)
	}
	if len(suites.Suites) == 0 {
		suite := junit.Testsuite{Name: "lockvet", Time: "0"}
		suite.AddTestcase(junit.Testcase{Name: "no findings", Classname: "lockvet"})
		suites.AddSuite(suite)
	}
	return encodeXML(w, suites)
}

// schedule is the schedule of a finding as numbered lines.
func schedule(f *Finding) string {
	var text strings.Builder
	for i, s := range f.Schedule {
		fmt.Fprintf(&text, "%d. %s\n", i+1, s)
	}
	return text.String()
}

// encodeXML writes a document without the characters that XML does not have, which package xml leaves
// in the sections that it does not escape.
func encodeXML(w io.Writer, doc any) error {
	var out strings.Builder
	enc := xml.NewEncoder(&out)
	enc.Indent("", "\t")
	if err := enc.Encode(doc); err != nil {
		return err
	}
	_, err := io.WriteString(w, xml.Header+printable.Lines(out.String())+"\n")
	return err
}

// CodeQuality writes the findings as a code quality report of GitLab
// (https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format).
func CodeQuality(w io.Writer, doc *Document) error {
	type lines struct {
		Begin int `json:"begin"`
	}
	type location struct {
		Path  string `json:"path"`
		Lines lines  `json:"lines"`
	}
	type issue struct {
		Description string   `json:"description"`
		CheckName   string   `json:"check_name"`
		Fingerprint string   `json:"fingerprint"`
		Severity    string   `json:"severity"`
		Location    location `json:"location"`
	}
	severity := map[Severity]string{Error: "major", Warning: "minor", Note: "info"}
	issues := []issue{}
	for _, f := range doc.listed() {
		issues = append(issues, issue{f.Message, f.Category, f.Fingerprint, severity[f.Severity], location{f.Pos.File, lines{f.Pos.Line}}})
	}
	return Encode(w, issues)
}

// Encode writes a value as all documents for programs are written.
func Encode(w io.Writer, doc any) error {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "\t")
	if err := enc.Encode(doc); err != nil {
		return err
	}
	_, err := w.Write(printable.JSON(out.Bytes()))
	return err
}
