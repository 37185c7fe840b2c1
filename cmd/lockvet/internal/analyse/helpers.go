package analyse

import (
	"bytes"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/load"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/pattern"
	"github.com/lockvet/lockvet/internal/syntax"
	"github.com/lockvet/lockvet/internal/untrusted"
)

// A Helper is a function of a main module that puts a file in place as a whole, and takes
// what os.WriteFile takes. Packages that do not import it learn of it by no fact: they are
// told, and are fixed with it where they can import it.
type Helper struct {
	replacer
	module string
	needs  map[string]bool // the import paths of what may not import it: see need
}

// A replacer is a function by the import path and the name of its package, and by its own name. The zero value is none.
type replacer struct{ path, pkg, name string }

var helper = pattern.New(`(?m)^func \p{Lu}\w*\(\w+ string, \w+ \[\]byte, \w+ \w+\.FileMode\)`)

// everywhere reports whether a file is compiled for every system.
func everywhere(name string, src []byte) bool {
	none := build.Context{GOOS: "none", GOARCH: "none", Compiler: "gc", OpenFile: func(string) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(src)), nil
	}}
	ok, err := none.MatchFile(filepath.Dir(name), filepath.Base(name))
	return ok && err == nil && !bytes.Contains(src, []byte("//go:build "))
}

// FindHelpers finds the helpers of the main modules that some packages are of.
func (r Runner) FindHelpers(named []*packages.Package) ([]Helper, error) {
	var helping []*packages.Package
	seen := make(map[string]bool)
	for _, p := range named {
		if m := p.Module; m != nil && m.Main && !seen[m.Dir] {
			seen[m.Dir] = true
			helping = append(helping, r.helping(named, m)...)
		}
	}
	if len(helping) == 0 {
		return nil, nil
	}
	pkgs := slices.DeleteFunc(slices.Concat(helping, load.Imported(helping)), load.Broken)
	r.Looked, r.Uses, r.Progress = nil, nil, nil
	u, err := r.begin(nil, pkgs)
	if err != nil {
		return nil, err
	}
	inOrder(pkgs, runtime.GOMAXPROCS(0), func(p *packages.Package) {
		if r.Load.Ended() == nil {
			u.analyse(p)
		}
	})
	var list []Helper
	for _, p := range helping {
		for _, name := range u.done[p.ID].replaces {
			h := Helper{replacer: replacer{p.PkgPath, p.Name, name}, module: p.Module.Path, needs: make(map[string]bool)}
			if r.need(&h, p) {
				list = append(list, h)
			}
		}
	}
	return list, r.Load.Ended()
}

// need notes what may not import the helper, which is of a package: what that imports, and what tests inside of these
// do. It reports whether all of them are known.
func (r Runner) need(h *Helper, p *packages.Package) bool {
	all, tested := true, []string{}
	note := func(q *packages.Package) { h.needs[q.PkgPath] = true }
	packages.Visit([]*packages.Package{p}, nil, note)
	packages.Visit([]*packages.Package{p}, func(q *packages.Package) bool {
		if q.Module == nil || !q.Module.Main || len(q.GoFiles) == 0 {
			return false
		}
		names, _ := filepath.Glob(filepath.Join(filepath.Dir(q.GoFiles[0]), "*_test.go")) // the pattern is right
		for _, name := range names {
			f, err := untrusted.ParseFile(token.NewFileSet(), name, parser.ImportsOnly)
			if all = all && err == nil; err != nil || f.Name.Name != q.Name {
				continue
			}
			for _, spec := range f.Imports {
				path, _ := strconv.Unquote(spec.Path.Value) // it has been parsed
				if !h.needs[path] && (path == h.module || strings.HasPrefix(path, h.module+"/")) {
					tested = append(tested, path)
				}
			}
		}
		return all
	}, nil)
	if len(tested) > 0 && all {
		others, err := r.others(tested)
		packages.Visit(others, nil, note)
		all = err == nil
	}
	return all
}

// others are packages of a main module that need not be named.
func (r Runner) others(patterns []string) ([]*packages.Package, error) {
	c := r.Load
	c.Tests = false
	return c.Packages(patterns...)
}

// helping are the packages of a module that may have helpers: those that are named, and others that are loaded, if they
// can be.
func (r Runner) helping(named []*packages.Package, m *packages.Module) (helping []*packages.Package) {
	var others []string
	for _, dir := range r.helperFolders(m.Dir) {
		i := slices.IndexFunc(named, func(p *packages.Package) bool {
			return p.ForTest == "" && len(p.GoFiles) > 0 && filepath.Dir(p.GoFiles[0]) == dir
		})
		if i < 0 {
			others = append(others, dir)
		} else {
			helping = append(helping, named[i])
		}
	}
	if len(others) > 0 {
		if loaded, err := r.others(others); err == nil {
			helping = append(helping, loaded...)
		}
	}
	return slices.DeleteFunc(helping, func(p *packages.Package) bool { return p.Name == "main" || known.IsCopy(p.PkgPath) })
}

// helperFolders are the folders of a module that may have a helper by the text of their files: cheaply, and few. A helper
// is there on every system; what it calls may differ.
func (r Runner) helperFolders(root string) []string {
	renames, writes := make(map[string]bool), make(map[string]bool)
	for name := range load.Sources(root) {
		src, err := r.Load.ReadFile(name)
		if err != nil || strings.HasSuffix(name, "_test.go") {
			continue
		}
		dir := filepath.Dir(name)
		renames[dir] = renames[dir] || bytes.Contains(src, []byte(".Rename"))
		writes[dir] = writes[dir] || bytes.Contains(src, []byte(".FileMode)")) && helper.MatchString(string(src)) && everywhere(name, src)
	}
	maps.DeleteFunc(writes, func(dir string, is bool) bool { return !is || !renames[dir] })
	return slices.Sorted(maps.Keys(writes))
}

// helperFor is the helper that stands nearest to a package, of those that it can import, the first
// one of its package; none where two packages are as near.
func (r Runner) helperFor(p *packages.Package) replacer {
	of := load.BasePath(p)
	if p.Module == nil || of == load.FilesPackage {
		return replacer{}
	}
	able := slices.DeleteFunc(slices.Clone(r.Helpers), func(h Helper) bool {
		return h.module != p.Module.Path || h.needs[of] || !visible(h.path, of)
	})
	slices.SortStableFunc(able, func(a, b Helper) int { return steps(a.path, of) - steps(b.path, of) })
	if len(able) == 0 || slices.ContainsFunc(able, func(h Helper) bool {
		return h.path != able[0].path && steps(h.path, of) == steps(able[0].path, of)
	}) {
		return replacer{}
	}
	return able[0].replacer
}

// visible reports whether a package can be imported from another one, as far as folders named
// internal go.
func visible(path, from string) bool {
	parts := strings.Split(path, "/")
	for i := len(parts) - 1; i >= 0; i-- {
		if parts[i] == "internal" {
			parent := strings.Join(parts[:i], "/")
			return from == parent || strings.HasPrefix(from, parent+"/")
		}
	}
	return true
}

// steps counts the folders from one package to another.
func steps(a, b string) int {
	return strings.Count(a, "/") + strings.Count(b, "/") + 2 - 2*syntax.SharedElements(a, b)
}

// function is a replacer as a package that does not import it knows it: by its name. It is nil for none.
func (f replacer) function() *types.Func {
	if f == (replacer{}) {
		return nil
	}
	return types.NewFunc(token.NoPos, types.NewPackage(f.path, f.pkg), f.name, new(types.Signature))
}
