package state

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
	"github.com/lockvet/lockvet/internal/slice"
)

// trusted finds the test for existence that decides whether the file is
// written at all, or whether another function is content. A helper that answers
// with nothing but an error, or not at all, makes room or refuses to overwrite;
// it trusts nothing.
func (x *Index) trusted(root *effects.Func, w *effects.Effect, path *pathexpr.Term) *effects.Effect {
	for _, e := range root.OfKind(effects.Stat) {
		if e.Foreign == "" && memory.SameFile(e.Path, path) && effects.Before(e, w) &&
			(e.In == w.In || e.In == root.SSA || slice.Answers(e.In.Signature)) &&
			!x.looksInside(e) &&
			!asksMode(e) {
			return e
		}
	}
	for _, alt := range effects.Alternatives(path) {
		if key := alt.PackageKey(); key != "" && x.probed[key] != nil {
			return x.probed[key]
		}
	}
	return nil
}

// looksInside reports whether the function that asks for a file reads it, too.
func (x *Index) looksInside(stat *effects.Effect) bool {
	f := x.p.Of(stat.In)
	if f == nil {
		return false
	}
	i := slices.IndexFunc(f.Effects, func(e *effects.Effect) bool { return e.Kind == effects.Stat && e.Pos == stat.Pos })
	return i >= 0 && slices.ContainsFunc(f.Effects, func(e *effects.Effect) bool {
		return e.Kind == effects.Read && memory.SameFile(e.Path, f.Effects[i].Path)
	})
}

// asksMode reports whether the mode or the owner of the file is what is asked for: who may read it,
// whether it is a link.
func asksMode(stat *effects.Effect) bool {
	call, ok := stat.Innermost().At.(*ssa.Call)
	if !ok {
		return false
	}
	return slices.ContainsFunc(flow.Uses(call), func(i ssa.Instruction) bool {
		info, ok := i.(*ssa.Extract)
		return ok && info.Index == 0 && slices.ContainsFunc(flow.Uses(info), func(i ssa.Instruction) bool {
			asked, ok := i.(*ssa.Call)
			return ok && asked.Call.IsInvoke() &&
				(asked.Call.Method.Name() == "Sys" || asked.Call.Method.Name() == "Mode" && !askedForKind(asked))
		})
	})
}

// askedForKind reports whether all that is asked of a mode is whether it is of a regular file or of
// a directory.
func askedForKind(mode *ssa.Call) bool {
	uses := flow.Uses(mode)
	return len(uses) > 0 && !slices.ContainsFunc(uses, func(i ssa.Instruction) bool {
		call, ok := i.(*ssa.Call)
		return !ok || call.Call.StaticCallee() == nil ||
			call.Call.StaticCallee().Name() != "IsRegular" && call.Call.StaticCallee().Name() != "IsDir"
	})
}

// readers finds who decodes and who reads the path: in the function itself by
// the exact term, elsewhere in the package by the abstract one.
// What the writing call of another package reads itself, that package knew.
func (x *Index) readers(root *effects.Func, w *effects.Effect, path *pathexpr.Term) (decoder, reader *effects.Effect) {
	for _, alt := range effects.Alternatives(path) {
		if key := alt.PackageKey(); key != "" {
			decoder, reader = first(decoder, x.sameFamily(x.decoded[key], root, w, alt)), first(
				reader,
				x.sameFamily(x.read[key], root, w, alt),
			)
		}
		for _, e := range root.ReadersOf(alt) {
			if other(e, w) == nil {
				continue
			}
			if reader = first(reader, e); e.Kind == effects.Decode {
				decoder = first(decoder, e)
			}
		}
	}
	return decoder, reader
}

// sameFamily is e, which reads or decodes a file of the family of path, or another effect which does
// so where root has e about another file than w is on: a copy is made of one directory in another.
func (x *Index) sameFamily(e *effects.Effect, root *effects.Func, w *effects.Effect, path *pathexpr.Term) *effects.Effect {
	if other(e, w) == nil || !isOnOther(root, e, path) {
		return other(e, w)
	}
	for _, f := range x.p.Funcs {
		if f == root || x.p.CanCall(f, root) || x.calledOnlyBy(root, f) {
			continue
		}
		for _, o := range f.OfKind(e.Kind) {
			if other(o, w) != nil &&
				slices.ContainsFunc(filesOf(o), func(t *pathexpr.Term) bool { return t.PackageKey() == path.PackageKey() }) {
				return o
			}
		}
	}
	return nil
}

// calledOnlyBy reports whether nobody but root calls f.
func (x *Index) calledOnlyBy(root, f *effects.Func) bool {
	sites := x.p.Callers().Sites(f.SSA)
	return len(sites) > 0 && !slices.ContainsFunc(sites, func(site ssa.CallInstruction) bool { return site.Parent() != root.SSA })
}

// isOnOther reports whether f reads or decodes by e another file than that at path.
func isOnOther(f *effects.Func, e *effects.Effect, path *pathexpr.Term) bool {
	is := false
	for _, o := range f.OfKind(e.Kind) {
		if o.Pos != e.Pos {
			continue
		}
		for _, file := range filesOf(o) {
			if is = pathexpr.OfOthers(file, path); !is {
				return false
			}
		}
	}
	return is
}

// filesOf are the files that are read by a Read, or from which a Decode has what it decodes.
func filesOf(e *effects.Effect) (list []*pathexpr.Term) {
	if e.Kind == effects.Read && e.Path != nil {
		return effects.Alternatives(e.Path)
	}
	e.Data.Any(func(t *pathexpr.Term) bool {
		if t.Kind == pathexpr.Content {
			list = append(list, effects.Alternatives(t.Args[0].Path())...)
		}
		return false
	})
	return list
}

// readElsewhere reports whether a function that root does not lead to reads the path,
// nor one that leads to root.
func (x *Index) readElsewhere(root *effects.Func, path *pathexpr.Term) bool {
	key := path.PackageKey()
	return key != "" && slices.ContainsFunc(x.p.Funcs, func(f *effects.Func) bool {
		return f != root && slices.ContainsFunc(f.OfKind(effects.Read), func(e *effects.Effect) bool {
			return e.Path != nil && e.Path.PackageKey() == key
		}) && !x.p.CanCall(root, f) && !x.p.CanCall(f, root)
	})
}

// Reader is where the package reads the path, nil where it does not.
func (x *Index) Reader(root *effects.Func, path *pathexpr.Term) *effects.Effect {
	_, r := x.readers(root, &effects.Effect{}, path)
	return r
}

func first[T any](a, b *T) *T {
	if a != nil {
		return a
	}
	return b
}

// other is e, unless it happens inside the same call of another package as w.
func other(e, w *effects.Effect) *effects.Effect {
	if e != nil && w.Foreign != "" && e.Pos == w.Pos {
		return nil
	}
	return e
}
