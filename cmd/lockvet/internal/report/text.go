package report

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"path"
	"regexp"
	"strings"

	"github.com/clipperhouse/displaywidth"
	"github.com/fatih/color"

	"github.com/lockvet/lockvet/internal/printable"
)

// DefaultWidth is the width of a text whose reader's terminal is not known.
const DefaultWidth = 92

// The narrowest text that is written, and the widest: lines that are longer than that are
// hard to read, however wide the terminal is.
const (
	minWidth = 48
	maxWidth = 120
)

// A Style says how findings look to a person.
type Style struct {
	// Width is the number of columns at which text is wrapped, at least 48 and at most
	// 120. Where it is 0, nobody knows how wide the reader's terminal is, or whether a program
	// reads: explanations are wrapped at [DefaultWidth] then, and the first line of a
	// finding, which says where it is and what, stays whole, as does the line of source. On a
	// terminal that is too narrow for it, the line of source is cut on both sides of what is
	// found, and not wrapped.
	Width int
	// Boxes draws with the box drawing characters of Unicode, and with those of ASCII
	// where it is not set.
	Boxes bool
	// Timeline draws the schedule with a lane for each process or goroutine, one
	// for memory and one for the file, where it is a numbered list otherwise.
	Timeline bool
	// Color marks what matters with the colours of a terminal.
	Color bool
}

// Text writes the findings of a document for a person: where and what, the line
// of source, why the file is believed to hold state, the schedule that loses it,
// and whether -fix can fix it.
func (p Printer) Text(w io.Writer, doc *Document, style Style) error {
	t := &texter{sources: newSources(p), timeline: style.Timeline, width: clamped(cmp.Or(style.Width, DefaultWidth)), columns: style.Width, line: ascii}
	if style.Boxes {
		t.line = boxes
	}
	t.use(style.Color)
	for i := range doc.Findings {
		if i > 0 {
			t.out.WriteByte('\n')
		}
		t.finding(&doc.Findings[i])
	}
	for i := range doc.Seen {
		if i+len(doc.Findings) > 0 {
			t.out.WriteByte('\n')
		}
		t.seen(&doc.Seen[i])
	}
	_, err := w.Write(t.out.Bytes())
	return err
}

// A texter is a text under construction.
type texter struct {
	out      bytes.Buffer
	sources  *sources
	timeline bool
	width    int
	columns  int // of the terminal; 0 if nobody knows, and then no line that programs may read is broken
	line     lines
	// The pens, which write plainly where there are no colours.
	place, bad, mild, faint, good func(...any) string
}

// The lines are what texts draw with: a vertical line, a step, the step that ends in
// the loss, and what stands for the rest of a line.
type lines struct{ vertical, step, loss, rest string }

var (
	ascii = lines{"|", "o", "x", "..."}
	boxes = lines{"│", "●", "✗", "…"}
)

func (t *texter) use(colors bool) {
	pen := func(attributes ...color.Attribute) func(...any) string {
		c := color.New(attributes...)
		if colors {
			c.EnableColor()
		} else {
			c.DisableColor()
		}
		return c.SprintFunc()
	}
	t.place, t.bad, t.mild = pen(color.Bold), pen(color.FgRed, color.Bold), pen(color.FgYellow)
	t.faint, t.good = pen(color.Faint), pen(color.FgGreen)
}

func (t *texter) finding(f *Finding) {
	kind := f.Category
	if f.Severity != Error {
		kind += ", " + string(f.Severity)
	}
	t.head(written(f.Pos)+":", printable.Text(f.Message), "("+kind+")")
	t.excerpt(f.Pos, f.End)
	evidence, schedule := evidenceRows(f), scheduleRows(f)
	column := max(placeWidth(evidence), placeWidth(schedule))
	t.section(printable.Text(f.Claim)+":", evidence, column)
	if !t.timeline || len(f.Schedule) == 0 || !t.lanes(f) {
		t.section("how it is lost:", schedule, column)
	}
	t.proof(f)
	switch {
	case f.Fix != nil:
		t.wrapped("  fix: ", f.Fix.Message, t.good)
	case f.NoFix != "":
		t.wrapped("  no fix: ", f.NoFix, t.faint)
	}
}

// head writes the place, the message and the kind of a finding: broken between words where
// the reader has a terminal, with the rest below the place.
func (t *texter) head(at, message, kind string) {
	lines := []string{message}
	if t.columns != 0 {
		// The place, whose name can have blanks, stays whole: a word of its width has it.
		word := strings.Repeat("x", displaywidth.String(at))
		lines = Wrap(word+" "+message, t.width-hang)
		if last := lines[len(lines)-1]; displaywidth.String(last+" "+kind) > t.width-hang {
			lines = append(lines, "")
		}
		lines[0] = strings.TrimPrefix(strings.TrimPrefix(lines[0], word), " ")
	}
	text := strings.Join(lines, "\n"+strings.Repeat(" ", hang))
	if lines[0] != "" {
		text = " " + text
	}
	if lines[len(lines)-1] != "" {
		text += " "
	}
	fmt.Fprintf(&t.out, "%s%s%s\n", t.place(at), text, t.mild(kind))
}

// hang is how far the rest of a wrapped line is indented.
const hang = 4

// excerpt writes the line at pos with the part up to end, or all of it from there, underlined.
func (t *texter) excerpt(pos, end *Pos) {
	source := t.sources.line(pos.File, pos.Line)
	if source == nil {
		return
	}
	line := string(source)
	from := min(pos.Column-1, len(line))
	to := len(line)
	if end != nil && end.Line == pos.Line {
		to = min(max(end.Column-1, from), len(line))
	}
	indent := len(line) - len(strings.TrimLeft(line, " \t"))
	indent = min(indent, from)
	before, marked, after := expand(line[indent:from]), expand(line[from:to]), expand(line[to:])
	number := fmt.Sprintf("%6d ", pos.Line)
	if t.columns != 0 {
		before, marked, after = t.cut(before, marked, after, max(t.columns, minWidth)-len(number+"| "))
	}
	fmt.Fprintf(&t.out, "%s%s%s%s\n", t.faint(number+t.line.vertical+" "), before, marked, after)
	underline := strings.Repeat("^", max(1, displaywidth.String(marked)))
	fmt.Fprintf(&t.out, "%s%s%s\n", t.faint(strings.Repeat(" ", len(number))+t.line.vertical+" "),
		strings.Repeat(" ", displaywidth.String(before)), t.bad(underline))
}

// cut is what of a source line has room in so many columns: what is marked, or its
// beginning, with what precedes it if there is room for all of that, and as much as possible of what follows.
func (t *texter) cut(before, marked, after string, room int) (string, string, string) {
	width := displaywidth.String
	if before != "" && width(before+marked+t.line.rest) > room {
		before = t.line.rest
	}
	room -= width(before)
	if left := room - width(marked); left >= width(t.line.rest) || left >= width(after) {
		return before, marked, displaywidth.TruncateString(after, left, t.line.rest)
	}
	return before, displaywidth.TruncateString(marked, room, t.line.rest), ""
}

// expand is a part of a source line as it is printed.
func expand(s string) string { return strings.ReplaceAll(printable.Text(s), "\t", "    ") }

// A row is a line of a section: its number or bullet, a place, a text.
type row struct {
	label, place, text string
}

func evidenceRows(f *Finding) []row {
	var rows []row
	for _, e := range f.Evidence {
		rows = append(rows, row{"-", Near(f, e.Pos), e.Text})
	}
	return rows
}

func scheduleRows(f *Finding) []row {
	var rows []row
	for i, s := range f.Schedule {
		rows = append(rows, row{fmt.Sprintf("%d.", i+1), Near(f, s.Pos), s.String()})
	}
	return rows
}

// Near is "file:line" of a place that explains a finding, printable, and empty
// without one.
// Beside the file of the finding, whose place is given in full, the name of the
// folder is left out.
func Near(f *Finding, pos *Pos) string {
	if pos == nil {
		return ""
	}
	name := pos.File
	if path.Dir(name) == path.Dir(f.Pos.File) {
		name = path.Base(name)
	}
	return fmt.Sprintf("%s:%d", printable.Text(name), pos.Line)
}

func placeWidth(rows []row) int {
	widest := 0
	for _, r := range rows {
		widest = max(widest, displaywidth.String(r.place))
	}
	return widest
}

// section writes a heading and its rows, the texts aligned behind the widest
// place of the finding.
func (t *texter) section(heading string, rows []row, column int) {
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(&t.out, "  %s\n", t.place(heading))
	for _, r := range rows {
		t.wrapped(fmt.Sprintf("    %-2s %s  ", r.label, padded(r.place, column)), r.text, t.faint)
	}
}

// padded is a text with blanks behind it up to a width.
func padded(text string, width int) string {
	return text + strings.Repeat(" ", max(width-displaywidth.String(text), 0))
}

// narrow is how few columns are too few for a text beside its lead.
const narrow = 28

// wrapped writes a lead with a pen and a text behind it, broken between words: below the
// lead where there is no room beside it.
func (t *texter) wrapped(lead, text string, pen func(...any) string) {
	const indent = "       "
	margin := displaywidth.String(lead)
	lines := Wrap(text, t.width-margin)
	if t.width-margin < narrow {
		fmt.Fprintln(&t.out, strings.TrimRight(pen(strings.TrimRight(lead, " ")), " "))
		lead, margin, lines = indent, len(indent), Wrap(text, t.width-len(indent))
	}
	for i, line := range lines {
		head := pen(lead)
		if i > 0 {
			head = strings.Repeat(" ", margin)
		}
		fmt.Fprintln(&t.out, strings.TrimRight(head+line, " "))
	}
}

// clamped is a width that can be read.
func clamped(width int) int { return min(max(width, minWidth), maxWidth) }

// Fold breaks the lines of a text that are wider than a terminal of so many columns; 0 is
// for none. The rest of a line stands below its text: behind the indentation, the mark of an
// item, and a first column; and so much further.
func Fold(text string, columns, further int) string {
	if columns == 0 {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		flat := strings.ReplaceAll(strings.TrimSuffix(line, "\n"), "\t", "        ")
		if displaywidth.String(flat) <= clamped(columns) {
			b.WriteString(flat + "\n")
			continue
		}
		lead := leading.FindString(flat)
		if clamped(columns)-len(lead) < narrow {
			lead = indentation.FindString(flat)
		}
		below := "\n" + strings.Repeat(" ", len(lead)+further)
		b.WriteString(lead + strings.Join(Wrap(flat[len(lead):], clamped(columns)-len(lead)-further), below) + "\n")
	}
	return b.String()
}

var (
	indentation = regexp.MustCompile(`^ *`)
	leading     = regexp.MustCompile(`^ *(- |\d  |\S+( \S+)*  +)?`)
)

// Wrap breaks a text between words into printable lines that are at most room columns
// wide. A longer word has a line of its own.
func Wrap(text string, room int) []string {
	lines, filled := []string{""}, 0
	for i, word := range strings.Fields(text) {
		word = printable.Text(word)
		width := displaywidth.String(word)
		last := &lines[len(lines)-1]
		switch {
		case i == 0:
			*last, filled = word, width
		case filled+1+width <= room:
			*last, filled = *last+" "+word, filled+1+width
		default:
			lines, filled = append(lines, word), width
		}
	}
	return lines
}
