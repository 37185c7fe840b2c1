package lostupdate

import (
	"cmp"
	"go/ast"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/cycles"
	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/evidence"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/lexicon"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// together asks for the lock of a file at all places of the package that save it, or at none: a lock
// that one of them does not take keeps none of the others from losing what it saves.
func (c *checker) together(found map[*site]*finding.Finding) {
	locks := map[*site]finding.SpanLock{}
	for s, f := range found {
		switch {
		case !spans(f):
		case family(s.cycle.Last()) == "":
			f.Remedy, f.NoFix = nil, "only its callers know which file it is, and others may save that with no lock"
		default:
			locks[s] = c.lock(s, found)
		}
	}
	for s, lock := range locks {
		found[s].Remedy, found[s].Saves = lock, family(s.cycle.Last())
	}
}

// Offers are objections to locks that other packages take: the functions of this package that save
// a file which those may save, too, with no lock.
func Offers(p *effects.Package, x *evidence.Index) []*finding.Finding {
	c := newChecker(p, x)
	var list []*finding.Finding
	for _, f := range c.p.Funcs {
		for _, save := range c.saves(f) {
			at, ok := save.At.(ssa.CallInstruction)
			key := family(save)
			if !ok || key == "" || save.Here() == nil || save.CalleeEffect != nil && family(save.CalleeEffect) != "" || c.covered(nil, f, at) {
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
		lock.With = append(lock.With, finding.Saver{
			Func: w.f.Name(), Pos: w.call.Pos(), NoLock: "it saves the file and does not load it before",
		})
	}
	return lock
}

// family is what is saved by an effect as the innermost function calls it that knows: empty
// where none does, and who calls them says which file it is.
func family(save *effects.Effect) string {
	key := ""
	for e := save; e != nil; e = e.CalleeEffect {
		if path := pathOf(e); path != nil {
			key = cmp.Or(path.PackageKey(), key)
		}
	}
	return key
}

// A writer is a call by which a function saves a file that it does not load.
type writer struct {
	f    *effects.Func
	call *ast.CallExpr
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
		list = append(list, writer{f, call})
	}
	for _, f := range c.p.Funcs {
		for _, save := range c.saves(f) {
			at, ok := save.At.(ssa.CallInstruction)
			if ok && family(save) == key && (save.CalleeEffect == nil || family(save.CalleeEffect) == "") {
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
