package report

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/analyse"
)

// width is the column at which explanations are wrapped. The first line and
// the source line of a finding are never wrapped.
const width = 92

// Text writes the findings for a person: where and what, the line of source,
// why the file is believed to hold state, the schedule that loses it, and
// whether -fix can mend it.
func (p Printer) Text(w io.Writer, found []*analyse.Found) error {
	var out bytes.Buffer
	for i, f := range found {
		if i > 0 {
			out.WriteByte('\n')
		}
		p.finding(&out, f)
	}
	_, err := w.Write(out.Bytes())
	return err
}

func (p Printer) finding(out *bytes.Buffer, f *analyse.Found) {
	fmt.Fprintf(out, "%s: %s (%s)\n", p.place(f), f.Sentence, f.Category())
	excerpt(out, f)
	evidence, schedule := p.evidence(f), p.schedule(f)
	column := max(placeWidth(evidence), placeWidth(schedule))
	section(out, f.Heading()+":", evidence, column)
	section(out, "how it is lost:", schedule, column)
	switch {
	case f.Fix != nil:
		wrapped(out, "  fix: ", f.Fix.Message)
	case f.NoFix != "":
		wrapped(out, "  no fix: ", f.NoFix)
	}
}

// excerpt writes the line of the finding with the found part underlined.
func excerpt(out *bytes.Buffer, f *analyse.Found) {
	start := f.Position()
	source, _ := os.ReadFile(start.Filename) // a finding is worth printing without it
	lines := bytes.Split(source, []byte("\n"))
	if start.Line < 1 || len(lines) < start.Line {
		return
	}
	line := strings.TrimRight(string(lines[start.Line-1]), "\r")
	from := min(start.Column-1, len(line))
	to := len(line)
	if end := f.Pkg.Fset.Position(f.End); f.End.IsValid() && end.Line == start.Line {
		to = min(max(end.Column-1, from), len(line))
	}
	indent := len(line) - len(strings.TrimLeft(line, " \t"))
	indent = min(indent, from)
	before, marked, after := expand(line[indent:from]), expand(line[from:to]), expand(line[to:])
	gutter := fmt.Sprintf("%6d | ", start.Line)
	fmt.Fprintf(out, "%s%s%s%s\n", gutter, before, marked, after)
	fmt.Fprintf(out, "%s| %s%s\n", strings.Repeat(" ", len(gutter)-2),
		strings.Repeat(" ", len([]rune(before))), strings.Repeat("^", max(1, len([]rune(marked)))))
}

func expand(s string) string { return strings.ReplaceAll(s, "\t", "    ") }

// A row is a line of a section: its number or bullet, a place, a text.
type row struct {
	label, place, text string
}

func (p Printer) evidence(f *analyse.Found) []row {
	var rows []row
	for _, e := range f.Evidence {
		rows = append(rows, row{"-", p.near(f, e.Pos), e.Text})
	}
	return rows
}

func (p Printer) schedule(f *analyse.Found) []row {
	var rows []row
	for i, s := range f.Schedule {
		rows = append(rows, row{fmt.Sprintf("%d.", i+1), p.near(f, s.Pos), s.String()})
	}
	return rows
}

func placeWidth(rows []row) int {
	widest := 0
	for _, r := range rows {
		widest = max(widest, len(r.place))
	}
	return widest
}

// section writes a heading and its rows, the texts aligned behind the widest
// place of the finding.
func section(out *bytes.Buffer, heading string, rows []row, column int) {
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(out, "  %s\n", heading)
	for _, r := range rows {
		wrapped(out, fmt.Sprintf("    %-2s %-*s  ", r.label, column, r.place), r.text)
	}
}

// wrapped writes a lead and a text behind it, broken between words.
func wrapped(out *bytes.Buffer, lead, text string) {
	room := max(width-len(lead), 32)
	line := lead
	used := 0
	for _, word := range strings.Fields(text) {
		n := len([]rune(word))
		if used > 0 && used+1+n > room {
			fmt.Fprintln(out, strings.TrimRight(line, " "))
			line, used = strings.Repeat(" ", len(lead)), 0
		}
		if used > 0 {
			line += " "
			used++
		}
		line += word
		used += n
	}
	fmt.Fprintln(out, strings.TrimRight(line, " "))
}
