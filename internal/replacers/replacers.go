// Package replacers finds the functions of a program that replace a whole file, as safeio.WriteFile does: by what they
// do, not by what they are called; of libraries that it imports, package known says so. A fix calls them in the place of safeio.
package replacers

import (
	"cmp"
	"go/types"
	"iter"
	"slices"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/lexicon"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// Of are the functions of the package, and of those of the program that it imports, which take
// what os.WriteFile takes and put it in the place of the file as a whole: through a temporary file
// that nobody else has, in the same directory. Those of the package may choose the mode. First come
// those that follow a link, as os.WriteFile does, then those of the package. One that is named for
// files of one purpose is for those alone.
func Of(p *effects.Package) []*types.Func {
	type key struct{}
	return p.Derived(key{}, func() any {
		var all [4][]*types.Func
		for fn, f := range Own(p) {
			if !delegates(f) && lexicon.ForAnyFile(fn.Name()) {
				i := place(fn, f.Effects, 0)
				all[i] = append(all[i], fn)
			}
		}
		for _, pkg := range p.Pass.Pkg.Imports() {
			for fn := range writers(pkg) {
				if list := told(p, fn); known.ReplacesWhole(fn) || replaces(list) {
					i := place(fn, list, 1)
					all[i] = append(all[i], fn)
				}
			}
		}
		for _, list := range all {
			slices.SortStableFunc(list, func(a, b *types.Func) int { return byName(a.Name(), b.Name()) })
		}
		return slices.Concat(all[:]...)
	}).([]*types.Func)
}

// ByName are functions of the packages that the package imports, and calls already for other files.
// They do what [Of] do, through a temporary file that always has the same name. What is
// wrong with that name is reported where they stand.
func ByName(p *effects.Package) (list []*types.Func) {
	for _, pkg := range p.Pass.Pkg.Imports() {
		for fn := range writers(pkg) {
			if custom(p, fn) && replacesByName(told(p, fn)) {
				list = append(list, fn)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b *types.Func) int { return byName(a.Name(), b.Name()) })
	return list
}

// custom reports whether the package names a function in more than one place.
func custom(p *effects.Package, fn *types.Func) bool {
	n := 0
	for _, obj := range p.Pass.TypesInfo.Uses {
		if obj == types.Object(fn) {
			n++
		}
	}
	return n > 1
}

// writers are the functions of a package that others can call as they call os.WriteFile.
func writers(pkg *types.Package) iter.Seq[*types.Func] {
	return func(yield func(*types.Func) bool) {
		for _, name := range pkg.Scope().Names() {
			if fn, ok := pkg.Scope().Lookup(name).(*types.Func); ok && fn.Exported() && lexicon.ForAnyFile(name) &&
				likeWriteFile(fn, len(taken)) &&
				!yield(fn) {
				return
			}
		}
	}
}

// place is that of a function, with one for the package that it is of: lower where it follows a
// link, and is not named for one kind of files.
func place(fn *types.Func, list []*effects.Effect, of int) int {
	follows := slices.ContainsFunc(list, func(e *effects.Effect) bool {
		return e.Kind == effects.Rename && e.Target != nil && e.Target.Kind == pathexpr.Alt
	})
	if _, kind := lexicon.Extensions.Words.In(fn.Name()); follows && kind == "" {
		return of
	}
	return 2 + of
}

// byName has those first that say that what they write lasts.
func byName(a, b string) int {
	if lasts := lexicon.Lasts(a); lasts != lexicon.Lasts(b) {
		return map[bool]int{true: -1, false: 1}[lasts]
	}
	return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}

// Exported are the names of those functions of the package itself that others can call, in the same
// order.
func Exported(p *effects.Package) (names []string) {
	for fn := range Own(p) {
		if fn.Exported() && lexicon.ForAnyFile(fn.Name()) && TakesMode(fn) {
			names = append(names, fn.Name())
		}
	}
	slices.SortFunc(names, byName)
	return names
}

// Own are those functions of the package itself, and what they do.
func Own(p *effects.Package) iter.Seq2[*types.Func, *effects.Func] {
	return func(yield func(*types.Func, *effects.Func) bool) {
		for _, f := range p.Funcs {
			if fn, ok := f.SSA.Object().(*types.Func); ok && (likeWriteFile(fn, len(taken)) || likeWriteFile(fn, len(taken)-1)) &&
				replaces(f.Effects) &&
				!yield(fn, f) {
				return
			}
		}
	}
}

// delegates reports whether a function has another one of the package rename files, which may
// come to be one that calls it.
func delegates(f *effects.Func) bool {
	return slices.ContainsFunc(f.OfKind(effects.Rename), func(e *effects.Effect) bool { return len(e.Via) > 0 && e.Foreign == "" })
}

// told is what the summary of a function of another package says of the files that it writes.
func told(p *effects.Package, fn *types.Func) (list []*effects.Effect) {
	if s := p.Fact(fn); s != nil {
		for _, e := range s.Effects {
			list = append(list, &effects.Effect{Action: effects.Action{Kind: e.Kind, Path: e.Path, Target: e.Target, Dropped: e.Dropped, Synced: e.Synced}})
		}
	}
	return list
}

// replaces reports whether effects are those of a function that renames a temporary file over
// the one that it is given, drops no error of writing it, and writes no other. Where it gives up,
// nobody asks how the file closes.
func replaces(list []*effects.Effect) bool {
	made, target := replacing(list, effects.CreateExclusive)
	return made != nil && (made.Kind == pathexpr.Fresh || drawn(made)) && len(made.Args) > 0 && pathexpr.IsDirOf(made.Args[0], target)
}

// drawn reports whether a path ends in a name that the program draws or counts for itself.
func drawn(t *pathexpr.Term) bool {
	return t.Kind == pathexpr.Join && len(t.Args) == 2 && t.Args[1].Any(func(x *pathexpr.Term) bool {
		return x.Kind == pathexpr.Unknown || x.Kind == pathexpr.Random || x.Kind == pathexpr.Global && len(x.Args) == 0
	})
}

// replacesByName is replaces for a temporary file with the name of the target and something
// behind it.
func replacesByName(list []*effects.Effect) bool {
	made, target := replacing(list, effects.Truncate)
	return made != nil && made.Extends(target)
}

// replacing are the temporary file that effects make, in the way that a kind says, and the file that
// it takes the place of, the first parameter's; nil where other files are written, or an error of
// it is dropped. Some move the old file aside for a system on which a rename does not replace it.
func replacing(list []*effects.Effect, kind effects.Kind) (made, target *pathexpr.Term) {
	var last, renamed *effects.Effect
	closed := false
	for _, e := range list {
		switch e.Kind {
		case kind:
			if last != nil && kind == effects.Truncate {
				return nil, nil
			}
			last = e
		case effects.Rename:
			if last == nil || !memory.SameFile(last.Path, e.Path) {
				continue // the old file, which is moved aside or back
			}
			renamed = e
		case effects.CreateExclusive, effects.Truncate, effects.Append:
			return nil, nil
		}
		if e.Dropped && (e.Kind == effects.Write || e.Kind == effects.Rename) {
			return nil, nil
		}
		// What was synced as it was written has no error left for its closing.
		closed = closed || e.Kind == effects.Close && !e.Dropped || e.Kind == kind && e.Synced
	}
	if !closed || last == nil || renamed == nil || !firstFile(renamed.Target) {
		return nil, nil
	}
	return last.Path.Path(), renamed.Target
}

// firstFile reports whether a path is the first parameter, or the file behind it where that is a link.
func firstFile(t *pathexpr.Term) bool {
	if t == nil || t.Kind != pathexpr.Alt {
		return t != nil && t.Kind == pathexpr.Param && t.Index == 0
	}
	return slices.ContainsFunc(t.Args, firstFile) && !slices.ContainsFunc(t.Args, func(t *pathexpr.Term) bool {
		return !firstFile(t) && !t.Any(func(x *pathexpr.Term) bool {
			return x.Kind == pathexpr.Call && (x.Text == "os.Readlink" || x.Text == "path/filepath.EvalSymlinks")
		})
	})
}

// TakesMode reports whether a function takes all that os.WriteFile takes.
func TakesMode(fn *types.Func) bool { return likeWriteFile(fn, len(taken)) }

// taken are the types of what os.WriteFile takes.
var taken = []string{"string", "[]byte", "io/fs.FileMode"}

// likeWriteFile reports whether a function has the signature of os.WriteFile, with the first n
// parameters.
func likeWriteFile(fn *types.Func, n int) bool {
	sig := fn.Signature()
	takes := sig.Params().Len()
	if sig.Variadic() && n == len(taken) {
		takes-- // options
	}
	if sig.Recv() != nil || sig.TypeParams() != nil || takes != n || sig.Results().Len() != 1 ||
		!memory.IsErrorType(sig.Results().At(0).Type()) {
		return false
	}
	for i, want := range taken[:n] {
		if got := types.TypeString(types.Unalias(sig.Params().At(i).Type()), nil); got != want {
			return false
		}
	}
	return true
}
