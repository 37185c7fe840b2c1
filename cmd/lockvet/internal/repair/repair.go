// Package repair takes findings to the end state that their fixes ask for: in
// memory, until nothing is left to fix, and never further than the code
// compiles. It knows which files may be edited and how they are written; it
// knows nothing of what a fix means.
package repair

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
	"znkr.io/diff"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/analyse"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/edit"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/load"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/supply"
)

// patience is how many rounds may leave as many fixes to make as the round
// before. Overlapping fixes need a round each; fixes that bring each other
// back never end.
const patience = 3

// A Fixer is what it takes to fix packages.
type Fixer struct {
	// Runner is what analysed the packages under repair. It does so again after each
	// round of edits.
	Runner analyse.Runner
	// Gate says which files may be edited.
	Gate *Gate
	// Supply is how a package reaches safeio.
	Supply func(*packages.Package) supply.Supply
	// Version is the version that a copy of safeio is marked with.
	Version string
	// Before are the calls that wait for a lock which the caller has, as they are
	// before the repair: see [analyse.Outcome].
	Before []load.Problem
	// Choose, if not nil, gives the findings of each round the fixes that were decided upon, and takes from them
	// the others. Content is what a file holds by then.
	Choose func(found []*analyse.Found, content func(name string) []byte)
}

// An Outcome is what became of the findings.
type Outcome struct {
	// Fixed are the findings that an edit removed, Left the others.
	Fixed, Left []*analyse.Found
	// Changes are the files of the end state, sorted by name.
	Changes []Change
	// Required are the modules that require safeio from now on.
	Required []supply.Supply
	// PutBack are the packages and fixes that were taken back.
	PutBack []PutBack

	disk map[string][]byte // what edited files held
	// seen is for each fixed finding where to look for the text of a file, the
	// first that has it, before it is looked for on disk.
	seen [][]map[string][]byte
}

// Seen is a file as the fixed finding of that index saw it, nil where it cannot
// be read.
func (o *Outcome) Seen(index int, name string) []byte {
	for _, files := range o.seen[index] {
		if content, ok := files[name]; ok {
			return content
		}
	}
	return ContentOnDisk(name)
}

// Line is where a line of a file that the fixed finding of that index saw is by now: in what is on disk.
func (o *Outcome) Line(index int, name string, line int) int {
	lines := func(content []byte) []string { return strings.SplitAfter(string(content), "\n") }
	shift := 0
	for _, h := range diff.Hunks(lines(o.Seen(index, name)), lines(ContentOnDisk(name)), diff.Context(0)) {
		switch at := line - 1; {
		case at < h.PosX:
			return line + shift
		case at < h.EndX: // it was edited, and is one of those that took the place
			return min(h.PosY+at-h.PosX, max(h.PosY, h.EndY-1)) + 1
		}
		shift = h.EndY - h.EndX
	}
	return line + shift
}

// Then adds what a later repair made of the same packages.
func (o *Outcome) Then(next *Outcome) {
	for i := range o.seen {
		o.seen[i] = append(o.seen[i], next.disk)
	}
	o.seen = append(o.seen, next.seen...)
	o.Fixed = append(o.Fixed, next.Fixed...)
	o.Changes = append(o.Changes, next.Changes...)
	o.Required = append(o.Required, next.Required...)
	o.Left, o.PutBack = next.Left, next.PutBack
}

// A PutBack is a package that keeps its old text, or a fix that was not made,
// because of a problem that the edits brought.
type PutBack struct {
	// Package is the import path.
	Package string
	// Func is the function whose fix was dropped; empty if the whole package
	// was put back.
	Func    string
	Problem string
}

// Fix finds the end state. Found are the findings in pkgs, which compile, with
// what is known of the packages that they import.
func (m Fixer) Fix(pkgs, imported []*packages.Package, found []*analyse.Found) (*Outcome, error) {
	w, err := m.begin(pkgs, imported)
	if err != nil {
		return nil, err
	}
	stalled, before := 0, len(found)+1
	for {
		w.withhold(found)
		r := w.apply(found)
		if len(r.made) == 0 && !w.unchecked {
			return w.outcome(found)
		}
		if len(r.made) >= before {
			stalled++
		}
		before = len(r.made)
		if stalled > patience {
			w.undo(r, "its fixes bring each other back")
		}
		if found, err = w.reconcile(r); err != nil {
			return nil, err
		}
	}
}

// begin takes stock of the packages under repair before the first edit.
func (m Fixer) begin(pkgs, imported []*packages.Package) (*work, error) {
	w := &work{
		Fixer:    m,
		named:    make(map[string]bool),
		imported: make(map[string]bool),
		packages: make(map[string]*packages.Package),
		disk:     make(map[string][]byte),
		now:      make(map[string][]byte),
		copies:   make(map[string]*safeioCopy),
		required: make(map[string]supply.Supply),
		barred:   make(map[fixKey]string),
		back:     make(map[string]bool),
	}
	for _, p := range imported {
		w.imported[p.ID] = true
	}
	for _, p := range pkgs {
		w.named[p.ID] = true
		for _, name := range p.GoFiles {
			w.packages[filepath.Dir(name)] = p
		}
		if err := w.addCopy(p); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// A safeioCopy is the copy of safeio in one module.
type safeioCopy struct {
	*supply.Copy
	of    supply.Supply
	stale bool              // one of its files is not current
	all   map[string][]byte // what makes it a copy of all of safeio
}

// addCopy takes stock of the copy of safeio in the module of a package. A copy
// that is there but not current is brought up to date with the first edits.
func (w *work) addCopy(p *packages.Package) error {
	s := w.Supply(p)
	if s.Files != nil {
		w.required[s.Module] = s
	}
	if s.Copy == "" || w.copies[s.Copy] != nil {
		return nil
	}
	on, err := s.Wanted()
	if err != nil {
		return nil // the gate says so on each finding that would need it
	}
	c := &safeioCopy{Copy: on, of: s}
	if c.all, err = on.All(w.Version); err != nil {
		return err
	}
	if on.Exists() {
		changes, err := on.Changes(nil, w.Version)
		if err != nil {
			return err
		}
		c.stale = len(changes) > 0
	}
	w.copies[s.Copy] = c
	w.unchecked = w.unchecked || c.stale
	return nil
}

// Alone is what the fix of a finding makes of files by itself, with what that needs of a copy of safeio.
func Alone(f *analyse.Found, s supply.Supply, version string) (changes []Change, err error) {
	var called []string
	for name, edits := range fixOf(f) {
		c := Change{Name: name, Old: ContentOnDisk(name)}
		c.New = edit.Made(c.Old, edits)
		changes = append(changes, c)
		called = append(called, supply.Called(c.New, s.ImportPath)...)
	}
	slices.SortFunc(changes, Change.compare)
	if s.Copy == "" || len(called) == 0 {
		return changes, nil
	}
	c, err := s.Read()
	if err != nil {
		return nil, err
	}
	more, err := copied(c, s.Copy, called, version)
	return append(changes, more...), err
}

// copied is what changes in the copy of safeio in a folder, for files that call these functions of it.
func copied(c *supply.Copy, dir string, called []string, version string) (changes []Change, err error) {
	files, err := c.Changes(called, version)
	for name, content := range files {
		changes = append(changes, Change{Name: name, Old: ContentOnDisk(name), New: content, Copy: dir})
	}
	return changes, err
}

// called are the functions of the package at importPath that fixed files name.
func (w *work) called(importPath string) (all []string) {
	for _, content := range w.now {
		all = append(all, supply.Called(content, importPath)...)
	}
	return all
}

// outcome sums up when nothing is left to apply.
func (w *work) outcome(left []*analyse.Found) (*Outcome, error) {
	out := &Outcome{Left: left, PutBack: w.putBacks, disk: w.disk}
	for _, m := range w.applied {
		out.Fixed = append(out.Fixed, m.found)
		out.seen = append(out.seen, []map[string][]byte{m.seen, w.disk})
	}
	for name, content := range w.now {
		out.Changes = append(out.Changes, Change{Name: name, Old: w.disk[name], New: content})
	}
	for dir, c := range w.copies {
		if !c.Exists() && !w.isImported(c.of.ImportPath, c.of.Module) {
			continue
		}
		changes, err := copied(c.Copy, dir, w.called(c.of.ImportPath), w.Version)
		if err != nil {
			return nil, err
		}
		out.Changes = append(out.Changes, changes...)
	}
	for _, s := range w.required {
		if !w.isImported(s.ImportPath, s.Module) {
			continue
		}
		out.Required = append(out.Required, s)
		for name, content := range s.Files {
			out.Changes = append(out.Changes, Change{Name: name, Old: ContentOnDisk(name), New: content, First: true})
		}
	}
	slices.SortFunc(out.Required, func(a, b supply.Supply) int { return strings.Compare(a.Module, b.Module) })
	slices.SortFunc(out.Changes, Change.compare)
	return out, nil
}

// overlay is the end state so far, as the go command must see it.
func (w *work) overlay() map[string][]byte {
	overlay := maps.Clone(w.now)
	for _, c := range w.copies {
		maps.Copy(overlay, c.all)
	}
	for _, s := range w.required {
		maps.Copy(overlay, s.Files)
	}
	return overlay
}
