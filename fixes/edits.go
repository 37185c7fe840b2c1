package fixes

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/scanner"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/tools/go/analysis"

	"github.com/lockvet/lockvet/fixes/prove"
	"github.com/lockvet/lockvet/internal/cgo"
)

// An edit replaces the text between two offsets of a file.
type edit struct {
	start, end int
	text       string
	tok        *token.File
}

func (e edit) textEdit() analysis.TextEdit {
	return analysis.TextEdit{Pos: e.tok.Pos(e.start), End: e.tok.Pos(e.end), NewText: []byte(e.text)}
}

// overlapping reports whether two fixes cannot stand side by side: they share
// text without being equal there.
func overlapping(xs, ys []edit) bool {
	return slices.ContainsFunc(xs, func(x edit) bool {
		return slices.ContainsFunc(ys, func(y edit) bool { return x != y && x.touches(y) })
	})
}

// touches reports whether applying both edits depends on their order.
func (e edit) touches(o edit) bool {
	if e.start == o.start {
		return e.start == e.end == (o.start == o.end) || e.end > o.start && o.end > e.start
	}
	return e.start < o.end && o.start < e.end
}

// A source is one file that is fixed.
type source struct {
	pass Pass
	file *ast.File
	tok  *token.File
	text []byte
	// tidy: the file is as gofmt leaves it, line endings aside, so that what
	// is fixed has to be too.
	tidy func() bool
	crlf bool
	// safeio is the name under which fixed code calls package safeio; added
	// says that the file must import it.
	safeio string
	added  bool
	proofs *prove.File

	pkgUses map[types.Object][]*ast.Ident     // see usesOf, nil until it is asked
	divided []stretch                         // see parts, nil until it is asked
	imports struct{ plain, formatted []edit } // the edits of imports last formatted
}

// load reads the file and finds the name of safeio in it.
func load(pass Pass, file *ast.File) (*source, error) {
	tok := pass.Fset.File(file.FileStart)
	s := &source{pass: pass, file: file, tok: tok}
	if pass.Pkg.Path() == pass.SafeioPath {
		return nil, refusal("package safeio cannot import itself")
	}
	for _, spec := range file.Imports {
		switch {
		case spec.Path.Value == `"C"`:
			return nil, refusal("the file uses cgo")
		case prove.ImportName(pass, spec) == ".":
			return nil, refusal("the file has a dot import")
		}
	}
	text, err := pass.ReadFile(tok.Name())
	if err != nil {
		return nil, refusal("its source cannot be read: " + err.Error())
	}
	if len(text) != tok.Size() {
		return nil, refusal("its source has changed since it was parsed")
	}
	s.text = text
	if _, ok := cgo.Original(pass.Fset, file); ok {
		return nil, refusal("the file is made by cgo")
	}
	s.crlf = bytes.Contains(text, []byte("\r\n"))
	plain := s.plain(text)
	s.tidy = sync.OnceValue(func() bool {
		formatted, err := format.Source(plain)
		return err == nil && bytes.Equal(formatted, plain) && bytes.Equal(s.ended(plain), text)
	})
	s.proofs = prove.New(pass, s.file, s.text)
	s.safeio, s.added = s.proofs.Safeio()
	return s, nil
}

// offset is the place of a position in the text.
func (s *source) offset(p token.Pos) int { return s.tok.Offset(p) }

func (s *source) lineStart(at int) int {
	return bytes.LastIndexByte(s.text[:at], '\n') + 1
}

// lineEnd is the end of the line without what ends it.
func (s *source) lineEnd(at int) int {
	n := bytes.IndexByte(s.text[at:], '\n')
	if n < 0 {
		return len(s.text)
	}
	end := at + n
	if end > at && s.text[end-1] == '\r' {
		end--
	}
	return end
}

func (s *source) nextLine(at int) int {
	n := bytes.IndexByte(s.text[at:], '\n')
	if n < 0 {
		return len(s.text)
	}
	return at + n + 1
}

// blankBefore reports whether the line before a line's start is blank.
func (s *source) blankBefore(begin int) bool {
	if begin == 0 {
		return true
	}
	return len(bytes.TrimSpace(s.text[s.lineStart(begin-1):begin])) == 0
}

// apply gives the text with the edits in it. Equal edits count once; an edit
// that lies within another is dropped, as what it edits is gone.
func (s *source) apply(edits []edit) []byte {
	text, _ := s.applyIn(stretch{0, len(s.text)}, outermost(edits))
	return text
}

// applyIn gives a part of the text with edits in it, which are outermost; false where
// they take away what follows it.
func (s *source) applyIn(p stretch, edits []edit) ([]byte, bool) {
	var out bytes.Buffer
	at := p.from
	for i, e := range edits {
		out.Write(s.text[at:e.start])
		out.WriteString(s.endedText(e.text))
		at = e.end
		line := s.nextLine(s.lineEnd(at))
		blank := len(bytes.TrimSpace(s.text[at:line])) == 0
		if e.text == "" && blank && endsSection(out.Bytes()) && (i+1 == len(edits) || line <= edits[i+1].start) {
			at = line
		}
	}
	if at > p.to {
		return nil, false
	}
	out.Write(s.text[at:p.to])
	return out.Bytes(), true
}

// endsSection reports whether text ends in a blank line or with the line that
// opens a block, so that a blank line behind it is one too many.
func endsSection(text []byte) bool {
	line := bytes.TrimRight(text, "\n\r\t ")
	return bytes.HasSuffix(text, []byte("\n")) &&
		(bytes.HasSuffix(line, []byte("{")) || bytes.Count(text[len(line):], []byte("\n")) > 1)
}

// outermost sorts edits and drops the repeated and the contained.
func outermost(edits []edit) []edit {
	sorted := append([]edit(nil), edits...)
	sort.SliceStable(sorted, func(i, j int) bool {
		if sorted[i].start != sorted[j].start {
			return sorted[i].start < sorted[j].start
		}
		// An insertion comes before what is replaced at its place.
		iIns, jIns := sorted[i].end == sorted[i].start, sorted[j].end == sorted[j].start
		if iIns != jIns {
			return iIns
		}
		return sorted[i].end > sorted[j].end
	})
	var out []edit
	for _, e := range sorted {
		if n := len(out); n > 0 && (e == out[n-1] || e.start < out[n-1].end) {
			continue
		}
		out = append(out, e)
	}
	return out
}

func (s *source) plain(text []byte) []byte {
	if !s.crlf {
		return text
	}
	return bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
}

func (s *source) ended(text []byte) []byte {
	if !s.crlf {
		return text
	}
	return bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))
}

// finish completes the edits of a plan, which leave some imports unused, with those
// of the imports. Both are formatted, each for itself, so that the imports' edits
// depend on nothing but which imports come and go.
func (s *source) finish(edits []edit, unused []int) ([]edit, error) {
	imports, err := s.importEdits(unused, s.asks(edits))
	if err != nil {
		return nil, err
	}
	imports, err = s.formattedImports(imports)
	if err != nil {
		return nil, err
	}
	body, err := s.formatted(edits)
	if err != nil {
		return nil, err
	}
	return slices.Concat(imports, body), nil
}

// formattedImports is formatted for edits of imports, which are the same for most
// plans of a file.
func (s *source) formattedImports(edits []edit) ([]edit, error) {
	if slices.Equal(edits, s.imports.plain) {
		return s.imports.formatted, nil
	}
	formatted, err := s.formatted(edits)
	if err != nil {
		return nil, err
	}
	s.imports.plain, s.imports.formatted = slices.Clone(edits), formatted
	return formatted, nil
}

// asks lists the packages, safeio and those of the program, that what the edits write names and
// that the file does not import yet, as its imports write them.
func (s *source) asks(edits []edit) []string {
	missing := maps.Clone(s.proofs.Imports())
	if s.added {
		missing[s.safeio] = s.pass.SafeioPath
	}
	var specs []string
	for called := range qualified(edits) {
		name, _, _ := strings.Cut(called, ".")
		path, ok := missing[name]
		if spec := strconv.Quote(path); ok {
			if !strings.HasSuffix(path, name) {
				spec = name + " " + spec
			}
			specs = append(specs, spec)
			delete(missing, name)
		}
	}
	slices.Sort(specs)
	return specs
}

// qualified are the names of the form x.Y that edits write, comments aside.
func qualified(edits []edit) map[string]bool {
	names := make(map[string]bool)
	for _, e := range edits {
		var s scanner.Scanner
		s.Init(token.NewFileSet().AddFile("", -1, len(e.text)), []byte(e.text), nil, 0)
		var last [2]string
		for {
			_, tok, lit := s.Scan()
			if tok == token.EOF {
				break
			}
			if tok == token.IDENT && last[1] == "." {
				names[last[0]+"."+lit] = true
			}
			if tok == token.PERIOD {
				lit = "."
			}
			last = [2]string{last[1], lit}
		}
	}
	return names
}
