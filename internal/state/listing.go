package state

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/lexicon"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// Lister is where the package lists the directory that w writes to and takes
// every file in it for its own: it would meet a temporary file there. It is nil
// where nothing does.
func (x *Index) Lister(w *effects.Effect) *effects.Effect {
	own := w
	if f := x.p.Of(w.In); f != nil {
		list := f.OfKind(w.Kind)
		if i := slices.IndexFunc(list, func(e *effects.Effect) bool { return e.Pos == w.Pos }); i >= 0 {
			own = list[i]
		}
	}
	if len(x.lists) == 0 {
		return nil
	}
	at, inside := directoryOf(w), directoryOf(own)
	for _, e := range x.lists {
		if at.listed(e) || inside.listed(e) {
			return e
		}
	}
	return nil
}

// A directory is where the file of an effect stands, nil where that is not known; key is
// its family.
type directory struct {
	path *pathexpr.Term
	key  string
	in   *ssa.Function
}

func directoryOf(w *effects.Effect) directory {
	dir := w.Path.Path().Dir()
	return directory{dir, dir.PackageKey(), w.In}
}

// listed reports whether list lists the directory: the same family of directories, or
// both of one receiver.
func (d directory) listed(list *effects.Effect) bool {
	if d.path == nil {
		return false
	}
	if d.key != "" && d.key == list.Path.PackageKey() || d.path.MayBe(list.Path) {
		return true
	}
	return isReceiver(d.path) && isReceiver(list.Path) && sameReceiver(d.in, list.In)
}

// isReceiver reports whether a term is the first parameter of the function that
// stands around everything.
func isReceiver(t *pathexpr.Term) bool {
	return t != nil && t.Kind == pathexpr.Param && t.Index%memory.Outer == 0
}

func sameReceiver(a, b *ssa.Function) bool {
	ra, rb := memory.Outermost(a).Signature.Recv(), memory.Outermost(b).Signature.Recv()
	return ra != nil && rb != nil && types.Identical(ra.Type(), rb.Type())
}

// Holder is where an object keeps the file at path open that w writes: what goes
// through that handle once the file is replaced is lost. It is nil where none is
// known.
func (x *Index) Holder(w *effects.Effect, path *pathexpr.Term) *effects.Effect {
	for _, e := range x.keeps {
		if e.On(w.Handle) {
			continue
		}
		st := e.At.(*ssa.Store)
		owner := st.Addr.(*ssa.FieldAddr).X.Type()
		for _, kept := range []*pathexpr.Term{e.Path, x.p.LockPath(st, pathexpr.NewParam(0, "", memory.NamedType(owner)))} {
			if kept != nil && (memory.SameFile(kept, path) && e.In == w.In || kept.PackageKey() != "" && kept.PackageKey() == path.PackageKey()) {
				return e
			}
		}
	}
	return nil
}

// LeftOpen are the places at which functions of the package open the file at path, which w writes in
// root, and never close it.
func (x *Index) LeftOpen(root *effects.Func, w *effects.Effect, path *pathexpr.Term) (list []*effects.Effect) {
	if path == nil {
		return nil
	}
	var keys []string
	for _, alt := range effects.Alternatives(path) {
		keys = append(keys, alt.PackageKey())
	}
	named := func(t *pathexpr.Term) bool { return t.PackageKey() != "" && slices.Contains(keys, t.PackageKey()) }
	for _, o := range x.p.Derived(unclosed{}, func() any { return x.findUnclosed() }).([]opening) {
		if !o.at.On(w.Handle) &&
			(slices.ContainsFunc(effects.Alternatives(o.at.Path), named) || o.f == root && memory.SameFile(o.at.Path, path)) {
			list = append(list, o.at)
		}
	}
	return list
}

type unclosed struct{}

// An opening is where a function, or what it calls, opens a file.
type opening struct {
	f  *effects.Func
	at *effects.Effect
}

// findUnclosed lists what the functions of the package open, and neither close, keep nor hand on.
func (x *Index) findUnclosed() (list []opening) {
	for _, f := range x.p.Funcs {
		closed := map[string]bool{}
		for _, e := range f.OfKind(effects.Close, effects.Unlock, effects.StoreHandle, effects.Escape) {
			if e.Handle != nil {
				for _, alt := range effects.Alternatives(e.Handle.File()) {
					closed[alt.File().Key()] = true
				}
			}
		}
		for _, e := range f.OfKind(effects.Read, effects.Open, effects.OpenOrCreate, effects.Truncate, effects.CreateExclusive) {
			if e.Handle == nil || e.Path == nil || e.Foreign != "" {
				continue
			}
			if !slices.ContainsFunc(effects.Alternatives(e.Handle.File()), func(h *pathexpr.Term) bool { return closed[h.File().Key()] }) {
				list = append(list, opening{f, e})
			}
		}
	}
	return list
}

// Publisher is where another function of the package, which is named for saving, puts a whole file in the
// place of the one at path, which w writes, and that function; nil where none does.
func (x *Index) Publisher(w *effects.Effect, path *pathexpr.Term) (by *effects.Func, at *effects.Effect) {
	for _, f := range x.p.Funcs {
		if _, saves := lexicon.ObjectOf(f.SSA.Name(), lexicon.SaveVerbs); !saves || path.PackageKey() == "" ||
			slices.ContainsFunc(f.Effects, func(e *effects.Effect) bool { return e.Pos == w.Pos }) {
			continue // it makes the write, too
		}
		for _, e := range f.OfKind(effects.Rename, effects.Replace) {
			target := e.Path
			if e.Kind == effects.Rename {
				target = e.Target
			}
			if target.Path().PackageKey() == path.PackageKey() && (at == nil || len(e.Via) < len(at.Via)) {
				by, at = f, e
			}
		}
	}
	return by, at
}

// KeepsOpen reports whether w is made by a method of an object that has a mutex and
// keeps the file at path open: of such a file there is one process, and one
// goroutine at a time.
func (x *Index) KeepsOpen(w *effects.Effect, path *pathexpr.Term) bool {
	recv := memory.Outermost(w.In).Signature.Recv()
	if recv == nil || !slices.ContainsFunc(known.LockFields(recv.Type()), func(v *types.Var) bool { return known.IsMutex(v.Type()) }) {
		return false
	}
	e := x.Holder(w, path)
	return e != nil && memory.NamedType(e.At.(*ssa.Store).Addr.(*ssa.FieldAddr).X.Type()) == memory.NamedType(recv.Type())
}
