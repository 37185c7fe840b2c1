// Package load turns package patterns into packages, with the help of the go
// command, and type-checks them one at a time. It knows how sources that are not
// on disk yet are shown to it; it knows nothing of what is looked for in them.
package load

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/tools/go/packages"

	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/untrusted"
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
	// Modules are the main modules, where they are known: MainModules need not ask then.
	Modules []Module
	// Context ends the go command, and an analysis of what was loaded, before they are done;
	// nil for one that never does.
	Context context.Context
	// Enough is how many bytes of export data and sources a checker remembers as
	// types; zero stands for a good number.
	Enough int64
}

// FilesPackage is the import path of a package that is named by its files.
const FilesPackage = "command-line-arguments"

// Packages lists the packages that match the patterns, in the order of their IDs,
// with all that they import: their files and export data, no syntax and no types.
// The generated main packages of tests are left out. A file that is to be embedded may be missing. What does not compile is in
// [packages.Package.Errors], not in the error.
func (c Config) Packages(patterns ...string) ([]*packages.Package, error) {
	list := func(c Config) ([]*packages.Package, error) {
		return c.load(packages.LoadImports|packages.NeedExportFile|packages.NeedTypesSizes|packages.NeedModule|packages.NeedForTest, patterns)
	}
	pkgs, err := list(c)
	if err != nil {
		return nil, err
	}
	pkgs = c.embeds(pkgs, list)
	pkgs = slices.DeleteFunc(pkgs, isTestMain)
	if len(pkgs) == 0 {
		if !c.inModule() {
			return nil, c.noModule()
		}
		if err := c.listed(patterns); err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("%s matched no packages", strings.Join(patterns, " "))
	}
	for _, p := range pkgs {
		if err := c.unmatched(p); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(pkgs, func(a, b *packages.Package) int { return strings.Compare(a.ID, b.ID) })
	return pkgs, c.diagnose(pkgs, patterns)
}

// Imported lists the packages of the main modules that the named ones import, also
// through others, and that are not among them.
func Imported(named []*packages.Package) []*packages.Package {
	ids := make(map[string]bool, len(named))
	for _, p := range named {
		ids[p.ID] = true
	}
	var imported []*packages.Package
	packages.Visit(named, func(p *packages.Package) bool {
		main := p.Module != nil && p.Module.Main
		if main && !ids[p.ID] && p.ForTest == "" && !known.IsCopy(p.PkgPath) {
			imported = append(imported, p) // a copy of safeio does what is known of safeio
		}
		return main || ids[p.ID]
	}, nil)
	slices.SortFunc(imported, func(a, b *packages.Package) int { return strings.Compare(a.ID, b.ID) })
	return imported
}

// load runs packages.Load with the overlay in the go command's own form.
// packages.Config.Overlay would do the same and distrust all export data, that
// is, type-check the standard library for each change of a file.
func (c Config) load(mode packages.LoadMode, patterns []string) ([]*packages.Package, error) {
	// The go command runs in a process group of its own, which no interrupt of the
	// terminal reaches, and would go on compiling.
	ctx, stop := signal.NotifyContext(c.context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	cfg := &packages.Config{
		Mode:    mode,
		Context: ctx,
		Dir:     c.Dir,
		Tests:   c.Tests,
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
	if ctx.Err() != nil {
		return nil, errors.New("interrupted while the go command listed and compiled packages")
	}
	if err != nil {
		return nil, cleanDriverError(err)
	}
	return pkgs, nil
}

func (c Config) context() context.Context {
	if c.Context == nil {
		return context.Background()
	}
	return c.Context
}

// Ended is an error if the context has ended.
func (c Config) Ended() error { return c.context().Err() }

// parse is the default of packages.Config.ParseFile, except for files that the
// overlay replaces.
func (c Config) parse(fset *token.FileSet, name string, src []byte) (*ast.File, error) {
	if replaced := c.Overlay[name]; replaced != nil {
		src = replaced
	}
	return parser.ParseFile(fset, name, src, parser.AllErrors|parser.ParseComments)
}

// ReadFile is the content of a file, or what the overlay has for it.
func (c Config) ReadFile(name string) ([]byte, error) {
	if replaced := c.Overlay[name]; replaced != nil {
		return replaced, nil
	}
	return untrusted.ReadFile(name, untrusted.MaxSource)
}

// cleanDriverError takes the go command's own words out of the wrapping that
// packages.Load puts around them.
func cleanDriverError(err error) error {
	if errors.Is(err, exec.ErrNotFound) || strings.Contains(err.Error(), "go command required, not found") {
		return errNoGo
	}
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

// BasePath is the import path of a package without the marks of a test
// variant: that of p for "p [p.test]" and for "p_test [p.test]".
func BasePath(p *packages.Package) string {
	if p.ForTest != "" && p.Name != "" && strings.TrimSuffix(p.PkgPath, "_test") == p.ForTest {
		return p.ForTest
	}
	return p.PkgPath
}

// An ImportGraph has the import paths of the packages of the main modules, and of their tests, by what they import.
type ImportGraph map[string][]string

// Importers lists the import paths of the given packages and of the packages that import one of them, also through
// others or in tests.
func (g ImportGraph) Importers(paths []string) []string {
	reached := make(map[string]bool)
	for todo := slices.Clone(paths); len(todo) > 0; todo = todo[1:] {
		if path := todo[0]; !reached[path] {
			reached[path] = true
			todo = append(todo, g[path]...)
		}
	}
	return slices.Sorted(maps.Keys(reached))
}

// ImportGraph asks the go command for the graph of the main modules.
func (c Config) ImportGraph() (ImportGraph, error) {
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
	g := make(ImportGraph)
	for _, p := range pkgs {
		if isTestMain(p) {
			continue
		}
		for path := range p.Imports {
			g[path] = append(g[path], BasePath(p))
		}
	}
	return g, nil
}
