package report

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/lockvet/lockvet/internal/printable"
)

// hoverWidth is the width of what editors show beside the code.
const hoverWidth = 76

// PageOf is the address of the page about a check.
func PageOf(check string) string { return Page("checks/" + check) }

// Page is the address of a page of the documentation.
func Page(name string) string { return fmt.Sprintf("%s/blob/main/docs/%s.md", home, name) }

// Markdown is one finding for an editor that shows Markdown: the sentence, the evidence,
// the schedule as a timeline, and whether it can be fixed.
func (p Printer) Markdown(f *Finding) string {
	var out bytes.Buffer
	kind := f.Category
	if f.Severity != Error {
		kind += ", " + string(f.Severity)
	}
	fmt.Fprintf(&out, "%s ([%s](%s))\n", escape(f.Message), kind, PageOf(f.Check))
	if len(f.Evidence) > 0 {
		fmt.Fprintf(&out, "\n%s:\n\n", escape(f.Claim))
	}
	for _, e := range f.Evidence {
		if at := Near(f, e.Pos); at != "" {
			fmt.Fprintf(&out, "- %s %s\n", code(at), escape(e.Text))
		} else {
			fmt.Fprintf(&out, "- %s\n", escape(e.Text))
		}
	}
	if len(f.Schedule) > 0 {
		t := p.hoverText()
		if !t.lanes(f) {
			rows := scheduleRows(f)
			t.section("how it is lost:", rows, placeWidth(rows))
		}
		heading, body, _ := strings.Cut(t.out.String(), "\n")
		fence := "```"
		for strings.Contains(body, fence) {
			fence += "`"
		}
		fmt.Fprintf(&out, "\n%s\n\n%stext\n%s%s\n", strings.TrimSpace(heading), fence, body, fence)
	}
	if p := f.Proof; p != nil {
		fmt.Fprintf(&out, "\n%s: %s\n", p.Verdict, escape(p.Headline()))
	}
	switch {
	case f.Fix != nil:
		fmt.Fprintf(&out, "\nfix: %s\n", escape(f.Fix.Message))
	case f.NoFix != "":
		fmt.Fprintf(&out, "\nno fix: %s\n", escape(f.NoFix))
	}
	return out.String()
}

// Plain is the same for an editor that shows text.
func (p Printer) Plain(f *Finding) string {
	t := p.hoverText()
	t.finding(f)
	return printable.Lines(t.out.String())
}

func (p Printer) hoverText() *texter {
	t := &texter{sources: newSources(p), timeline: true, width: hoverWidth, line: boxes}
	t.use(false)
	return t
}
