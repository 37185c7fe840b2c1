package lostupdate

import (
	"cmp"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/cycles"
	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/lexicon"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
	"github.com/lockvet/lockvet/internal/state"
)

// together asks for the lock of a file at all places of the package that save it, or at none: a lock
// that one of them does not take keeps none of the others from losing what it saves.
func (c *checker) together(found map[*site]*finding.Finding) {
	locks := map[*site]finding.SpanLock{}
	for s, f := range found {
		if lock, ok := f.Remedy.(finding.SpanLock); ok {
			locks[s] = c.withOthers(s, lock, found)
		}
	}
	for s, lock := range locks {
		found[s].Remedy, found[s].Saves = lock, family(s.cycle.Last())
	}
}

// Offers are objections to locks that other packages take: the functions of this package that save
// a file which those may save, too, with no lock.
func Offers(p *effects.Package, x *state.Index) []*finding.Finding {
	c := newChecker(p, x)
	var list []*finding.Finding
	for _, f := range c.p.Funcs {
		for _, save := range c.saves(f) {
			if key := family(save); key != "" && knowsFile(save) && !c.covered(f, save) {
				list = append(list, &finding.Finding{
					Check: Name, Pos: save.Here().Pos(), Func: f.Name(), Elsewhere: finding.SavedAs(key),
					NoFix: "it stands in another package",
				})
			}
		}
	}
	return list
}

// withOthers is the lock of a site, with what else saves the file.
func (c *checker) withOthers(s *site, lock finding.SpanLock, found map[*site]*finding.Finding) finding.SpanLock {
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
		other.Lock, _ = found[o].Remedy.(finding.SpanLock)
		lock.With = append(lock.With, other)
	}
	lock.With = append(lock.With, c.writers(sites)...)
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

// writers are the functions that save the file of sites and do not load it: each is the innermost that knows
// the file, or calls what a site saves it by.
func (c *checker) writers(sites []*site) []finding.Saver {
	key := family(sites[0].cycle.Last())
	known, helpers := map[*effects.Func]bool{}, map[*effects.Func]bool{}
	for _, s := range sites {
		known[s.f] = true
		for _, save := range c.saves(s.f) {
			for _, call := range save.Via {
				helpers[c.p.Callee(call)] = family(save) == key || helpers[c.p.Callee(call)]
			}
		}
	}
	var list []finding.Saver
	for _, f := range c.p.Funcs {
		for _, save := range c.saves(f) {
			byHelper := len(save.Via) > 0 && helpers[c.p.Callee(save.Via[0])] && !known[c.p.Callee(save.Via[0])]
			if !known[f] && !helpers[f] && family(save) == key && (byHelper || knowsFile(save)) && !c.covered(f, save) {
				list = append(list, finding.Saver{
					Func: f.Name(), Pos: save.Here().Pos(), NoLock: "it saves the file and does not load it before",
				})
			}
		}
	}
	return list
}

// knowsFile reports whether the function of an effect that saves a file is the innermost that knows which.
func knowsFile(save *effects.Effect) bool {
	return save.CalleeEffect == nil || family(save.CalleeEffect) == ""
}

// covered reports whether a lock is held where a function saves a file.
func (c *checker) covered(f *effects.Func, save *effects.Effect) bool {
	return save.Here() == nil || lexicon.CallersLock(f.SSA.Name()) || cycles.LockedAt(c.p.Package, f, save.At)
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
