package page

import (
	"bytes"
	"cmp"
	"fmt"
	"go/scanner"
	"go/token"
	"slices"
	"strings"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/report"
	"github.com/lockvet/lockvet/internal/printable"
)

// A text is a source file, ready to be shown in parts.
type text struct {
	content []byte
	file    *token.File
	words   []span
}

// A span is a part of a text that looks different.
type span struct {
	start, end int
	class      string
}

// A segment is a part of a line that looks the same.
type segment struct {
	Class, Text string
}

// textKey tells the versions of a file apart.
type textKey struct {
	name string
	at   *byte
}

// text is a file that was read, looked at once; nil where it could not be read.
func (b *builder) text(name string, content []byte) *text {
	if len(content) == 0 {
		return nil
	}
	key := textKey{name, &content[0]}
	t := b.texts[key]
	if t == nil {
		t = newText(content)
		b.texts[key] = t
	}
	return t
}

// newText finds the comments, strings and keywords of a Go source.
func newText(content []byte) *text {
	t := &text{content: content, file: token.NewFileSet().AddFile("", -1, len(content))}
	var s scanner.Scanner
	s.Init(t.file, content, func(token.Position, string) {}, scanner.ScanComments)
	for {
		pos, tok, lit := s.Scan()
		class := ""
		switch {
		case tok == token.EOF:
			return t
		case tok == token.COMMENT:
			class = "c"
		case tok == token.STRING || tok == token.CHAR:
			class = "s"
		case tok.IsKeyword():
			class = "k"
		default:
			continue
		}
		// The scanner leaves carriage returns out of what it returns: then the
		// span ends early, which only costs some colour.
		start := t.file.Offset(pos)
		t.words = append(t.words, span{start, start + len(lit), class})
	}
}

// lines is how many lines the text has.
func (t *text) lines() int { return t.file.LineCount() }

// bounds are the offsets of a line without its end.
func (t *text) bounds(number int) (start, end int) {
	start, end = t.file.Offset(t.file.LineStart(number)), len(t.content)
	if number < t.lines() {
		end = t.file.Offset(t.file.LineStart(number + 1))
	}
	return start, start + len(bytes.TrimRight(t.content[start:end], "\r\n"))
}

// indent is how many tabs all lines of a window begin with that are not empty.
func (t *text) indent(w window) int {
	least := -1
	for n := w.from; n <= w.to; n++ {
		start, end := t.bounds(n)
		l := t.content[start:end]
		if tabs := len(l) - len(bytes.TrimLeft(l, "\t")); len(l) > 0 && (least < 0 || tabs < least) {
			least = tabs
		}
	}
	return max(least, 0)
}

// segments cuts a line, without the first bytes of it, where its looks change.
// The part from mark to markEnd has the class m as well.
func (t *text) segments(number, skip, mark, markEnd int) []segment {
	start, end := t.bounds(number)
	start = min(start+skip, end)
	i, _ := slices.BinarySearchFunc(t.words, start, func(w span, at int) int { return cmp.Compare(w.end, at+1) })
	var all []segment
	for at := start; at < end; {
		next, class := end, ""
		if i < len(t.words) && t.words[i].start <= at {
			next, class = min(t.words[i].end, end), t.words[i].class
		} else if i < len(t.words) {
			next = min(t.words[i].start, end)
		}
		switch {
		case mark <= at && at < markEnd:
			next, class = min(next, markEnd), strings.TrimSpace("m "+class)
		case at < mark && mark < markEnd:
			next = min(next, mark)
		}
		all = append(all, segment{class, printable.Text(string(t.content[at:next]))})
		if at = next; i < len(t.words) && t.words[i].end <= at {
			i++
		}
	}
	return all
}

// A line of an excerpt.
type line struct {
	ID       string
	Number   int
	Hit      bool
	Steps    string
	Segments []segment
}

// An excerpt is some lines of one file.
type excerpt struct {
	File  string
	Title string
	Lines []line
}

const (
	around     = 4 // lines before and behind a finding
	aroundStep = 2 // the same of a step that is elsewhere
	longest    = 30
)

// An excerpter cuts out what a finding speaks of.
type excerpter struct {
	f    *report.Finding
	key  string
	file func(string) *text
	ids  map[spot]string // of the lines that are shown
}

// A spot is a line of a file.
type spot struct {
	file string
	line int
}

// A window is a range of lines of one file.
type window struct {
	file     string
	from, to int
}

// excerpts are the lines around the finding, and those around the steps that
// happen elsewhere.
func (x *excerpter) excerpts() (main *excerpt, folds []excerpt) {
	x.ids = make(map[spot]string)
	hit := x.hit()
	windows := x.windows()
	i := slices.IndexFunc(windows, func(w window) bool { return w.has(hit.file, hit.from) })
	if i >= 0 {
		main = &excerpt{File: printable.Text(hit.file), Lines: x.lines(x.file(hit.file), windows[i])}
		windows = slices.Delete(windows, i, i+1)
	}
	for _, w := range windows {
		folds = append(folds, excerpt{File: printable.Text(w.file), Title: x.title(w), Lines: x.lines(x.file(w.file), w)})
	}
	return main, folds
}

// hit is the lines of the finding, or the first of them where they are many.
func (x *excerpter) hit() window {
	w := window{x.f.Pos.File, x.f.Pos.Line, x.f.Pos.Line}
	if end := x.f.End; end != nil && end.File == x.f.Pos.File {
		w.to = min(max(end.Line, w.from), w.from+longest)
	}
	return w
}

// windows are the lines of the finding and of the steps with those around them, in order of the files and lines; those
// that touch are one.
func (x *excerpter) windows() []window {
	var all []window
	add := func(w window, around int) {
		if t := x.file(w.file); t != nil && w.from <= t.lines() {
			all = append(all, window{w.file, max(1, w.from-around), min(t.lines(), w.to+around)})
		}
	}
	add(x.hit(), around)
	for _, s := range x.f.Schedule {
		if s.Pos != nil {
			add(window{s.Pos.File, s.Pos.Line, s.Pos.Line}, aroundStep)
		}
	}
	slices.SortFunc(all, func(a, b window) int {
		return cmp.Or(strings.Compare(a.file, b.file), a.from-b.from, a.to-b.to)
	})
	var merged []window
	for _, w := range all {
		if n := len(merged); n > 0 && merged[n-1].file == w.file && w.from <= merged[n-1].to+1 {
			merged[n-1].to = max(merged[n-1].to, w.to)
			continue
		}
		merged = append(merged, w)
	}
	return merged
}

// title says which steps are in a window.
func (x *excerpter) title(w window) string {
	var at []string
	for _, s := range x.f.Schedule {
		if s.Pos != nil && w.has(s.Pos.File, s.Pos.Line) && !slices.Contains(at, report.Near(x.f, s.Pos)) {
			at = append(at, report.Near(x.f, s.Pos))
		}
	}
	steps := x.steps(w)
	noun := "step "
	if len(steps) > 1 {
		noun = "steps "
	}
	return strings.Join(at, ", ") + ": " + noun + strings.Join(steps, ", ")
}

// has reports whether a line is in a window.
func (w window) has(file string, line int) bool {
	return file == w.file && w.from <= line && line <= w.to
}

// steps are the numbers of the steps that happen in a window.
func (x *excerpter) steps(w window) (all []string) {
	for i, s := range x.f.Schedule {
		if s.Pos != nil && w.has(s.Pos.File, s.Pos.Line) {
			all = append(all, fmt.Sprint(i+1))
		}
	}
	return all
}

func (x *excerpter) lines(t *text, w window) []line {
	var all []line
	indent := t.indent(w)
	for n := w.from; n <= w.to; n++ {
		l := line{Number: n, Steps: strings.Join(x.steps(window{w.file, n, n}), ","), Hit: x.hit().has(w.file, n)}
		at := spot{w.file, n}
		if (l.Hit || l.Steps != "") && x.ids[at] == "" {
			l.ID = fmt.Sprintf("%s-%d", x.key, len(x.ids)+1)
			x.ids[at] = l.ID
		}
		mark, end := x.mark(t, n, l.Hit)
		l.Segments = t.segments(n, indent, mark, end)
		all = append(all, l)
	}
	return all
}

// mark is the part of a line that the finding is about, without the white space
// around it.
func (x *excerpter) mark(t *text, number int, hit bool) (from, to int) {
	if !hit {
		return 0, 0
	}
	start, end := t.bounds(number)
	from, to = start, end
	if number == x.f.Pos.Line {
		from = min(start+x.f.Pos.Column-1, end)
	}
	if e := x.f.End; e != nil && e.File == x.f.Pos.File && number == e.Line {
		to = min(start+e.Column-1, end)
	}
	part := t.content[from:max(from, to)]
	from += len(part) - len(bytes.TrimLeft(part, " \t"))
	return from, to
}

// place names a place for the reader.
func (x *excerpter) place(pos *report.Pos) place {
	if pos == nil {
		return place{}
	}
	return place{report.Near(x.f, pos), x.ids[spot{pos.File, pos.Line}]}
}

// single is one line of source, nil where it cannot be had.
func (x *excerpter) single(pos *report.Pos) *line {
	if pos == nil {
		return nil
	}
	t := x.file(pos.File)
	if t == nil || pos.Line > t.lines() {
		return nil
	}
	segments := t.segments(pos.Line, 0, 0, 0)
	if len(segments) > 0 {
		segments[0].Text = strings.TrimLeft(segments[0].Text, " \t")
	}
	return &line{Number: pos.Line, Segments: segments}
}
