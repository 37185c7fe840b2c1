// Package report writes findings for people and for programs. It knows how
// they look; it knows nothing of how they came about.
package report

import (
	"fmt"
	"go/token"
	"path/filepath"
	"strings"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/analyse"
)

// A Printer is what both forms of output share.
type Printer struct {
	// Dir is the directory to which names of files are relative.
	Dir string
}

// Path is the name of a file, relative to the directory if it is shorter so.
func (p Printer) Path(name string) string {
	if rel, err := filepath.Rel(p.Dir, name); err == nil && len(rel) < len(name) {
		name = rel
	}
	return filepath.ToSlash(name)
}

// Paths makes the absolute names of files below the directory relative in a
// text that others wrote.
func (p Printer) Paths(text string) string {
	return strings.ReplaceAll(text, p.Dir+string(filepath.Separator), "")
}

// near is "file:line" of a position that explains a finding, empty without a
// position. Beside the file of the finding, whose place is given in full, the
// name of the folder is left out.
func (p Printer) near(f *analyse.Found, pos token.Pos) string {
	if !pos.IsValid() {
		return ""
	}
	at := f.Pkg.Fset.Position(pos)
	name := p.Path(at.Filename)
	if filepath.Dir(at.Filename) == filepath.Dir(f.Position().Filename) {
		name = filepath.Base(name)
	}
	return fmt.Sprintf("%s:%d", name, at.Line)
}

// place is "file:line:column" of a finding.
func (p Printer) place(f *analyse.Found) string {
	at := f.Position()
	return fmt.Sprintf("%s:%d:%d", p.Path(at.Filename), at.Line, at.Column)
}

// Plural is a count and its noun.
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
