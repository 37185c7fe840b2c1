package repair

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"golang.org/x/tools/go/packages"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/analyse"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/edit"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/load"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/report"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/supply"
)

// work is a repair under way.
type work struct {
	Fixer
	named    map[string]bool              // IDs of the packages under repair
	imported map[string]bool              // IDs, which are import paths, of those analysed for what they export
	packages map[string]*packages.Package // those under repair, by folder
	disk     map[string][]byte            // what edited files hold on disk
	now      map[string][]byte            // what they are to hold
	copies   map[string]*safeioCopy       // by folder
	required map[string]supply.Supply     // by path of the module that is to require safeio
	applied  []*application
	barred   map[fixKey]string // fixes that must not be made again, and why
	back     map[string]bool   // import paths of packages that were put back
	putBacks []PutBack
	broken   map[string]bool // IDs that did not compile before the repair
	graph    load.ImportGraph
	waits    []load.Problem // the calls that wait for a lock which the caller has

	// unchecked says that the overlay holds something that was not compiled
	// yet, even if no fix is applied.
	unchecked bool
}

// A application is one fix that was applied.
type application struct {
	found *analyse.Found
	key   fixKey
	pkg   string            // import path
	edits map[inFunc]bool   // the functions that it edits
	seen  map[string][]byte // the files that had been edited before it
}

// inFunc is a function in a file; no function for what is outside of all.
type inFunc struct {
	file, fn string
}

// A fixKey names a fix across rounds, in which its position changes.
type fixKey struct {
	file, fn, category, text string
}

// A round is the fixes that were applied together, and what they changed.
type round struct {
	found   []*analyse.Found  // the findings that it began with
	before  map[string][]byte // w.now
	applied []*application    // w.fixed
	made    []*application
}

// withhold takes from the findings the fixes that must not be made (again).
func (w *work) withhold(found []*analyse.Found) {
	if w.Choose != nil {
		w.Choose(found, w.content)
	}
	w.Gate.Withhold(found)
	for _, f := range found {
		if f.Fix == nil {
			continue
		}
		if reason, barred := w.barred[w.key(f)]; barred {
			withhold(f, "the edit was taken back: "+reason)
		} else if w.back[load.BasePath(f.FixedIn)] {
			withhold(f, "the package was put back")
		}
	}
}

// apply makes the fixes that do not overlap.
func (w *work) apply(found []*analyse.Found) *round {
	r := &round{found: found, before: maps.Clone(w.now), applied: slices.Clone(w.applied)}
	var plan edit.Plan
	names := make(map[string]map[string]string)
	for _, f := range found {
		if f.Fix == nil || !plan.Add(fixOf(f)) {
			continue // an overlapping fix is offered again in the next round
		}
		m := &application{found: f, key: w.key(f), pkg: load.BasePath(f.FixedIn), edits: make(map[inFunc]bool), seen: r.before}
		r.made = append(r.made, m)
		for _, e := range f.Fix.TextEdits {
			file := f.FixedIn.Fset.File(e.Pos)
			m.edits[inFunc{file.Name(), funcAt(w.content(file.Name()), file.Line(e.Pos))}] = true
			names[file.Name()] = importNames(f.FixedIn, w.content(file.Name()))
		}
	}
	for name, edits := range plan.Files() {
		if w.disk[name] == nil {
			w.disk[name] = ContentOnDisk(name)
		}
		text := edit.Apply(w.content(name), edits)
		text = edit.DropUnusedImports(text, names[name])
		w.now[name] = edit.StyleOf(w.disk[name]).Restore(text)
	}
	w.applied = append(w.applied, r.made...)
	return r
}

// content is what a file is to hold so far.
func (w *work) content(name string) []byte {
	if content, edited := w.now[name]; edited {
		return content
	}
	return ContentOnDisk(name)
}

// ContentOnDisk is the content of a file, nil if it cannot be read.
func ContentOnDisk(name string) []byte {
	content, err := os.ReadFile(name)
	if err != nil {
		return nil
	}
	return content
}

// fixOf is the fix of a finding in terms of bytes.
func fixOf(f *analyse.Found) edit.Fix {
	fix := make(edit.Fix)
	for _, e := range f.Fix.TextEdits {
		file := f.FixedIn.Fset.File(e.Pos)
		start, end := file.Offset(e.Pos), file.Offset(cmp.Or(e.End, e.Pos))
		fix[file.Name()] = append(fix[file.Name()], edit.Edit{Start: start, End: end, New: string(e.NewText)})
	}
	return fix
}

// key names the fix of a finding by the text that it stands on.
func (w *work) key(f *analyse.Found) fixKey {
	at := f.Position() // in the source, also where cgo made a file of that
	fn := funcAt(w.content(at.Filename), at.Line)
	return fixKey{file: at.Filename, fn: fn, category: f.Category(), text: f.Source(w.content)}
}

// importNames maps what a file of the package imports to the names of what that
// is.
func importNames(p *packages.Package, src []byte) map[string]string {
	names := make(map[string]string)
	for _, path := range imports(src) {
		if imp := p.Imports[path]; imp != nil {
			names[path] = imp.Name
		}
	}
	return names
}

// imports lists what a source file imports, as far as it can be parsed.
func imports(src []byte) []string {
	file, _ := parser.ParseFile(token.NewFileSet(), "", src, parser.ImportsOnly)
	if file == nil {
		return nil
	}
	var paths []string
	for _, spec := range file.Imports {
		if path, err := strconv.Unquote(spec.Path.Value); err == nil {
			paths = append(paths, path)
		}
	}
	return paths
}

// isImported reports whether an edited file of a module imports the path.
func (w *work) isImported(path, module string) bool {
	for name, content := range w.now {
		if p := w.packages[filepath.Dir(name)]; p.Module.Path == module && slices.Contains(imports(content), path) {
			return true
		}
	}
	return false
}

// funcAt names the function around a line: "save", "(*Store).save"; empty
// outside of functions.
func funcAt(src []byte, line int) string {
	fset := token.NewFileSet()
	file, _ := parser.ParseFile(fset, "", src, parser.SkipObjectResolution)
	if file == nil {
		return ""
	}
	for _, decl := range file.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok || line < fset.PositionFor(fn.Pos(), false).Line || fset.PositionFor(fn.End(), false).Line < line {
			continue
		}
		return report.FuncName(fn)
	}
	return ""
}

// pathOf is the import path of the package under repair that a file is in.
func (w *work) pathOf(file string) string { return load.BasePath(w.packages[filepath.Dir(file)]) }
