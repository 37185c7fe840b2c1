package lostupdate

import (
	"slices"
	"strings"

	"github.com/lockvet/lockvet/internal/cycles"
	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/excludes"
	"github.com/lockvet/lockvet/internal/lexicon"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
	"github.com/lockvet/lockvet/internal/state"
	"github.com/lockvet/lockvet/internal/verdict"
)

// A reason is why nothing is lost, or nothing that counts, although a file is loaded and
// saved with no lock: it asks its rules of the site, and tells which of them speak.
type reason func(*checker, *site, listener) bool

// reasons are asked one after the other.
var reasons = []reason{
	simple(callersFile, "the path is a parameter of an exported function", func(c *checker, s *site) bool {
		file := s.cycle.File
		return file.Kind == pathexpr.Param && file.Type == "" && effects.Exported(memory.Outermost(s.f.SSA)) && !c.isApart(s)
	}),
	simple(notLoaded, "it is saved only where it could not be loaded",
		func(c *checker, s *site) bool { return unloaded(c.p, s.f, s.cycle) }),
	func(c *checker, s *site, says listener) bool {
		if g := c.reloader(s); g != nil {
			return says(reloaded, g.SSA.Pos(), g.Name()+" loads it before it saves it, and is looked at there")
		}
		return s.reloadedElsewhere() &&
			says(reloaded, s.cycle.Write.Pos, s.cycle.Write.Foreign+" loads it before it saves it, and is looked at there")
	},
	simple(putBack, "the bytes that were read are written", func(_ *checker, s *site) bool { return s.cycle.PutsBack() }),
	simple(notLoaded, "each field is assigned to before the save",
		func(c *checker, s *site) bool { return overwritten(c.p, s.cycle) }),
	simple(putBack, "the content alone is saved, in another form", func(c *checker, s *site) bool { return upgrades(c.p, s.f, s.cycle) }),
	simple(excludes.Details, "a helper decodes the file and yields texts and numbers",
		func(_ *checker, s *site) bool { return cycles.AnswersDetails(s.f, s.cycle) }),
	func(c *checker, s *site, says listener) bool {
		return c.guardedBy(s, says, guard{exclGuard, c.exclusive, "has made what fails where somebody has made it already"})
	},
	simple(excludes.Chosen, "the user names the file", func(_ *checker, s *site) bool { return state.Chosen(s.cycle.File) }),
	simple(whoIsThere, "its name, or the number of a process in it, says that it tells who is there", func(_ *checker, s *site) bool {
		return forWho(s.cycle.File) || cycles.HasPid(s.cycle)
	}),
	simple(excludes.Cache, "it is named as a cache", func(_ *checker, s *site) bool { return cycles.IsCache(s.cycle.File) }),
}

// simple is a reason of one rule, which sees text at the load.
func simple(r *verdict.Rule, text string, holds func(*checker, *site) bool) reason {
	return func(c *checker, s *site, says listener) bool {
		return holds(c, s) && says(r, s.at.load, text)
	}
}

// reloader is a function on the way to the save that always loads the file itself before,
// so that what counts is lost there or nowhere; nil for none.
func (c *checker) reloader(s *site) *effects.Func {
	last := s.cycle.Last()
	if s.cycle.OneCall() {
		return nil
	}
	for _, call := range last.Via {
		g := c.p.Callee(call)
		if g == nil || g == s.f {
			return nil
		}
		if slices.ContainsFunc(cycles.Of(c.p.Package, g), func(inner cycles.Cycle) bool {
			own := inner.Last()
			return own.Pos == last.Pos && own.At != nil && inner.Read.At != nil && !inner.OneCall() &&
				c.p.Flow.Dominates(inner.Read.At, own.At)
		}) {
			return g
		}
	}
	return nil
}

// reloadedElsewhere reports whether a function of another package saves the file that is not
// given all of the content: some of it derives from what that function loads itself.
func (s *site) reloadedElsewhere() bool {
	w := s.cycle.Write
	return w.Foreign != "" && s.cycle.Read.At != w.At && slices.ContainsFunc(w.From, func(from memory.Source) bool {
		return from.At == w.At && from.File() != nil && memory.SameFile(from.File(), s.cycle.File)
	})
}

// ofAnother reports whether the file stands in the directory of another program.
func ofAnother(k context) bool {
	elems := cycles.Elements(k.cycle.File)
	own := strings.ToLower(k.f.SSA.Pkg.Pkg.Path())
	structured := len(elems) > 0 && strings.HasSuffix(elems[len(elems)-1], ".json")
	for i, dir := range elems {
		program, hidden := strings.CutPrefix(strings.ToLower(dir), ".")
		if (hidden || lexicon.Homes.MatchString(strings.Join(elems[:i], "/"))) && lexicon.Programs[program] &&
			!strings.Contains(own, program) &&
			!(structured && lexicon.Plain[program]) {
			return true
		}
	}
	return false
}

// forWho reports whether the file only says who has something, or that somebody is
// there: a lock, pid or heartbeat file is written anew by everybody who takes it.
func forWho(path *pathexpr.Term) bool {
	last := path.Expanded().Last()
	return slices.ContainsFunc(append(pathexpr.Names(last), pathexpr.Constants(last)...), func(n string) bool {
		return slices.ContainsFunc(lexicon.Words(n), func(w string) bool { return lexicon.Holder[w] })
	})
}

// exclusive reports whether the function of a context has made a file before it loads that
// is the lock: one that nobody else can have made, which it asks about, has until the file
// is saved, and which is one for that file.
func (c *checker) exclusive(k context) bool {
	last := k.cycle.Last()
	return slices.ContainsFunc(k.f.OfKind(effects.CreateExclusive, effects.Link, effects.MakeDir), func(e *effects.Effect) bool {
		made := e.Path
		if e.Kind == effects.Link {
			made = e.Target
		}
		return made != nil && !made.Has(pathexpr.Fresh) && !e.Dropped && cycles.Has(c.p.Package, e, k.cycle.Read, last) &&
			cycles.Ties(k.f, made, k.cycle.File) && (forWho(made) || removedBehind(k.f, made, last))
	})
}

// removedBehind reports whether a function removes a file behind an effect, or whoever it
// calls to.
func removedBehind(f *effects.Func, made *pathexpr.Term, last *effects.Effect) bool {
	return slices.ContainsFunc(f.OfKind(effects.Remove), func(u *effects.Effect) bool {
		return u.Path != nil && memory.SameFile(u.Path, made) && effects.Reaches(last, u)
	})
}
