// Package report writes findings for people and for programs. It knows how
// they look; it knows nothing of how they came about.
package report

import (
	"fmt"
	"go/ast"
	"go/types"
	"path/filepath"
	"strings"

	"github.com/lockvet/lockvet/internal/witness"
)

// A Printer is what all forms of output share.
type Printer struct {
	// Dir is the directory to which names of files are relative.
	Dir string
	// Severities are what findings count.
	Severities Severities
	// Version is that of lockvet.
	Version string
	// Proofs are what the execution of schedules has shown, by the fingerprints of the findings, and ProofsAfter what
	// it has shown after the fixes.
	Proofs, ProofsAfter map[string]witness.Proof
}

// Path is the name of a file, relative to the directory if it is shorter so.
func (p Printer) Path(name string) string {
	if rel, err := filepath.Rel(p.Dir, name); err == nil && len(rel) < len(name) {
		name = rel
	}
	return filepath.ToSlash(name)
}

// Abs is the name under which a file that a document names can be opened.
func (p Printer) Abs(name string) string {
	if name = filepath.FromSlash(name); filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(p.Dir, name)
}

// Paths makes the absolute names of files below the directory relative in a
// text that others wrote.
func (p Printer) Paths(text string) string {
	return strings.ReplaceAll(text, p.Dir+string(filepath.Separator), "")
}

// FuncName is a function as a reader would write it: "save", "(*Store).save".
func FuncName(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return d.Name.Name
	}
	typ, _, _ := strings.Cut(types.ExprString(d.Recv.List[0].Type), "[")
	return "(" + typ + ")." + d.Name.Name
}

// Plural is a count and its noun.
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Enumerate names the first few of a list, and counts the others.
func Enumerate(names []string) string {
	const few = 5
	if len(names) <= few+1 {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:few], ", "), len(names)-few)
}
