package main

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"

	"github.com/lockvet/lockvet/analyzer"
	"github.com/lockvet/lockvet/internal/facts"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/verdict"
)

// A Report is a finding, as far as a row asks for it.
type Report struct {
	File     string `json:"file"` // relative to the folder of the checkout
	Line     int    `json:"line"`
	Func     string `json:"func"`
	Category string `json:"category"`
	Severity string `json:"severity"`
	Fix      bool   `json:"fix,omitempty"`
	Sentence string `json:"sentence"`
	Rules    string `json:"rules,omitempty"`
}

// An Outcome is what was reported of packages: as it is, and, where that is something
// else, without each rule that spoke.
type Outcome struct {
	Reports []Report            `json:"reports"`
	Without map[string][]Report `json:"without,omitempty"`
	// Silent are candidates that were not reported, with the rule that decided.
	Silent []Silence `json:"silent,omitempty"`
	GaveUp int       `json:"gaveUp,omitempty"`
	// Broken says of a package why it was not analysed.
	Broken map[string]string `json:"broken,omitempty"`
}

// A Silence is a candidate that was not reported.
type Silence struct {
	File     string   `json:"file"`
	Line     int      `json:"line"`
	Func     string   `json:"func"`
	Category string   `json:"category"`
	Rules    []string `json:"rules"`
}

// A worker analyses packages of one module. What they import it has from source without
// the bodies of functions, so that nothing has to be compiled.
type worker struct {
	dir, root string // of the module, and of the checkout
	without   []string
	prices    bool

	fset  *token.FileSet
	types map[string]*types.Package
	facts map[string]facts.Set
}

func newWorker(root, module string, without []string, prices bool) *worker {
	return &worker{
		dir: filepath.Join(root, module), root: root, without: without, prices: prices, fset: token.NewFileSet(),
		types: map[string]*types.Package{"unsafe": types.Unsafe}, facts: map[string]facts.Set{},
	}
}

// run analyses the packages that the patterns name.
func (w *worker) run(patterns []string) (*Outcome, error) {
	facts.Register(analyzer.New().FactTypes)
	roots, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedModule | packages.NeedTypesSizes,
		Dir:  w.dir, Env: append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=-mod=mod -buildvcs=false"),
	}, patterns...)
	if err != nil {
		return nil, err
	}
	o := &Outcome{Reports: []Report{}, Without: map[string][]Report{}, Broken: map[string]string{}}
	asked := map[*packages.Package]bool{}
	for _, p := range roots {
		asked[p] = true
	}
	packages.Visit(roots, nil, func(p *packages.Package) {
		if p.PkgPath == "unsafe" {
			return
		}
		if err := w.visit(p, asked[p], o); err != nil && asked[p] {
			o.Broken[p.PkgPath] = err.Error()
		}
	})
	return o, nil
}

// visit enters the types of a package, and analyses it where it belongs to the module.
func (w *worker) visit(p *packages.Package, asked bool, o *Outcome) error {
	var files []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(w.fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if f != nil {
			files = append(files, f)
		}
		if err != nil {
			return err
		}
	}
	w.types[p.PkgPath], _ = w.check(p, files, nil)
	if p.Module == nil || !p.Module.Main && p.Module.Version != "" {
		return nil
	}
	if len(files) == 0 {
		return errors.New("no Go files")
	}
	info := &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
		Scopes: map[ast.Node]*types.Scope{}, Instances: map[*ast.Ident]types.Instance{}, FileVersions: map[*ast.File]string{},
	}
	pkg, err := w.check(p, files, info)
	if err != nil {
		return err
	}
	pass := func(a *analysis.Analyzer) (*analysis.Pass, facts.Set) {
		pass := &analysis.Pass{
			Analyzer: a, Fset: w.fset, Files: files, Pkg: pkg, TypesInfo: info, TypesSizes: p.TypesSizes,
			Module: &analysis.Module{Path: p.Module.Path, GoVersion: p.Module.GoVersion},
			Report: func(analysis.Diagnostic) {}, ReadFile: os.ReadFile,
		}
		return pass, facts.Connect(pass, func(path string) facts.Set { return w.facts[path] })
	}
	r, own, err := w.analyse(pass, w.without, asked)
	if err != nil {
		return err
	}
	text, err := own.Encode()
	if err != nil {
		return err
	}
	if w.facts[p.PkgPath] = facts.Decode(text); !asked {
		return nil
	}
	reports := w.reports(r)
	o.Reports = append(o.Reports, reports...)
	o.GaveUp += len(r.GaveUp)
	for _, c := range r.Candidates {
		if !c.Reported {
			at := w.fset.Position(c.Pos)
			o.Silent = append(o.Silent, Silence{w.name(at), at.Line, c.Func, c.Category(), rulesOf(c)})
		}
	}
	if !w.prices {
		return nil
	}
	for _, id := range spoke(r) {
		other, _, err := w.analyse(pass, append(slices.Clone(w.without), id), true)
		if err != nil {
			return fmt.Errorf("without %s: %w", id, err)
		}
		if now := w.reports(other); !slices.Equal(now, reports) {
			o.Without[id] = append(o.Without[id], now...)
		}
	}
	return nil
}

// spoke lists the rules that spoke of a package.
func spoke(r *analyzer.Result) []string {
	ids := map[string]bool{}
	for _, c := range r.Candidates {
		for _, x := range c.Reasons {
			ids[x.Rule.ID] = true
		}
	}
	return slices.Sorted(maps.Keys(ids))
}

func (w *worker) analyse(
	pass func(*analysis.Analyzer) (*analysis.Pass, facts.Set), without []string, asked bool,
) (r *analyzer.Result, own facts.Set, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
		}
	}()
	a := analyzer.New()
	for name, value := range map[string]string{"candidates": fmt.Sprint(asked), "without": strings.Join(without, ",")} {
		if err := a.Flags.Set(name, value); err != nil {
			return nil, facts.Set{}, err
		}
	}
	p, own := pass(a)
	res, err := a.Run(p)
	if err != nil {
		return nil, facts.Set{}, err
	}
	return res.(*analyzer.Result), own, nil
}

func (w *worker) reports(r *analyzer.Result) []Report {
	list := []Report{}
	for _, f := range r.Findings {
		at := w.fset.Position(f.Pos)
		list = append(
			list,
			Report{
				w.name(at),
				at.Line,
				f.Func,
				f.Category(),
				string(cmp.Or(f.Severity, finding.Error)),
				f.Fix != nil,
				f.Sentence,
				strings.Join(rulesOf(f.Verdict), " "),
			},
		)
	}
	return list
}

// rulesOf are the IDs of the rules that spoke of a candidate, the deciding one first.
func rulesOf(c *verdict.Candidate) (ids []string) {
	if c == nil {
		return nil
	}
	for _, x := range c.Reasons {
		ids = append(ids, x.Rule.ID)
	}
	return ids
}

// name is a file relative to the folder of the checkout.
func (w *worker) name(at token.Position) string {
	rel, err := filepath.Rel(w.root, at.Filename)
	if err != nil {
		return at.Filename
	}
	return filepath.ToSlash(rel)
}

// check type-checks a package: without info, only what others see of it.
func (w *worker) check(p *packages.Package, files []*ast.File, info *types.Info) (*types.Package, error) {
	var first error
	conf := types.Config{
		Importer: importer{w.types, p.Imports}, Sizes: p.TypesSizes, IgnoreFuncBodies: info == nil, FakeImportC: true,
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
