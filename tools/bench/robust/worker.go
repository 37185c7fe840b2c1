package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"time"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"

	"github.com/lockvet/lockvet/analyzer"
	"github.com/lockvet/lockvet/internal/bundle/safeio"
	"github.com/lockvet/lockvet/internal/facts"
	"github.com/lockvet/lockvet/internal/finding"
)

// A worker analyses the packages in the closure of a main module. It keeps their
// types, as far as others see them, and lets go of all else.
type worker struct {
	options
	dir, version string // of the main module

	tell  *json.Encoder
	fset  *token.FileSet
	types map[string]*types.Package // by import path
	ids   map[string]string         // what a package is called in the results, by import path
	facts map[string]facts.Set      // by import path; nil for one that has none
}

func newWorker(o options, dir, version string, out io.Writer) *worker {
	return &worker{
		options: o, dir: dir, version: version, tell: json.NewEncoder(out), fset: token.NewFileSet(),
		types: map[string]*types.Package{"unsafe": types.Unsafe}, ids: map[string]string{}, facts: map[string]facts.Set{},
	}
}

// again is how often a package that is measured alone is analysed.
const again = 5

// run analyses the packages that have no result yet, or measures those that are named.
func (w *worker) run(named []string) error {
	facts.Register(analyzer.New().FactTypes)
	r, err := loadResults(w.out)
	if err != nil {
		return err
	}
	pkgs, err := w.load(named)
	if err != nil {
		return err
	}
	for _, p := range pkgs {
		times := 0
		id := w.ids[p.PkgPath]
		if _, done := r.packages[id]; id != "" && !done && len(named) == 0 {
			times = 1
		} else if slices.Contains(named, id) {
			times = again
		}
		if err := w.visit(p, times); err != nil {
			return err
		}
	}
	return nil
}

// load lists the closure, that of the named packages if there are any: each package
// comes after those that it imports.
func (w *worker) load(named []string) (list []*packages.Package, err error) {
	all, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedModule | packages.NeedTypesSizes,
		Dir:  w.dir, Env: environ(),
	}, "./...")
	if err != nil {
		return nil, err
	}
	var roots []*packages.Package
	packages.Visit(all, nil, func(p *packages.Package) {
		if p.Module == nil || len(p.GoFiles)+len(p.Errors) == 0 { // of std, or nothing but tests and cgo
			return
		}
		w.ids[p.PkgPath] = p.PkgPath + "@" + w.versionOf(p.Module)
		if len(named) == 0 || slices.Contains(named, w.ids[p.PkgPath]) {
			roots = append(roots, p)
		}
	})
	if len(roots) == 0 {
		return nil, fmt.Errorf("no packages: %v", all)
	}
	packages.Visit(roots, nil, func(p *packages.Package) { list = append(list, p) })
	return list, nil
}

// versionOf names what a module consists of.
func (w *worker) versionOf(m *packages.Module) string {
	switch {
	case m.Main:
		return w.version
	case m.Replace != nil:
		return m.Replace.Path + "@" + m.Replace.Version
	}
	return m.Version
}

// visit enters the types of a package, and analyses it so many times.
func (w *worker) visit(p *packages.Package, times int) error {
	if p.PkgPath == "unsafe" {
		return nil
	}
	files, broken := w.parse(p)
	w.types[p.PkgPath], _ = w.check(p, files, nil)
	if times == 0 {
		return nil
	}
	id := w.ids[p.PkgPath]
	var best record
	for n := range times {
		if times > 1 {
			runtime.GC()
		}
		if err := w.tell.Encode(message{Begin: id}); err != nil {
			return err
		}
		r := record{Package: id, Broken: broken, Alone: times > 1}
		if broken == "" {
			if err := w.analyse(p, files, &r); err != nil {
				return err
			}
		}
		if n > 0 {
			r.TypeCheck, r.Analysis = min(r.TypeCheck, best.TypeCheck), min(r.Analysis, best.Analysis)
		}
		best = r
	}
	return w.tell.Encode(message{Result: &best})
}

// parse reads the files of a package; broken is what is wrong with them.
func (w *worker) parse(p *packages.Package) (files []*ast.File, broken string) {
	for _, e := range p.Errors {
		broken = e.Error()
	}
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(w.fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			broken = err.Error()
		}
		if f != nil {
			files = append(files, f)
		}
	}
	return files, broken
}

// check type-checks a package: without info, only what others see of it.
func (w *worker) check(p *packages.Package, files []*ast.File, info *types.Info) (*types.Package, error) {
	var first error
	conf := types.Config{
		Importer:         importer{w.types, p.Imports},
		Sizes:            p.TypesSizes,
		IgnoreFuncBodies: info == nil,
		FakeImportC:      true,
		Error: func(err error) {
			if first == nil {
				first = err
			}
		},
	}
	if p.Module != nil && p.Module.GoVersion != "" {
		conf.GoVersion = "go" + p.Module.GoVersion
	}
	pkg, err := conf.Check(p.PkgPath, w.fset, files, info)
	if first != nil {
		err = first
	}
	return pkg, err
}

// An importer has the types of what a package imports.
type importer struct {
	types   map[string]*types.Package
	imports map[string]*packages.Package
}

func (i importer) Import(path string) (*types.Package, error) {
	if p := i.imports[path]; p != nil {
		path = p.PkgPath
	}
	if p := i.types[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("no package %s", path)
}

// analyse type-checks a package and runs lockvet over it, with facts of what it
// imports and with all plans of fixes.
func (w *worker) analyse(p *packages.Package, files []*ast.File, r *record) error {
	info := &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
		Scopes: map[ast.Node]*types.Scope{}, Instances: map[*ast.Ident]types.Instance{}, FileVersions: map[*ast.File]string{},
	}
	start := time.Now()
	pkg, err := w.check(p, files, info)
	r.TypeCheck = time.Since(start)
	if err != nil {
		r.Broken = err.Error()
		return nil
	}
	pass := &analysis.Pass{
		Analyzer: analyzer.New(), Fset: w.fset, Files: files, Pkg: pkg, TypesInfo: info, TypesSizes: p.TypesSizes,
		Module:   &analysis.Module{Path: p.Module.Path, GoVersion: p.Module.GoVersion},
		Report:   func(analysis.Diagnostic) {},
		ReadFile: os.ReadFile,
	}
	own := facts.Connect(pass, w.known)
	start = time.Now()
	result, err := lockvet(pass)
	r.Analysis = time.Since(start)
	if err != nil {
		r.Error = err.Error()
		return nil
	}
	r.Steps, r.Findings, r.GaveUp = result.Steps, len(result.Findings), result.GaveUp
	return w.learn(p.PkgPath, own)
}

// lockvet runs the pass. A panic is an error.
func lockvet(pass *analysis.Pass) (r *analyzer.Result, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
		}
	}()
	res, err := pass.Analyzer.Run(pass)
	if err != nil {
		return nil, err
	}
	r = res.(*analyzer.Result)
	var offers []*finding.Finding
	if offers, err = r.Offers(); err != nil {
		return nil, err
	}
	for _, f := range slices.Concat(r.Findings, offers) {
		if err := valid(pass.Fset, f); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// valid checks that the edits of a finding are places in files, and do not overlap.
func valid(fset *token.FileSet, f *finding.Finding) error {
	if f.Fix == nil {
		return nil
	}
	edits := slices.Clone(f.Fix.TextEdits)
	slices.SortFunc(edits, func(a, b analysis.TextEdit) int { return int(a.Pos - b.Pos) })
	last := token.NoPos
	for _, e := range edits {
		file := fset.File(e.Pos)
		if file == nil || e.End < e.Pos || int(e.End) > file.Base()+file.Size() || e.Pos < last {
			return fmt.Errorf("the fix of %s at %s has an edit that is none", f.Category(), fset.Position(f.Pos))
		}
		last = e.End
	}
	return nil
}

// learn keeps facts where the workers to come find them.
func (w *worker) learn(path string, own facts.Set) error {
	text, err := own.Encode()
	if err != nil {
		return err
	}
	if w.facts[path] = facts.Decode(text); own.Empty() {
		return nil
	}
	return safeio.WriteFile(w.factsOf(path), text, 0o666)
}

// known has the facts of a package, perhaps of a run before this one.
func (w *worker) known(path string) facts.Set {
	if s, ok := w.facts[path]; ok || w.ids[path] == "" {
		return s
	}
	w.facts[path] = facts.Set{}
	if text, err := os.ReadFile(w.factsOf(path)); err == nil {
		w.facts[path] = facts.Decode(text)
	}
	return w.facts[path]
}

// factsOf names the file with the facts of a package.
func (w *worker) factsOf(path string) string {
	return filepath.Join(w.out, "facts", fmt.Sprintf("%x", sha256.Sum256([]byte(w.ids[path]))))
}

// maxStack is small, so that recursion without end ends before the memory does.
const maxStack = 128 << 20

// limit bounds what this process may need; where that is not enough, it ends.
func limit(megabytes uint64) {
	debug.SetMaxStack(maxStack)
	most := megabytes << 20
	debug.SetMemoryLimit(int64(most - most/8))
	go func() {
		sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
		for range time.Tick(100 * time.Millisecond) {
			metrics.Read(sample)
			if used := sample[0].Value.Uint64() - sample[1].Value.Uint64(); used > most {
				fmt.Fprintf(os.Stderr, "out of memory: %d MB are in use, and -memory allows %d\n", used>>20, megabytes)
				os.Exit(3)
			}
		}
	}()
}
