package report

import (
	"bytes"
	"os"
	"path/filepath"
	"unicode/utf8"
)

// sources are the files that findings stand in, each read once. A file that
// cannot be read is as good as empty: places in it are then given as they are.
type sources struct {
	dir   string
	files map[string][]byte
}

func newSources(dir string) *sources {
	return &sources{dir: dir, files: make(map[string][]byte)}
}

// content is a file by its name in a document.
func (s *sources) content(name string) []byte {
	content, read := s.files[name]
	if !read {
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(s.dir, path)
		}
		content, _ = os.ReadFile(path)
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
