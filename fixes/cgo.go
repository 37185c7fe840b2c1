package fixes

import (
	"go/ast"
	"go/token"
	"path/filepath"

	"github.com/lockvet/lockvet/internal/cgo"
	"github.com/lockvet/lockvet/internal/pattern"
)

// made is what cgo made of a source, which is what was parsed. Text is taken from the
// source alone, and edits are made there: on lines that cgo left as they were, and
// clear of the import of "C" and its preamble.
type made struct {
	lines *cgo.Map
	// astray says that a plan asked for a place on a line that cgo changed.
	astray bool
}

const (
	byCgo  = refusal("the file is made by cgo")
	ofC    = refusal("cgo changes the code that would have to change")
	beside = refusal(`the edit would touch the import of "C" or its preamble`)
)

// unmake goes over from what cgo made to its source, whose name is given.
func (s *source) unmake(name string) error {
	if !filepath.IsAbs(name) {
		return byCgo // -trimpath: nobody knows where the source is
	}
	text, err := s.pass.ReadFile(name)
	if err != nil {
		return byCgo
	}
	lines, err := cgo.NewMap(s.pass.Fset, s.file, s.text, text)
	if err != nil {
		return byCgo
	}
	s.made = &made{lines: lines}
	s.text, s.tok = text, cgo.FileOf(s.pass.Fset, name, text)
	// The comments on lines that cgo changed are its own, or stand where nothing is
	// edited.
	file := *s.file
	file.Comments = nil
	for _, g := range s.file.Comments {
		if s.made.known(g) {
			file.Comments = append(file.Comments, g)
		}
	}
	s.file = &file
	return nil
}

// offset is the place of a position in the source.
func (m *made) offset(p token.Pos) int {
	at, known := m.lines.Offset(p)
	m.astray = m.astray || !known
	return at
}

// known reports whether a node begins and ends on lines that cgo left as they were.
func (m *made) known(n ast.Node) bool {
	if m == nil {
		return true
	}
	_, from := m.lines.Offset(n.Pos())
	_, to := m.lines.Offset(n.End())
	return from && to
}

// begin begins a plan, or the finish of some.
func (m *made) begin() {
	if m != nil {
		m.astray = false
	}
}

// reason is why there is no plan: what cgo changed, where the proof has met that.
func (m *made) reason(err error) error {
	if m != nil && m.astray {
		return ofC
	}
	return err
}

// checked refuses a plan that rests on what cgo changed.
func (s *source) checked(p *plan) (*plan, error) {
	if s.made == nil {
		return p, nil
	}
	for _, e := range p.edits {
		if !s.made.lines.Same(e.start, e.end) {
			return nil, ofC
		}
	}
	if err := s.made.allows(p.edits); err != nil {
		return nil, err
	}
	return p, nil
}

// allows says why edits, those of imports among them, must not be made.
func (m *made) allows(edits []edit) error {
	if m == nil {
		return nil
	}
	if m.astray {
		return ofC
	}
	for _, e := range edits {
		if !m.lines.Clear(e.start, e.end) {
			return beside
		}
		if mangled.MatchString(e.text) {
			return ofC
		}
	}
	return nil
}

// mangled are the names by which cgo's output speaks of C; a source has none.
var mangled = pattern.New(`\b_(C(func|type|var|macro|iconst|fconst|sconst|fpvar|cgo)?_|cgo|Cgo)`)
