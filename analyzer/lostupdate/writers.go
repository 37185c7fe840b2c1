package lostupdate

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/types"
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/cycles"
	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/lexicon"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// together puts the locks of a file around everything in the package that saves it, or
// around nothing: a lock that one of them does not take keeps none of the others from
// losing what it saves.
func (c *checker) together(found map[*site]*finding.Finding) {
	families := map[string][]*site{}
	for _, save := range c.order {
		s := c.sites[save]
		if f := found[s]; f != nil && spans(f) {
			if key := family(s.cycle.Last()); key != "" {
				families[key] = append(families[key], s)
			} else if w := c.otherSaver(s, found); w != nil { // its callers say which file it is
				at := c.p.Fset.Position(w.Here().Pos())
				f.Remedy, f.NoFix = nil, fmt.Sprintf("%s saves a file that it is given, too, with no lock, at %s:%d", c.p.Of(w.At.Parent()).Name(), filepath.Base(at.Filename), at.Line)
			}
		}
	}
	locks := map[*site]finding.SpanLock{}
	for _, sites := range families {
		for _, s := range sites {
			locks[s] = c.lock(s, found)
		}
	}
	for s, lock := range locks {
		found[s].Remedy, found[s].Saves = lock, family(s.cycle.Last())
	}
}

// otherSaver is a save of another function, with no lock and none to come, of a file that its
// callers name as those of a site do: it may be the same one.
func (c *checker) otherSaver(s *site, found map[*site]*finding.Finding) *effects.Effect {
	file := pathOf(s.cycle.Last())
	if c.callersName(s.f) {
		return nil
	}
	passed := map[*effects.Func]bool{}
	for _, f := range c.p.Below(s.f) {
		passed[f] = true
	}
	for o, f := range found {
		passed[o.f] = passed[o.f] || spans(f)
	}
	for _, f := range c.p.Funcs {
		if passed[f] || primitive(f.SSA.Signature) || len(c.saves(f)) == 0 || c.callersName(f) {
			continue
		}
		for _, save := range c.saves(f) {
			at, ok := save.At.(ssa.CallInstruction)
			if ok && save.Here() != nil && maybeSame(file, pathOf(save)) && !c.covered([]*site{s}, f, at) {
				return save
			}
		}
	}
	return nil
}

// primitive reports whether a function writes the bytes that it is told, as os.WriteFile does: its
// callers are those that save.
func primitive(sig *types.Signature) bool {
	n := sig.Params().Len()
	if n == 0 {
		return false
	}
	last := types.TypeString(types.Unalias(sig.Params().At(n-1).Type()), nil)
	return last == "io/fs.FileMode" || last == "[]byte"
}

// callersName reports whether a function is called in the package only, and all that call it say
// which file it is to save.
func (c *checker) callersName(f *effects.Func) bool {
	sites := c.p.Callers().Sites(f.SSA)
	return len(sites) > 0 && !effects.Exported(f.SSA) && !slices.ContainsFunc(sites, func(site ssa.CallInstruction) bool {
		g := c.p.Of(site.Parent())
		return g == nil || slices.ContainsFunc(c.saves(g), func(save *effects.Effect) bool {
			return save.At == ssa.Instruction(site) && !ownFile(g, pathOf(save))
		})
	})
}

// ownFile reports whether a function says which file a path is: by a name, or as what its object or
// the package has.
func ownFile(f *effects.Func, path *pathexpr.Term) bool {
	own := func(t *pathexpr.Term) bool { return ownFile(f, t) }
	switch path.Kind {
	case pathexpr.Const:
		return path.Text != ""
	case pathexpr.Global:
		return true
	case pathexpr.Field:
		return f.SSA.Signature.Recv() != nil && path.Args[0].Kind == pathexpr.Param && path.Args[0].Index == 0
	case pathexpr.Alt:
		return !slices.ContainsFunc(path.Args, func(t *pathexpr.Term) bool { return !own(t) })
	case pathexpr.Join, pathexpr.Concat:
		return slices.ContainsFunc(path.Args, own)
	}
	return false
}

// maybeSame reports whether a file that callers name can be another one: that has no name of its
// own, either, or the same one in a directory that callers name.
func maybeSame(file, other *pathexpr.Term) bool {
	if other.Kind == pathexpr.Alt {
		return slices.ContainsFunc(other.Args, func(t *pathexpr.Term) bool { return maybeSame(file, t) })
	}
	if file.Kind == pathexpr.Param {
		return other.Kind == pathexpr.Param || other.Kind == pathexpr.Join && !other.Last().Has(pathexpr.Const)
	}
	return file.Kind == pathexpr.Join && other.Kind == pathexpr.Join && other.Args[0].Kind == pathexpr.Param &&
		file.Last().Kind == pathexpr.Const && file.Last().Text == other.Last().Text
}

// savers are the functions of the package that save a file which others may save, too, with no
// lock. Each is an objection to locks of that file that other packages take.
func (c *checker) savers() []*finding.Finding {
	var list []*finding.Finding
	for _, f := range c.p.Funcs {
		for _, save := range c.saves(f) {
			at, ok := save.At.(ssa.CallInstruction)
			key := family(save)
			if !ok || key == "" || save.Here() == nil || save.Of != nil && family(save.Of) != "" || c.covered(nil, f, at) {
				continue
			}
			list = append(list, &finding.Finding{
				Check: Name, Pos: save.Here().Pos(), Func: f.Name(), Elsewhere: finding.SavedAs(key),
				NoFix: "it stands in another package",
			})
		}
	}
	return list
}

// spans reports whether a finding asks for a lock.
func spans(f *finding.Finding) bool {
	_, ok := f.Remedy.(finding.SpanLock)
	return ok
}

// lock is the lock of a site, with what else saves the file.
func (c *checker) lock(s *site, found map[*site]*finding.Finding) finding.SpanLock {
	lock := found[s].Remedy.(finding.SpanLock)
	sites := []*site{s}
	for _, save := range c.order {
		o := c.sites[save]
		if o == s || found[o] == nil || o.cycle.OneCall() || family(o.cycle.Last()) != family(s.cycle.Last()) {
			continue
		}
		sites = append(sites, o)
		if o.f == s.f {
			if load, _ := o.calls(); load != nil && load.Pos() < lock.Load.Pos() {
				lock.Load = load
			}
			continue
		}
		other := finding.Saver{Func: o.f.Name(), Pos: o.at.save, NoLock: found[o].NoFix}
		var ok bool
		if other.Lock, ok = found[o].Remedy.(finding.SpanLock); !ok && other.NoLock == "" {
			other.NoLock = "it takes another one"
		}
		lock.With = append(lock.With, other)
	}
	for _, w := range c.writers(sites) {
		other := finding.Saver{Func: w.f.Name(), Pos: w.call.Pos()}
		other.Lock, other.NoLock = c.around(w, sites)
		lock.With = append(lock.With, other)
	}
	return lock
}

// family is what is saved by an effect as the innermost function calls it that knows: empty
// where none does, and who calls them says which file it is.
func family(save *effects.Effect) string {
	key := ""
	for e := save; e != nil; e = e.Of {
		if path := pathOf(e); path != nil {
			key = cmp.Or(path.Abstract(), fixed(path), key)
		}
	}
	return key
}

// fixed is the key of a path that is one of several, none of which a caller has named.
func fixed(path *pathexpr.Term) string {
	if !path.Has(pathexpr.Alt) || path.Any(func(t *pathexpr.Term) bool {
		return t.Kind == pathexpr.Param || t.Kind == pathexpr.Unknown || t.Kind == pathexpr.Elem || t.Kind == pathexpr.Fresh || t.Kind == pathexpr.Random
	}) {
		return ""
	}
	return path.Key()
}

// A writer is a call by which a function saves a file that it does not load.
type writer struct {
	f    *effects.Func
	call *ast.CallExpr
	save *effects.Effect // as the function has it, nil where it does not say which file it is
}

// writers are the calls that save the file of sites outside of them and without a lock: each
// in the innermost function that nobody calls with one.
func (c *checker) writers(sites []*site) []writer {
	key := family(sites[0].cycle.Last())
	var list []writer
	seen := map[ssa.Instruction]bool{}
	var visit func(at ssa.CallInstruction)
	visit = func(at ssa.CallInstruction) {
		f, call := c.p.Of(at.Parent()), c.p.Call(at)
		if seen[at] || f == nil || call == nil || c.covered(sites, f, at) {
			return
		}
		seen[at] = true
		if c.calledUnder(sites, f) {
			for _, site := range c.p.Callers().Sites(f.SSA) {
				visit(site)
			}
			return
		}
		w := writer{f: f, call: call}
		for _, save := range c.saves(f) {
			if save.At == ssa.Instruction(at) {
				w.save = save
			}
		}
		list = append(list, w)
	}
	for _, f := range c.p.Funcs {
		for _, save := range c.saves(f) {
			at, ok := save.At.(ssa.CallInstruction)
			if ok && family(save) == key && (save.Of == nil || family(save.Of) == "") {
				visit(at)
			}
		}
	}
	slices.SortFunc(list, func(a, b writer) int { return cmp.Compare(a.call.Pos(), b.call.Pos()) })
	return list
}

// covered reports whether a lock is held at an instruction, or will be: it stands behind
// the load of one of the sites in the same function.
func (c *checker) covered(sites []*site, f *effects.Func, at ssa.CallInstruction) bool {
	call := c.p.Call(at)
	return lexicon.CallersLock(f.SSA.Name()) || cycles.LockedAt(c.p.Package, f, at) ||
		slices.ContainsFunc(sites, func(s *site) bool { return s.f == f && call != nil && s.at.load <= call.Pos() })
}

// calledUnder reports whether a function is called where the lock of sites is held.
func (c *checker) calledUnder(sites []*site, f *effects.Func) bool {
	seen := map[*effects.Func]bool{}
	var under func(f *effects.Func) bool
	under = func(f *effects.Func) bool {
		if f == nil || seen[f] {
			return false
		}
		seen[f] = true
		return slices.ContainsFunc(c.p.Callers().Sites(f.SSA), func(site ssa.CallInstruction) bool {
			g := c.p.Of(site.Parent())
			return g != nil && (c.covered(sites, g, site) || under(g))
		})
	}
	return under(f)
}

// around is the lock around a writer, or why it cannot be taken there.
func (c *checker) around(w writer, sites []*site) (finding.SpanLock, string) {
	for _, s := range sites {
		if w.f == s.f {
			return finding.SpanLock{}, "it does so before it loads it"
		}
		if slices.Contains(c.p.Below(w.f), s.f) {
			return finding.SpanLock{}, "it calls " + s.f.Name() + ", which would wait for the same lock"
		}
	}
	if w.save == nil {
		return finding.SpanLock{}, "the function has no name for the path of the file"
	}
	s := c.unreported(w, sites[0])
	if s == nil {
		s = &site{f: w.f, at: place{w.call.Pos(), w.call.Pos()}, cycle: cycles.Cycle{File: pathOf(w.save), Read: w.save, Write: w.save}}
	}
	r, why := c.remedy(s, "unlocked")
	lock, ok := r.(finding.SpanLock)
	if !ok {
		return lock, why
	}
	for _, e := range w.f.OfKind(effects.Stat, effects.Read) { // what it finds there is to be so still when it saves
		if at := e.Here(); at != nil && e.When == effects.Inline && at.Pos() < lock.Load.Pos() && memory.SameFile(e.Path, pathOf(w.save)) {
			lock.Load = at
		}
	}
	return lock, ""
}

// unreported is a site of the function of a writer at which it loads the file, too, although
// nothing is lost by that alone; nil for none.
func (c *checker) unreported(w writer, of *site) *site {
	for _, save := range c.order {
		if o := c.sites[save]; o.f == w.f && o.at.save == w.call.Pos() && family(o.cycle.Last()) == family(of.cycle.Last()) {
			return o
		}
	}
	return nil
}

// saves are the effects of a function by which all content of a file changes that the package
// has named, or it gets more: what a function of another package saves by itself is that one's.
func (c *checker) saves(f *effects.Func) []*effects.Effect {
	list, known := c.saved[f]
	if known {
		return list
	}
	for _, w := range f.Effects {
		path, last := f.Saves(w)
		if w.Kind == effects.Append {
			path, last = w.Path, w
		}
		if path != nil && (last.Foreign == "" || c.onCallersFile(last)) {
			list = append(list, last)
		}
	}
	c.saved[f] = list
	return list
}

// onCallersFile reports whether an effect of another package is on a file that it is given.
func (c *checker) onCallersFile(save *effects.Effect) bool {
	save = save.Innermost()
	at, ok := save.At.(ssa.CallInstruction)
	path := pathOf(save)
	return ok && path != nil && slices.ContainsFunc(memory.CallArgs(at.Common()), func(arg ssa.Value) bool {
		return memory.IsString(arg.Type()) && memory.SameFile(c.p.Term(arg), path)
	})
}

// pathOf is the file that an effect saves, nil where it is not known.
func pathOf(save *effects.Effect) *pathexpr.Term {
	if save.Kind == effects.Rename {
		return save.Target
	}
	if save.Path == nil {
		return nil
	}
	return effects.PendingFor(save.Path)
}
