package load

import (
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/lockvet/lockvet/internal/pattern"
)

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
func Problems(pkgs []*packages.Package) []Problem {
	var problems []Problem
	told, denied := map[string]bool{}, map[string]bool{} // denied are the packages that need such a module, by ID
	packages.Visit(pkgs, nil, func(p *packages.Package) {
		denied[p.ID] = slices.ContainsFunc(p.Errors, ofModule)
		for _, imp := range p.Imports {
			denied[p.ID] = denied[p.ID] || denied[imp.ID]
		}
		var placed, unplaced []Problem
		for _, e := range p.Errors {
			if denied[p.ID] && e.Kind != packages.ListError || told[e.Msg] && ofModule(e) {
				continue // without the module, what the type checker says may be an echo
			}
			told[e.Msg] = true
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
	return withoutEchoes(problems)
}

// ofModule reports whether an error is what the go command says of a module that it cannot have:
// it says so at each import of it.
func ofModule(e packages.Error) bool {
	return e.Kind == packages.ListError && aModule.MatchString(e.Msg)
}

var aModule = pattern.New(`^\S+@v\S+: `)

// withoutEchoes are problems without what the type checker says of an import of which the
// go command has said what is wrong with it.
func withoutEchoes(all []Problem) []Problem {
	return slices.DeleteFunc(slices.Clone(all), func(p Problem) bool {
		path, _, echo := strings.Cut(strings.TrimPrefix(p.Msg, "could not import "), " (invalid package name")
		return echo && slices.ContainsFunc(all, func(o Problem) bool { return strings.Contains(o.Msg, "package "+path) })
	})
}

var noMetadata = pattern.New(`^could not import (\S+) \(no metadata for \S+\)$`)

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

// diagnose enters into packages what keeps them from compiling. The go command
// says so in its own way; the type checker, which says more, gets the ones with
// something wrong with them or with what they import, all at once.
func (c Config) diagnose(pkgs []*packages.Package, patterns []string) error {
	ill := unsound(pkgs)
	if len(ill) == 0 {
		return nil
	}
	if pkgs[0].PkgPath != FilesPackage {
		patterns = ill
	}
	checked, err := c.load(packages.LoadTypes|packages.NeedSyntax|packages.NeedForTest, patterns)
	if err != nil {
		return err
	}
	byID := make(map[string]*packages.Package)
	packages.Visit(checked, nil, func(p *packages.Package) { byID[p.ID] = p })
	packages.Visit(pkgs, nil, func(p *packages.Package) {
		if q := byID[p.ID]; q != nil {
			p.Errors, p.IllTyped = q.Errors, q.IllTyped
		}
	})
	return nil
}

// unsound lists the import paths of the packages with files that the go command
// does not compile, or that import such a one.
func unsound(pkgs []*packages.Package) []string {
	ill, paths := make(map[string]bool), make(map[string]bool)
	packages.Visit(pkgs, nil, func(p *packages.Package) {
		compiled := p.ExportFile != "" || len(p.CompiledGoFiles) == 0 || p.PkgPath == "unsafe"
		ill[p.ID] = !compiled || len(p.Errors) > 0
		for _, imp := range p.Imports {
			ill[p.ID] = ill[p.ID] || ill[imp.ID]
		}
	})
	for _, p := range pkgs {
		if ill[p.ID] && len(p.GoFiles) > 0 {
			paths[BasePath(p)] = true
		}
	}
	return slices.Sorted(maps.Keys(paths))
}
