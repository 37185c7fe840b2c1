// Package load turns package patterns into type-checked packages, with the
// help of the go command. It knows how sources that are not on disk yet are
// shown to it; it knows nothing of what is looked for in them.
package load

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/lockvet/lockvet/internal/known"
)

// A Config is where and how the go command is asked.
type Config struct {
	// Dir is the directory in which patterns have their meaning.
	Dir string
	// Tags is the value of the go command's -tags flag.
	Tags string
	// Tests asks for the test variants of the packages too.
	Tests bool
	// Overlay holds what the files named by its keys are to contain. A nil
	// value stands for a file that is to be gone.
	Overlay map[string][]byte
}

// Packages type-checks the packages that match the patterns from source and
// takes everything that they import from export data. The generated main
// packages of tests are left out. What does not compile is in
// [packages.Package.Errors], not in the error.
func (c Config) Packages(patterns ...string) ([]*packages.Package, error) {
	pkgs, err := c.load(packages.LoadSyntax|packages.NeedModule|packages.NeedForTest, patterns)
	if err != nil {
		return nil, err
	}
	pkgs = slices.DeleteFunc(pkgs, isTestMain)
	if len(pkgs) == 0 {
		if !c.inModule() {
			return nil, fmt.Errorf("no go.mod in %s or a folder above it: run lockvet inside a module, or name one with -C", c.Dir)
		}
		return nil, fmt.Errorf("%s matched no packages", strings.Join(patterns, " "))
	}
	slices.SortFunc(pkgs, func(a, b *packages.Package) int { return strings.Compare(a.ID, b.ID) })
	return pkgs, nil
}

// WithImported adds to packages those of the main modules that they import, also
// through others. Where there are any it loads all of them anew: what an analysis
// learns of a function is bound to its declaration, of which each load has its
// own.
func (c Config) WithImported(named []*packages.Package) (again, imported []*packages.Package, err error) {
	ids := make(map[string]bool, len(named))
	patterns := make(map[string]bool)
	for _, p := range named {
		ids[p.ID] = true
		patterns[BasePath(p)] = true
	}
	missing := importedByMain(named, ids)
	if len(missing) == 0 || patterns[filesPackage] {
		return named, nil, nil
	}
	for _, path := range missing {
		patterns[path] = true
	}
	pkgs, err := c.Packages(slices.Sorted(maps.Keys(patterns))...)
	if err != nil {
		return nil, nil, err
	}
	for _, p := range pkgs {
		if ids[p.ID] {
			again = append(again, p)
		} else if p.ForTest == "" {
			imported = append(imported, p)
		}
	}
	if len(again) != len(named) {
		return named, nil, nil // the sources were changed meanwhile
	}
	return again, imported, nil
}

// filesPackage is the import path of a package that is named by its files.
const filesPackage = "command-line-arguments"

// importedByMain lists the import paths of the packages of the main modules that
// the named ones import, also through others, and that are not among them.
func importedByMain(named []*packages.Package, ids map[string]bool) []string {
	paths := make(map[string]bool)
	packages.Visit(named, func(p *packages.Package) bool {
		main := p.Module != nil && p.Module.Main
		if main && !ids[p.ID] && p.ForTest == "" && !known.IsCopy(p.PkgPath) {
			paths[p.PkgPath] = true // a copy of safeio does what is known of safeio
		}
		return main || ids[p.ID]
	}, nil)
	return slices.Sorted(maps.Keys(paths))
}

// load runs packages.Load with the overlay in the go command's own form.
// packages.Config.Overlay would do the same and distrust all export data, that
// is, type-check the standard library for each change of a file.
func (c Config) load(mode packages.LoadMode, patterns []string) ([]*packages.Package, error) {
	cfg := &packages.Config{
		Mode:  mode,
		Dir:   c.Dir,
		Tests: c.Tests,
	}
	if c.Tags != "" {
		cfg.BuildFlags = append(cfg.BuildFlags, "-tags="+c.Tags)
	}
	if len(c.Overlay) > 0 {
		flag, remove, err := overlayFlag(c.Overlay)
		if err != nil {
			return nil, err
		}
		defer remove()
		cfg.BuildFlags = append(cfg.BuildFlags, flag)
		cfg.ParseFile = c.parse
	}
	pkgs, err := packages.Load(cfg, patterns...)
	if err != nil {
		return nil, cleanDriverError(err)
	}
	return pkgs, nil
}

// parse is the default of packages.Config.ParseFile, except for files that the
// overlay replaces.
func (c Config) parse(fset *token.FileSet, name string, src []byte) (*ast.File, error) {
	if replaced := c.Overlay[name]; replaced != nil {
		src = replaced
	}
	return parser.ParseFile(fset, name, src, parser.AllErrors|parser.ParseComments)
}

// cleanDriverError takes the go command's own words out of the wrapping that
// packages.Load puts around them.
func cleanDriverError(err error) error {
	msg := err.Error()
	if _, stderr, ok := strings.Cut(msg, "stderr: "); ok && strings.TrimSpace(stderr) != "" {
		msg = strings.TrimSpace(stderr)
	}
	return errors.New(msg)
}

// isTestMain reports whether a package is the main package that the go command
// generates to run tests.
func isTestMain(p *packages.Package) bool {
	return p.ForTest == "" && p.Name == "main" && strings.HasSuffix(p.ID, ".test")
}

// Prune cuts the import edges that leave the given packages, so that an
// analysis follows facts among them and goes nowhere else.
func Prune(pkgs []*packages.Package) {
	inside := make(map[string]*packages.Package, len(pkgs))
	for _, p := range pkgs {
		inside[p.ID] = p
	}
	for _, p := range pkgs {
		kept := make(map[string]*packages.Package)
		for path, imp := range p.Imports {
			if q := inside[imp.ID]; q != nil {
				kept[path] = q
			}
		}
		p.Imports = kept
	}
}

// A Problem is one thing that keeps a package from compiling.
type Problem struct {
	// ID is the ID of the package, Path its import path without the marks of
	// a test variant.
	ID, Path string
	// Pos is "file:line:column", or empty when there is no place to point to.
	Pos string
	Msg string
}

// String is the problem as one line.
func (p Problem) String() string {
	if p.Pos == "" {
		return p.Msg
	}
	return p.Pos + ": " + p.Msg
}

// Problems lists what keeps the packages, or what they import, from
// compiling; the same problem of two variants of a package is listed for each.
// It must be called before Prune.
func Problems(pkgs []*packages.Package) []Problem {
	var problems []Problem
	packages.Visit(pkgs, nil, func(p *packages.Package) {
		var placed, unplaced []Problem
		for _, e := range p.Errors {
			problem := Problem{ID: p.ID, Path: BasePath(p), Pos: e.Pos, Msg: explained(e.Msg)}
			if e.Pos == "" || e.Pos == "-" {
				problem.Pos = ""
				unplaced = append(unplaced, problem)
			} else {
				placed = append(placed, problem)
			}
		}
		if placed == nil {
			// The go command's summary of what the compiler says; it repeats
			// what the type checker found, if that found anything.
			placed = unplaced
		}
		problems = append(problems, placed...)
	})
	return problems
}

var noMetadata = regexp.MustCompile(`^could not import (\S+) \(no metadata for \S+\)$`)

// explained is a message of the type checker, of an import that the go command
// says nothing of with what may be the reason.
func explained(msg string) string {
	m := noMetadata.FindStringSubmatch(msg)
	switch {
	case m == nil:
		return msg
	case m[1] == "C":
		return "cgo failed: a C library, its headers or a build tag (-tags) may be missing"
	}
	return "could not import " + m[1] + ": a download (go mod download) or a build tag (-tags) may be missing"
}

// Broken reports whether a package, or what it imports, does not compile.
func Broken(p *packages.Package) bool { return p.IllTyped || len(p.Errors) > 0 }

// BrokenPaths lists the import paths of the packages that do not compile.
func BrokenPaths(pkgs []*packages.Package) []string {
	paths := make(map[string]bool)
	for _, p := range pkgs {
		if Broken(p) && !isTestMain(p) {
			paths[BasePath(p)] = true
		}
	}
	return slices.Sorted(maps.Keys(paths))
}

// BasePath is the import path of a package without the marks of a test
// variant: that of p for "p [p.test]" and for "p_test [p.test]".
func BasePath(p *packages.Package) string {
	if p.ForTest != "" && p.Name != "" && strings.TrimSuffix(p.PkgPath, "_test") == p.ForTest {
		return p.ForTest
	}
	return p.PkgPath
}

// Importers lists the import paths of the given packages and of the packages
// of the main modules that import one of them, also through others or in
// tests.
func (c Config) Importers(paths []string) ([]string, error) {
	modules, err := c.MainModules()
	if err != nil {
		return nil, err
	}
	var patterns []string
	for _, m := range modules {
		patterns = append(patterns, m.Dir+"/...")
	}
	c.Tests = true
	pkgs, err := c.load(packages.NeedName|packages.NeedImports|packages.NeedForTest, patterns)
	if err != nil {
		return nil, err
	}
	importedBy := make(map[string][]string)
	for _, p := range pkgs {
		if isTestMain(p) {
			continue
		}
		for path := range p.Imports {
			importedBy[path] = append(importedBy[path], BasePath(p))
		}
	}
	reached := make(map[string]bool)
	for todo := slices.Clone(paths); len(todo) > 0; todo = todo[1:] {
		if path := todo[0]; !reached[path] {
			reached[path] = true
			todo = append(todo, importedBy[path]...)
		}
	}
	return slices.Sorted(maps.Keys(reached)), nil
}
