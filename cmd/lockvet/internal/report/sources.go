package report

import (
	"bytes"
	"unicode/utf8"

	"github.com/lockvet/lockvet/internal/untrusted"
)

// sources are the files that findings stand in, each read once. A file that
// cannot be read is as good as empty: places in it are then given as they are.
type sources struct {
	printer Printer
	files   map[string][]byte
}

func newSources(p Printer) *sources {
	return &sources{printer: p, files: make(map[string][]byte)}
}

// Sources returns a reader of files by their names in a document, which reads
// each once and returns nil where one cannot be read.
func (p Printer) Sources() func(name string) []byte { return newSources(p).content }

// content is a file by its name in a document.
func (s *sources) content(name string) []byte {
	content, read := s.files[name]
	if !read {
		content, _ = untrusted.ReadFile(s.printer.Abs(name), untrusted.MaxSource)
		s.files[name] = content
	}
	return content
}

// line is a line of a file without its end, nil if there is none.
func (s *sources) line(name string, number int) []byte {
	lines := bytes.Split(s.content(name), []byte("\n"))
	if number < 1 || len(lines) < number {
		return nil
	}
	return bytes.TrimSuffix(lines[number-1], []byte("\r"))
}

// column is the column of a place in code points.
func (s *sources) column(pos *Pos) int {
	line := s.line(pos.File, pos.Line)
	if len(line) < pos.Column-1 {
		return pos.Column
	}
	return utf8.RuneCount(line[:pos.Column-1]) + 1
}

// at is the line and the column, in code points, of an offset.
func (s *sources) at(name string, offset int) (line, column int) {
	content := s.content(name)
	before := content[:min(offset, len(content))]
	start := bytes.LastIndexByte(before, '\n') + 1
	return bytes.Count(before, []byte("\n")) + 1, utf8.RuneCount(before[start:]) + 1
}
