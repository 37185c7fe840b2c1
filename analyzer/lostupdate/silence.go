package lostupdate

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/cycles"
	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/evidence"
	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/lexicon"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
	"github.com/lockvet/lockvet/internal/verdict"
)

// A reason is why nothing is lost, or nothing that counts, although a file is loaded and
// saved with no lock: it asks its rules of the site, and tells which of them speak.
type reason func(*checker, *site, listener) bool

// reasons are asked one after the other.
var reasons = []reason{
	simple(callersFile, "the path is a parameter of an exported function", func(c *checker, s *site) bool {
		return s.isParameter() && s.isExported() && !c.isApart(s)
	}),
	simple(triedNames, "one of several names is tried in a place that a parameter names", func(_ *checker, s *site) bool { return s.isTried() && s.isExported() }),
	func(c *checker, s *site, says listener) bool { return c.guardedBy(s, says, ofTheSystem) },
	simple(notLoaded, "it is saved only where it could not be loaded", func(c *checker, s *site) bool { return unloaded(c.p, s.f, s.cycle) }),
	func(c *checker, s *site, says listener) bool {
		if g := c.reloader(s); g != nil {
			return says(reloaded, g.SSA.Pos(), g.Name()+" loads it before it saves it, and is looked at there")
		}
		return s.reloadedElsewhere() && says(reloaded, s.cycle.Write.Pos, s.cycle.Write.Foreign+" loads it before it saves it, and is looked at there")
	},
	simple(runsOnce, "what loads it runs once in a process", func(c *checker, s *site) bool { return c.runsOnce(s) }),
	func(c *checker, s *site, says listener) bool {
		g := c.keeper(s)
		return g != nil && says(memoized, g.SSA.Pos(), g.Name()+" keeps what it loads")
	},
	simple(compared, "what saves it reads it under the lock first, and saves none of that", func(c *checker, s *site) bool { return c.compares(s) }),
	simple(putBack, "the bytes that were read are written", func(_ *checker, s *site) bool { return s.cycle.PutsBack() }),
	simple(overwrittenFields, "each field is assigned to before the save", func(c *checker, s *site) bool { return overwritten(c.p, s.f, s.cycle) }),
	simple(newForm, "the content alone is saved, in another form", func(c *checker, s *site) bool { return upgrades(c.p, s.f, s.cycle) }),
	simple(atEnd, "it waits for events between the load and the save", func(c *checker, s *site) bool { return savesAtEnd(c.p, s.f, s.cycle) }),
	simple(stamp, "nothing but the time of now is put in", func(c *checker, s *site) bool { return stamps(c.p, s.f, s.cycle) }),
	simple(oneText, "a helper yields the one text of the file", func(_ *checker, s *site) bool { return cycles.AnswersText(s.cycle) }),
	simple(details, "a helper decodes the file and yields texts and numbers", func(_ *checker, s *site) bool { return cycles.AnswersDetails(s.f, s.cycle) }),
	simple(ofProcess, "it is loaded into a struct with a field for the number of a process", func(_ *checker, s *site) bool { return cycles.HasPid(s.cycle) }),
	simple(ofLiving, "its reader asks whether processes live", func(_ *checker, s *site) bool { return cycles.OfLiving(s.cycle) }),
	func(c *checker, s *site, says listener) bool {
		return c.guardedBy(s, says, []contextRule{{exclGuard, c.exclusive, "has made what fails where somebody has made it already"}})
	},
	simple(madeForIt, "each of its callers has made the directory", func(c *checker, s *site) bool { return c.scratch(s) }),
	func(c *checker, s *site, says listener) bool {
		g := c.lockedMaker(s)
		return g != nil && says(lockedObject, g.SSA.Pos(), g.Name()+" makes such objects, and keeps a lock")
	},
	simple(lockedName, "its name says that callers have the lock", func(_ *checker, s *site) bool { return lexicon.CallersLock(s.f.SSA.Name()) }),
	simple(chosen, "the user names the file", func(_ *checker, s *site) bool { return pathexpr.Chosen(s.cycle.File) }),
	simple(whoIsThere, "its name says that it is a lock, a pid file or a heartbeat", func(_ *checker, s *site) bool { return forWho(s.cycle.File) && !cycles.Collects(s.cycle) }),
	simple(cache, "it is named as a cache", func(_ *checker, s *site) bool { return cycles.IsCache(s.cycle.File) }),
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
			return own.Pos == last.Pos && own.At != nil && inner.Read.At != nil && !inner.OneCall() && c.p.Flow.Dominates(inner.Read.At, own.At)
		}) {
			return g
		}
	}
	return nil
}

// runsOnce reports whether a sync.Once runs what loads the file: later calls save what the first has
// loaded, which is looked at as an object that was loaded before.
func (c *checker) runsOnce(s *site) bool {
	within := func(e *effects.Effect, lit *ast.FuncLit) bool {
		return slices.ContainsFunc(append(slices.Clone(e.Via), e.Call), func(call *ast.CallExpr) bool {
			return call != nil && lit.Pos() <= call.Pos() && call.End() <= lit.End()
		})
	}
	return slices.ContainsFunc(c.p.Funcs, func(f *effects.Func) bool {
		lit, ok := f.SSA.Syntax().(*ast.FuncLit)
		return ok && within(s.cycle.Read, lit) && !within(s.cycle.Last(), lit) && doneOnce(f.SSA)
	})
}

// doneOnce reports whether a function literal is handed to a sync.Once where it stands.
func doneOnce(fn *ssa.Function) bool {
	for i := range flow.Instrs(fn.Parent()) {
		call, ok := i.(ssa.CallInstruction)
		if !ok || !memory.IsOnceDo(call.Common().StaticCallee()) {
			continue
		}
		does := call.Common().Args[1]
		if made, ok := does.(*ssa.MakeClosure); ok {
			does = made.Fn
		}
		if does == fn {
			return true
		}
	}
	return false
}

// keeper is a function on the way to the load that keeps the loaded object for its next call, which
// finds it there: one object is at work as long as the process is; nil for none.
func (c *checker) keeper(s *site) *effects.Func {
	next := func(f *effects.Func) (list []*effects.Func) {
		for _, e := range f.OfKind(effects.Load) {
			if g := c.p.Callee(e.Call); g != nil && (f != s.f || e == s.cycle.Read) {
				list = append(list, g)
			}
		}
		return list
	}
	var found *effects.Func
	flow.Any(c.p.Flow.Budget, func(f *effects.Func) bool {
		if f == s.f || !slices.ContainsFunc(f.OfKind(effects.Load), func(e *effects.Effect) bool { return c.keeps(e) }) {
			return false
		}
		found = f
		return true
	}, next, s.f)
	return found
}

// keeps reports whether what a call loads is put into memory that the function has a look at where it
// does not load, as well.
func (c *checker) keeps(load *effects.Effect) bool {
	made, ok := load.At.(*ssa.Call)
	if !ok {
		return false
	}
	before := func(same func(ssa.Instruction) bool) bool {
		for i := range flow.Instrs(made.Parent()) {
			if same(i) && !c.p.Flow.Dominates(made, i) {
				return true
			}
		}
		return false
	}
	return flow.Any(c.p.Flow.Budget, func(v ssa.Value) bool {
		return slices.ContainsFunc(flow.Uses(v), func(use ssa.Instruction) bool {
			switch use := use.(type) {
			case *ssa.Store:
				return use.Val == v && before(func(i ssa.Instruction) bool {
					read, ok := i.(*ssa.UnOp)
					return ok && read.Op == token.MUL && c.samePlace(read.X, use.Addr)
				})
			case *ssa.MapUpdate:
				return use.Value == v && before(func(i ssa.Instruction) bool {
					look, ok := i.(*ssa.Lookup)
					return ok && c.samePlace(look.X, use.Map)
				})
			}
			return false
		})
	}, parts, ssa.Value(made))
}

// parts are what a value is handed on as, whole or as one of several results.
func parts(v ssa.Value) (list []ssa.Value) {
	for _, use := range flow.Uses(v) {
		switch use := use.(type) {
		case *ssa.Extract, *ssa.Phi:
			list = append(list, use.(ssa.Value))
		}
	}
	return list
}

// samePlace reports whether two values are known for the same memory that outlives the function.
func (c *checker) samePlace(a, b ssa.Value) bool {
	m, n := c.p.Memory(a), c.p.Memory(b)
	return m != nil && n != nil && m.Equal(n) && (m.Kind == pathexpr.Field || m.Kind == pathexpr.Global || m.Kind == pathexpr.Elem)
}

// compares reports whether the call that saves the file takes its lock, and reads the file before it
// writes, not to keep a copy: it looks whether somebody else has saved it since it was loaded.
func (c *checker) compares(s *site) bool {
	last := s.cycle.Last()
	_, lock := c.locksOf(s, effects.Lock)
	return lock != nil && lock.At == last.At && evidence.Aside(s.f, s.cycle.Write, s.cycle.File) == nil && slices.ContainsFunc(s.f.OfKind(effects.Read, effects.Decode), func(r *effects.Effect) bool {
		return r != s.cycle.Read && r.At == last.At && effects.Before(lock, r) && effects.Before(r, last) && memory.SameFile(r.Path, s.cycle.File)
	})
}

// reloadedElsewhere reports whether a function of another package saves the file that is not
// given all of the content: some of it derives from what that function loads itself.
func (s *site) reloadedElsewhere() bool {
	w := s.cycle.Write
	return w.Foreign != "" && s.cycle.Read.At != w.At && slices.ContainsFunc(w.From, func(from memory.Source) bool {
		return from.At == w.At && from.File() != nil && memory.SameFile(from.File(), s.cycle.File)
	})
}

// isParameter reports whether a parameter is the file.
func (s *site) isParameter() bool {
	return s.cycle.File.Kind == pathexpr.Param && s.cycle.File.Type == ""
}

// isApart reports whether the load and the save have a lock each, and release it in
// between: callers cannot have that lock.
func (c *checker) isApart(s *site) bool {
	before, after := c.locksOf(s, effects.Lock)
	return before != nil && after != nil && memory.SameFile(before.Path, after.Path)
}

// locksOf are the locks of a kind that the function has at the load and at the save.
func (c *checker) locksOf(s *site, kind effects.Kind) (before, after *effects.Effect) {
	read, last := s.cycle.Read, s.cycle.Last()
	return cycles.Spanning(c.p.Package, s.f, kind, read, read, s.cycle.File), cycles.Spanning(c.p.Package, s.f, kind, last, last, s.cycle.File)
}

// isTried reports whether one of several names is tried in a place that a parameter says.
func (s *site) isTried() bool {
	file := s.cycle.File
	return file.Kind == pathexpr.Call && file.Has(pathexpr.Param) && file.Has(pathexpr.Elem)
}

// isExported reports whether other packages call the function.
func (s *site) isExported() bool { return effects.Exported(outermost(s.f.SSA)) }

// A way is a function that comes to the save of a site.
type way struct {
	root  *effects.Func
	fresh bool // the file stands in a directory that it has just made
}

// Root implements [evidence.Context].
func (w way) Root() *effects.Func { return w.root }

// scratch reports whether all who come to the save have made the directory for it, of
// a name that nobody else has.
func (c *checker) scratch(s *site) bool {
	if effects.Exported(outermost(s.f.SSA)) {
		return false
	}
	var ways []way
	for _, f := range c.p.Funcs {
		for _, e := range f.Effects {
			if e.Pos != s.cycle.Write.Pos {
				continue
			}
			if file, _ := f.Saves(e); file != nil {
				ways = append(ways, way{f, file.Has(pathexpr.Fresh)})
			}
		}
	}
	return evidence.Everywhere(ways, func(w way) bool { return w.fresh })
}

// ofTheSystem and ofOthers are the rules that, in a context, the file belongs to the system
// or another program, which takes no lock of this one.
var (
	ofTheSystem = []contextRule{{systemSettings, ofSystem, "changes settings of the system"}}
	ofOthers    = []contextRule{{anotherProgram, ofAnother, "changes a file in the directory of another program"}}
)

// placeOf are the names of directories and of the file, as far as they are constant.
func placeOf(k context) []string {
	var elems []string
	k.cycle.File.Expanded().Any(func(t *pathexpr.Term) bool {
		if t.Kind == pathexpr.Const {
			elems = append(elems, strings.FieldsFunc(t.Text, func(r rune) bool { return r == '/' })...)
		}
		return false
	})
	return elems
}

// inEtc reports whether a path leads to the settings of the system.
func inEtc(elems []string) bool { return len(elems) > 0 && elems[0] == "etc" }

// ofSystem reports whether the file has settings of the system.
func ofSystem(k context) bool {
	elems := placeOf(k)
	if !inEtc(elems) {
		return false
	}
	name := elems[len(elems)-1]
	return strings.HasSuffix(name, ".conf") || slices.ContainsFunc(lexicon.Words(name), func(w string) bool { return lexicon.Settings[w] })
}

// ofAnother reports whether the file stands in the directory of another program.
func ofAnother(k context) bool {
	elems := placeOf(k)
	if inEtc(elems) {
		return false
	}
	own := strings.ToLower(k.f.SSA.Pkg.Pkg.Path())
	structured := len(elems) > 0 && strings.HasSuffix(elems[len(elems)-1], ".json")
	for i, dir := range elems {
		program, hidden := strings.CutPrefix(strings.ToLower(dir), ".")
		if (hidden || lexicon.Homes.MatchString(strings.Join(elems[:i], "/"))) && lexicon.Programs[program] && !strings.Contains(own, program) && !(structured && lexicon.Plain[program]) {
			return true
		}
	}
	return false
}

func outermost(fn *ssa.Function) *ssa.Function {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	return fn
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

// lockedMaker is the function that makes, under a lock between processes which it keeps, what
// the function is a method of: there is such an object while the lock is held. It is nil for none.
func (c *checker) lockedMaker(s *site) *effects.Func {
	recv := s.f.SSA.Signature.Recv()
	if recv == nil {
		return nil
	}
	i := slices.IndexFunc(c.p.Funcs, func(g *effects.Func) bool {
		gives := false
		for v := range g.SSA.Signature.Results().Variables() {
			gives = gives || types.Identical(known.Pointee(v.Type()), known.Pointee(recv.Type()))
		}
		return gives && slices.ContainsFunc(g.Effects, func(e *effects.Effect) bool {
			return (e.Kind == effects.Lock || e.Kind == effects.CreateExclusive && !e.Path.Has(pathexpr.Fresh)) &&
				cycles.Ties(g, e.Path, s.cycle.File) && cycles.HeldAtEnd(c.p.Flow, g, e, memory.Succeeds)
		})
	})
	if i < 0 {
		return nil
	}
	return c.p.Funcs[i]
}
