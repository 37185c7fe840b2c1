package lostupdate

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/cycles"
	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/lexicon"
	"github.com/lockvet/lockvet/internal/pathexpr"
	"github.com/lockvet/lockvet/internal/pattern"
)

// A reason is why nothing is lost, or nothing that counts, although a file is
// loaded and saved with no lock.
type reason struct {
	name  string
	holds func(*checker, *site) bool
}

// elsewhere is the name of a reason that is none for what is planned for the callers in
// other packages.
const elsewhere = "callers say which file"

// reasons are asked one after the other. Each has a fixture that is reported
// without it.
var reasons = []reason{
	{"generated code", func(c *checker, s *site) bool { return c.x.Generated(s.at.save) }},
	{elsewhere, func(_ *checker, s *site) bool { return s.asked() }},
	{"done once", func(c *checker, s *site) bool { return c.once(s) }},
	{"a file of another program", func(c *checker, s *site) bool { return c.guarded(s, anothers) }},
	{"saved where it could not be loaded", func(c *checker, s *site) bool { return unloaded(c.p, s.f, s.cycle) }},
	{"put back as it was read", func(_ *checker, s *site) bool { return s.cycle.PutsBack() }},
	{"each field assigned anew", func(c *checker, s *site) bool { return overwritten(c.p, s.f, s.cycle) }},
	{"brought to another form", func(c *checker, s *site) bool { return upgrades(c.p, s.f, s.cycle) }},
	{"left by one run of a server to the next", func(c *checker, s *site) bool { return savesAtEnd(c.p, s.f, s.cycle) }},
	{"says when something was done last", func(c *checker, s *site) bool { return stamps(c.p, s.f, s.cycle) }},
	{"asked for a text", func(c *checker, s *site) bool { return cycles.Answers(c.p.Package, s.f, s.cycle) }},
	{"about one process", func(c *checker, s *site) bool { return cycles.OfProcess(c.p.Package, s.cycle) }},
	{"a file that nobody else can have made", func(_ *checker, s *site) bool { return exclusive(s) }},
	{"a directory that every caller makes for it", func(c *checker, s *site) bool { return c.scratch(s) }},
	{"an object under a lock", func(c *checker, s *site) bool { return c.lockedObject(s.f) }},
	{"callers lock, by its name", func(_ *checker, s *site) bool { return callersLock(s.f) }},
	{"the user names the file", func(_ *checker, s *site) bool { return pathexpr.Chosen(s.cycle.File) }},
	{"says who is there", func(_ *checker, s *site) bool { return forWho(s.cycle.File) }},
	{"a cache", func(_ *checker, s *site) bool { return pathexpr.Replaceable(s.cycle.File) }},
}

// asked reports whether the callers in other packages say which file it is, or in
// which place one of several names is tried, and have the lock, if anybody has.
func (s *site) asked() bool {
	file := s.cycle.File
	given := file.Kind == pathexpr.Param && file.Type == ""
	tried := file.Kind == pathexpr.Call && len(file.Params()) > 0 && file.Has(pathexpr.Elem)
	return (given || tried) && effects.Exported(outermost(s.f.SSA))
}

// A way is a function that comes to the save of a site.
type way struct {
	root  *effects.Func
	fresh bool // the file stands in a directory that it has just made
}

// Root implements [effects.Context].
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
	return effects.Everywhere(ways, func(w way) bool { return w.fresh })
}

// callersLock reports whether a function says by its name that its callers hold
// the lock.
func callersLock(f *effects.Func) bool {
	name := strings.ToLower(f.SSA.Name())
	return strings.HasSuffix(name, "locked") || strings.HasSuffix(name, "nolock") || strings.HasSuffix(name, "unsafe") || strings.HasSuffix(name, "unlocked")
}

// once reports whether the cycle is a repair, a migration or a part of the set-up:
// a person starts it, once, and nothing else is at work; or it saves only where one of
// these has changed something.
func (c *checker) once(s *site) bool {
	if asksSeldom(s.cycle.Last().At) {
		return true
	}
	if seldom(s.f.SSA) || c.p.Callers().Always(s.f.SSA, func(call ssa.CallInstruction) bool { return seldom(call.Parent()) }) {
		return true
	}
	return slices.ContainsFunc(s.cycle.Last().Via, func(call *ast.CallExpr) bool {
		g := c.p.Callee(call)
		return g != nil && seldom(g.SSA)
	})
}

// seldom reports whether a function is named for what is done once. The name of its
// package does not tell: what is set up is changed again later, by functions of the
// same package.
func seldom(fn *ssa.Function) bool {
	words := lexicon.Words(outermost(fn).Name())
	if len(words) > 0 && words[0] == "auto" {
		words = words[1:]
	}
	return len(words) > 0 && onceWords[words[0]]
}

// asksSeldom reports whether a function comes to an instruction only where a call says
// so that repairs, migrates or sets up.
func asksSeldom(i ssa.Instruction) bool {
	return slices.ContainsFunc(flow.Conditions(i.Block()), func(c flow.Condition) bool {
		call, ok := c.Value.(*ssa.Call)
		if !ok || !c.Holds {
			return false
		}
		fn := call.Call.StaticCallee()
		return fn != nil && (seldom(fn) || ofSeldom(fn, i.Parent()))
	})
}

// ofSeldom reports whether a function stands in another package than the one that calls
// it, which is named for what is done once.
func ofSeldom(fn, caller *ssa.Function) bool {
	caller = outermost(caller)
	return fn.Pkg != nil && caller.Pkg != nil && fn.Pkg != caller.Pkg && onceWords[fn.Pkg.Pkg.Name()]
}

// onceWords are compared with the first word of a function's name, and with the whole
// name of a package.
var onceWords = map[string]bool{"fix": true, "repair": true, "migrate": true, "setup": true, "configure": true, "provision": true, "bootstrap": true}

// anothers reports whether, in a context, the file belongs to another program, which
// takes no lock of this one: it stands in that one's directory, or it has settings of
// the system.
func anothers(k context) bool {
	var elems []string
	k.cycle.File.Expanded().Any(func(t *pathexpr.Term) bool {
		if t.Kind == pathexpr.Const {
			elems = append(elems, strings.FieldsFunc(t.Text, func(r rune) bool { return r == '/' })...)
		}
		return false
	})
	if len(elems) > 0 && elems[0] == "etc" {
		name := elems[len(elems)-1]
		return strings.HasSuffix(name, ".conf") || slices.ContainsFunc(lexicon.Words(name), func(w string) bool { return w == "config" || w == "settings" })
	}
	own := strings.ToLower(k.f.SSA.Pkg.Pkg.Path())
	for i, dir := range elems {
		program, hidden := strings.CutPrefix(strings.ToLower(dir), ".")
		if (hidden || homes.MatchString(strings.Join(elems[:i], "/"))) && slices.Contains(programs, program) && !strings.Contains(own, program) {
			return true
		}
	}
	return false
}

// homes are the directories in which each program has one of its own.
var homes = pattern.New(`(^|/)(\.config|\.local/share|\.local/state|Application Support|AppData/Roaming|AppData/Local)$`)

// programs are those whose files others change: of the system, editors, and agents of
// the command line.
var programs = strings.Fields(`ssh gnupg git kube docker aws vscode zed cursor windsurf
	claude codex gemini copilot cline factory continue openclaw opencode qwen pi goose code gitconfig`)

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
		return slices.ContainsFunc(lexicon.Words(n), func(w string) bool { return w == "lock" || w == "lck" || w == "pid" || w == "heartbeat" })
	})
}

// exclusive reports whether the function may have made a file before that can be
// the lock: one that nobody else can have made.
func exclusive(s *site) bool {
	return slices.ContainsFunc(s.f.Effects, func(e *effects.Effect) bool {
		made := e.Kind == effects.CreateExclusive && !e.Path.Has(pathexpr.Fresh) || e.Kind == effects.Link || e.Kind == effects.MakeDir
		return made && (effects.Reaches(e, s.cycle.Read) || effects.Before(e, s.cycle.Last()))
	})
}

// lockedObject reports whether the function is a method of what is made under a
// lock between processes: there is such an object while the lock is held.
func (c *checker) lockedObject(f *effects.Func) bool {
	recv := f.SSA.Signature.Recv()
	return recv != nil && slices.ContainsFunc(c.p.Funcs, func(g *effects.Func) bool {
		gives := false
		for v := range g.SSA.Signature.Results().Variables() {
			gives = gives || types.Identical(known.Pointee(v.Type()), known.Pointee(recv.Type()))
		}
		return gives && slices.ContainsFunc(g.Effects, func(e *effects.Effect) bool {
			return e.Kind == effects.Lock || e.Kind == effects.CreateExclusive && !e.Path.Has(pathexpr.Fresh)
		})
	})
}
