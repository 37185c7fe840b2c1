package effects

import (
	"go/ast"
	"go/types"
	"iter"
	"slices"
	"sync"

	"golang.org/x/tools/go/analysis"

	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/pathexpr"
	"github.com/lockvet/lockvet/internal/slice"
)

// touchesFiles is the gate in front of SSA: only a package that names a function
// which acts on files, or one of which a fact says so, or two of which one loads what
// the other saves, can have an effect. One that names a directory of the user, or draws a name at
// random, can tell others. One that only encodes has something to tell where others write what it
// has encoded.
func touchesFiles(pass *analysis.Pass) bool {
	names, encodes, named := false, false, newHalves()
	for _, obj := range pass.TypesInfo.Uses {
		names = names || known.Draws(obj)
	}
	for fn, s := range foreign(pass) {
		if known.ActsOnFiles(fn) {
			return true
		}
		if !encodes {
			row, _ := known.Lookup(fn)
			encodes = slice.Encodes(row.Op)
		}
		names = names || known.NamesHome(fn.FullName())
		if s != nil {
			if s.writesCallersPath() || named.add(s) {
				return true
			}
			names = names || s.namesPlace()
		}
	}
	return encodes && encodesForOthers(pass) || names && namesForOthers(pass.Pkg)
}

// foreign yields the functions of other packages that a package names, each once, with what their facts say of
// them; nil for one without.
func foreign(pass *analysis.Pass) iter.Seq2[*types.Func, *Summary] {
	return func(yield func(*types.Func, *Summary) bool) {
		telling, seen := map[*types.Package]bool{}, map[*types.Func]bool{}
		for _, obj := range pass.TypesInfo.Uses {
			fn, ok := obj.(*types.Func)
			if !ok || fn.Pkg() == nil || fn.Pkg() == pass.Pkg || seen[fn] {
				continue
			}
			seen[fn] = true
			told, asked := telling[fn.Pkg()]
			if !asked {
				told = pass.ImportPackageFact(fn.Pkg(), new(touches))
				telling[fn.Pkg()] = told
			}
			s := new(Summary)
			if !told || !pass.ImportObjectFact(fn.Origin(), s) {
				s = nil
			}
			if !yield(fn, s) {
				return
			}
		}
	}
}

// namesPlace reports whether a function returns a path that is the same wherever it is asked for.
func (s *Summary) namesPlace() bool {
	return slices.ContainsFunc(s.Results, func(t *pathexpr.Term) bool { return t.PackageKey() != "" && !t.Has(pathexpr.Param) })
}

// namesForOthers reports whether a package has functions that tell others a text, which may be
// a path.
func namesForOthers(pkg *types.Package) bool {
	return pkg.Name() != "main" && slices.ContainsFunc(pkg.Scope().Names(), func(name string) bool {
		fn, ok := pkg.Scope().Lookup(name).(*types.Func)
		return ok && fn.Exported() && slice.YieldsText(fn.Signature())
	})
}

// encodesForOthers reports whether a function of the package itself names an encoder, and what
// it encodes can reach a file of another package.
func encodesForOthers(pass *analysis.Pass) bool {
	for _, f := range pass.Files {
		for _, d := range f.Decls {
			decl, ok := d.(*ast.FuncDecl)
			if !ok || decl.Body == nil {
				continue
			}
			fn, ok := pass.TypesInfo.Defs[decl.Name].(*types.Func)
			if !ok || !slice.EncodesForOthers(fn) {
				continue
			}
			found := false
			ast.Inspect(decl.Body, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok && !found {
					if used, ok := pass.TypesInfo.Uses[id].(*types.Func); ok {
						row, _ := known.Lookup(used)
						found = slice.Encodes(row.Op)
					}
				}
				return !found
			})
			if found {
				return true
			}
		}
	}
	return false
}

// halves are the files that functions of other packages load, and those that they
// save, by their abstract paths.
type halves struct{ loads, saves map[string]bool }

func newHalves() halves { return halves{loads: map[string]bool{}, saves: map[string]bool{}} }

// add notes the files of a function, and reports whether one of these is loaded and
// saved now.
func (h halves) add(s *Summary) bool {
	whole := false
	for path, saves := range s.halves() {
		half, other := h.loads, h.saves
		if saves {
			half, other = other, half
		}
		half[path] = true
		whole = whole || other[path]
	}
	return whole
}

// halves yields the abstract paths of the files that a function loads or saves.
func (s *Summary) halves() iter.Seq2[string, bool] {
	return func(yield func(path string, saves bool) bool) {
		for _, e := range s.Effects {
			path, saves := e.Path.PackageKey(), true
			switch e.Kind {
			case Read:
				saves = false
			case Rename:
				path = e.Target.PackageKey()
			case Truncate, Replace:
			default:
				continue
			}
			if path != "" && !yield(path, saves) {
				return
			}
		}
	}
}

// actors is what of other packages acts on a file by its fact: on one that its caller names, on an
// object's own, or on one of which the package has the other half done by another such function.
func actors(pass *analysis.Pass) func(*types.Func) bool {
	both := sync.OnceValue(func() halves {
		h := newHalves()
		for _, s := range foreign(pass) {
			if s != nil {
				h.add(s)
			}
		}
		return h
	})
	return func(fn *types.Func) bool {
		var s Summary
		if !pass.ImportObjectFact(fn, &s) {
			return false
		}
		if s.acts() {
			return true
		}
		for path := range s.halves() {
			if h := both(); h.loads[path] && h.saves[path] {
				return true
			}
		}
		return false
	}
}

// writesCallersPath reports whether a function writes a file that its caller names, or
// that belongs to an object of its caller's: only then can the caller know more of it
// than the function's own package.
func (s *Summary) writesCallersPath() bool {
	for _, e := range s.Effects {
		switch e.Kind {
		case Write, Replace:
			if e.Object != nil {
				return true
			}
		case Truncate, Open, CreateExclusive, Rename, opening:
			if fromCaller(e.Path) || fromCaller(e.Target) {
				return true
			}
		}
	}
	return false
}
