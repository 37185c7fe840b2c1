package evidence

import (
	"go/ast"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/lexicon"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
	"github.com/lockvet/lockvet/internal/verdict"
)

// The rules that make a warning of a report.
var (
	copied = verdict.Declare(verdict.Rule{
		ID: "severity/copy", Effect: verdict.Lowers, Fixture: "tornwrite/severity",
		Why:    "the content is that of another file, which still exists: a copy that is cut short can be made again",
		Source: "true reports that their authors would not merge: wtfutil/wtf, asheshgoplani/agent-deck",
	})
	unproven = verdict.Declare(verdict.Rule{
		ID: "severity/unproven", Effect: verdict.Lowers, Fixture: "tornwrite/unproven",
		Why: "only a name, an encoder or a rename says that the file is state. A loader known by its name alone " +
			"counts for methods of one type, and for settings, sessions and secrets",
		Source: "true reports that their authors would not merge: devspace-sh/devspace, gogs/gogs, " +
			"asheshgoplani/agent-deck, vbonnet/dear-agent, smart-mcp-proxy/mcpproxy-go; principle: a weaker evidence " +
			"is a lower severity",
	})
)

// OneWriter is the rule that nothing shows two writers of a file.
var OneWriter = verdict.Declare(verdict.Rule{
	ID: "severity/one-writer", Effect: verdict.Lowers, Fixture: "lostupdate/severity",
	Why: "it takes two writers at one time, and nothing in the package shows two: no goroutine, request " +
		"handler or lock, and no name",
	Source: "true reports that their authors would not merge: zyedidia/micro, yorukot/superfile, wtfutil/wtf, " +
		"asheshgoplani/agent-deck, mark3labs/kit; principle: a weaker evidence is a lower severity",
})

// The rules that show two writers at one time, and so keep an error one.
var (
	concurrently = two("goroutines", "lostupdate/severity/goroutines", "a goroutine or a request handler leads to the "+
		"write. A goroutine that a function named for a start starts once is one writer, as are all under a mutex, but "+
		"for a lost update. Goroutines that name the file by what they are handed have one each. There a request "+
		"counts only where the file holds credentials",
		"not worth it: settings that one administrator saves by hand, in jeessy2/ddns-go; wanted reports: "+
			"chenhg5/cc-connect (patchSessionSource); right or harmless: asheshgoplani/agent-deck (writerLoop of a "+
			"watcher); principle")
	byItself = two("asked", "lostupdate/severity/asked", "a function that the program calls by itself leads to the "+
		"write. For a lost update it counts where the file holds credentials, as do questions; a question that saves "+
		"counts in any case",
		"a field report: a gate whose question whether something was checked saves; wanted reports: tokens that a "+
			"getter saves, in mark3labs/kit; not worth it: lists of yorukot/superfile and asheshgoplani/agent-deck, "+
			"tokens of Dicklesworthstone/coding_agent_account_manager; principle: what goes on by itself goes on in "+
			"every process")
	lockTaken = two("locks", "lostupdate/severity/locks", "for a lost update, the package takes a lock between "+
		"processes for the file: its authors have seen two",
		"wanted reports: asheshgoplani/agent-deck; principle: a lock is for two")
	servesToo = two("server", "lostupdate/severity/server", "for a lost update, a request handler or a goroutine of "+
		"the package saves a value of the same type. A command changes such a file while the server does",
		"wanted reports: tomasz-tomczyk/crit (comments that agents add while the review is open); principle: what "+
			"serves goes on while commands run")
	namedByCaller = two("given", "tornwrite/severity/given", "callers name the file and hand its content: a helper "+
		"that replaces any file is called all the time",
		"wanted reports: zyedidia/micro (SafeWrite), asheshgoplani/agent-deck (writeFileDurable); not worth it: "+
			"helpers that write one kind of object, in asheshgoplani/agent-deck and drn/argus")
)

// two declares a rule that shows two writers at one time.
func two(name, fixture, why, source string) *verdict.Rule {
	return verdict.Declare(verdict.Rule{ID: "two-writers/" + name, Effect: verdict.For, Fixture: fixture, Why: why, Source: source})
}

// Weigh notes what bears on how much a finding counts: it stands at the write w of the file path, as root sees it; proven
// says that the program shows what it is. together says that two writers at one time are what loses the data.
func (x *Index) Weigh(
	k *verdict.Candidate,
	f *finding.Finding,
	proven bool,
	root *effects.Func,
	w *effects.Effect,
	path *pathexpr.Term,
	together bool,
) {
	lower := func(rule *verdict.Rule, text string) bool { return k.Says(rule, w.Pos, text) }
	if !proven {
		lower(unproven, "nothing shows what the file is to the program")
	}
	funcs := []string{memory.Outermost(w.In).Name(), memory.Outermost(root.SSA).Name()}
	nouns := append(pathexpr.Names(path), pathexpr.Constants(path)...)
	names := slices.Clone(funcs)
	if recv := memory.RecvName(w.In); recv != "" {
		names, nouns = append(names, recv), append(nouns, recv)
	}
	of := slices.Concat(nouns, funcs)
	if word, name := lexicon.MadeAgain(slices.DeleteFunc(slices.Clone(of), pathexpr.Memo(path))...); word != "" {
		// What is cached by a function can be an entry of a file that holds more.
		entry := slices.Contains(funcs, name) && x.derived(root, w, path)
		f.Passing = lower(lexicon.Again.Rule, "\""+name+"\" says "+word) && !lexicon.Outputs.Has(word) && !entry &&
			!slices.ContainsFunc(of, lexicon.NamesLogin)
	}
	if why := x.ofItself(root, w, nouns, funcs); why != "" && lower(lexicon.OfItself.Rule, why) {
		f.Passing = true
	}
	if word, name := lexicon.RunOnce.Words.In(append(names, x.p.Pass.Pkg.Name())...); word != "" {
		lower(lexicon.RunOnce.Rule, "\""+name+"\" says "+word)
	}
	if data := written(root, w); data != nil && data.Kind == pathexpr.Content && !memory.SameFile(data.Args[0], path) {
		lower(copied, "its content is that of "+data.Args[0].Named("another file"))
	}
	if !together {
		return
	}
	if word, name := lexicon.Registry(nouns, funcs); word != "" && k.Says(lexicon.Registries.Rule, w.Pos, "\""+name+"\" says "+word) {
		return
	}
	if !x.two(k, f, root, w, path, of) {
		lower(OneWriter, "nothing shows two writers at a time")
	}
}

// ofItself says why the file that w writes is about the program and not for its user: by the names of
// it and of functions, or by what is encoded on the way to w. It is empty for any other.
func (x *Index) ofItself(root *effects.Func, w *effects.Effect, nouns, funcs []string) string {
	source := strings.TrimSuffix(filepath.Base(x.p.Pass.Fset.Position(w.In.Pos()).Filename), ".go")
	if word, name := lexicon.AboutItself(x.p.Pass.Pkg.Name(), source, nouns, funcs); word != "" {
		return "\"" + name + "\" says " + word
	}
	for _, t := range x.encodes(root, w) {
		var fields []string
		if st, ok := t.Underlying().(*types.Struct); ok {
			for field := range st.Fields() {
				fields = append(fields, field.Name())
			}
		}
		if lexicon.OnlyUpdates(fields) {
			return t.Obj().Name() + " holds what is known of updates"
		}
	}
	return ""
}

// written is what w writes, or the open file of which all comes that is written through the
// handle which it opens; nil for anything else.
func written(root *effects.Func, w *effects.Effect) *pathexpr.Term {
	if w.Data != nil {
		return w.Data
	}
	var data *pathexpr.Term
	for _, e := range root.OnHandle(w.Handle, effects.Write) {
		switch {
		case data != nil || e.Data == nil || e.Data.Kind != pathexpr.Content || e.Data.Args[0].File().Kind != pathexpr.Handle:
			return nil
		default:
			data = e.Data
		}
	}
	return data
}

// lostUpdate is the check of files that are loaded, changed and saved: who is given such a file
// is given one that is changed now and then, and a helper that replaces any file all the time.
const lostUpdate = "lostupdate"

// unlocked is its variant of a file that is loaded and saved by one function, or the functions that
// it calls, so that little time passes in between.
const unlocked = lostUpdate + "/unlocked"

// ofProcess is the variant of a file that only writers of one process share.
const ofProcess = "pidtemp"

// two reports whether something shows that two writers can meet at the file of w, which is about
// what the names say.
func (x *Index) two(
	k *verdict.Candidate,
	f *finding.Finding,
	root *effects.Func,
	w *effects.Effect,
	path *pathexpr.Term,
	names []string,
) bool {
	lost := k.Check == lostUpdate
	if !lost && f.Variant != ofProcess && replacesAny(root, w, path) &&
		k.Says(namedByCaller, w.Pos, "callers name the file and hand its content") {
		return true
	}
	secret, _ := lexicon.Secrets.Words.In(names...)
	if lost || !alone(root, w) {
		if by := x.concurrent(root, w, !lost || secret != ""); by != "" && k.Says(concurrently, w.Pos, by) {
			return true
		}
	}
	goesOn := func(fn *ssa.Function) bool {
		return !known.IsCommand(memory.Outermost(fn).Signature) && !known.IsCommand(fn.Signature) &&
			(lexicon.ByItself(fn.Name()) && (!lost || secret != "") || lexicon.Asked(fn.Name()) && lost && (secret != "" || fn == root.SSA))
	}
	if fn := x.calling(root.SSA, goesOn); fn != nil &&
		k.Says(byItself, w.Pos, memory.FuncName(fn)+" is called whenever the program asks for it") {
		return true
	}
	if !lost {
		return false
	}
	if g, by := x.servedToo(root, w); by != "" && k.Says(servesToo, g.SSA.Pos(), g.Name()+" saves such a value, too, and "+by) {
		return true
	}
	return x.lockedAnywhere(root, w, path) && k.Says(lockTaken, w.Pos, "a lock is taken for it")
}

// servedToo is another function that saves a value of a type which root saves at w, and how two of
// it can be at work at a time; nil and empty for none.
func (x *Index) servedToo(root *effects.Func, w *effects.Effect) (*effects.Func, string) {
	s := x.p.Derived(servers{x}, func() any { return x.findServers() }).(*serving)
	for _, t := range x.encodes(root, w) {
		for _, s := range s.of[t] {
			if s.f != root {
				return s.f, s.by
			}
		}
	}
	return nil, ""
}

type servers struct{ x *Index }

// serving are the functions that can be at work twice at a time, by the types of the package's own
// that they save.
type serving struct{ of map[*types.Named][]server }

// A server is a function that saves something, and how two of it can be at work at a time.
type server struct {
	f  *effects.Func
	by string
}

func (x *Index) findServers() *serving {
	s := &serving{map[*types.Named][]server{}}
	for _, f := range x.p.Funcs {
		for _, e := range f.OfKind(effects.Write, effects.Replace) {
			own := x.encodes(f, e)
			if len(own) == 0 {
				continue
			}
			by := x.concurrent(f, e, true)
			if by == "" {
				continue
			}
			for _, t := range own {
				if !slices.ContainsFunc(s.of[t], func(s server) bool { return s.f == f }) {
					s.of[t] = append(s.of[t], server{f, by})
				}
			}
		}
	}
	return s
}

// encodes lists the types of the package's own that f, or what it calls on the way to w, encodes.
func (x *Index) encodes(f *effects.Func, w *effects.Effect) []*types.Named {
	list := x.encodedBy(f.SSA)
	for _, site := range w.Via {
		if g := x.p.Callee(site); g != nil {
			list = append(slices.Clip(list), x.encodedBy(g.SSA)...)
		}
	}
	return list
}

// toFile reports whether an encoder writes to an open file, and not to the answer to a request, say.
func (x *Index) toFile(to ssa.Value) bool {
	t := x.p.Term(to)
	return t != nil && t.File().Kind == pathexpr.Handle
}

// encodedBy lists the types of the package's own that a function encodes.
func (x *Index) encodedBy(fn *ssa.Function) []*types.Named {
	list, ok := x.encoded[fn]
	if ok {
		return list
	}
	for i := range flow.Instrs(fn) {
		call, ok := i.(ssa.CallInstruction)
		if !ok {
			continue
		}
		row, _ := known.Lookup(x.p.CalleeOf(call.Common()))
		args, n := memory.CallArgs(call.Common()), row.A
		if row.Op == known.EncodeTo {
			n = row.B
		}
		if row.Op != known.Encode && row.Op != known.EncodeTo || n < 0 || n >= len(args) ||
			row.Op == known.EncodeTo && !x.toFile(args[row.A]) {
			continue
		}
		if t, ok := known.Pointee(memory.Unwrapped(args[n]).Type()).(*types.Named); ok && t.Obj().Pkg() == x.p.Pass.Pkg {
			list = append(list, t)
		}
	}
	x.encoded[fn] = list
	return list
}

// alone reports whether no other goroutine of the process comes to w at the same time: a mutex is
// held there, or its function says by its name that callers hold one.
func alone(root *effects.Func, w *effects.Effect) bool {
	return lexicon.CallersLock(root.SSA.Name()) || lexicon.CallersLock(w.In.Name()) || root.Excludes(w)
}

// replacesAny reports whether callers name the file that w writes, and hand its content.
func replacesAny(root *effects.Func, w *effects.Effect, path *pathexpr.Term) bool {
	return path.Path().Kind == pathexpr.Param && handed(root, w, func(data *pathexpr.Term) bool {
		return data.Kind == pathexpr.Param || data.Kind == pathexpr.Content && data.Args[0].Kind == pathexpr.Param
	})
}

// handed reports whether something is so of what w writes, or of what is written through the
// handle which it opens.
func handed(root *effects.Func, w *effects.Effect, is func(*pathexpr.Term) bool) bool {
	return w.Data != nil && is(w.Data) || slices.ContainsFunc(root.OnHandle(w.Handle, effects.Write), func(e *effects.Effect) bool {
		return e.Data != nil && is(e.Data)
	})
}

// concurrent says how what happens in root can happen twice at a time, as functions of the
// package say: a goroutine or, if requests count, a handler of them leads there. It is empty for
// none.
func (x *Index) concurrent(root *effects.Func, w *effects.Effect, requests bool) string {
	if w.When == effects.Spawned {
		return memory.FuncName(w.In) + " starts a goroutine for it"
	}
	var by string
	x.calling(root.SSA, func(fn *ssa.Function) bool {
		if requests && handles(fn) {
			by = memory.FuncName(fn) + " is called with a request"
		}
		for _, site := range x.p.Callers().Sites(fn) {
			if _, ok := site.(*ssa.Go); ok && by == "" && !x.startsOnce(site) && !x.ofMany(fn, w) {
				by = memory.FuncName(site.Parent()) + " starts a goroutine that runs " + memory.FuncName(fn)
			}
		}
		return by != ""
	})
	return by
}

// Meanwhile says how two goroutines can be at w at one time, as the package shows it: empty where it
// does not.
func (x *Index) Meanwhile(root *effects.Func, w *effects.Effect) string {
	return x.concurrent(root, w, true)
}

// startsOnce reports whether a goroutine is one that works for an object from its start on.
func (x *Index) startsOnce(site ssa.CallInstruction) bool {
	fn := memory.Outermost(site.Parent())
	return (lexicon.Starts.Begins(fn.Name()) || lexicon.Begins.Begins(fn.Name()) || fn.Name() == "main") && !x.p.Flow.Reaches(site, site)
}

// ofMany reports whether a goroutine that runs fn names the file of w by what it is about: of those
// that share out some work each has files of its own.
func (x *Index) ofMany(fn *ssa.Function, w *effects.Effect) bool {
	f := x.p.Of(fn)
	if f == nil {
		return false
	}
	at := func(e *effects.Effect) bool { return e.Pos == w.Pos }
	list := f.OfKind(w.Kind)
	return slices.ContainsFunc(list, at) && !slices.ContainsFunc(list, func(e *effects.Effect) bool {
		return at(e) && (e.Path == nil || !pathexpr.Named(e.Path.Path()))
	})
}

// calling is a function that leads to fn, or fn itself, of which something is so; nil for none.
// What a literal does, the function around it does.
func (x *Index) calling(fn *ssa.Function, is func(*ssa.Function) bool) *ssa.Function {
	next := func(fn *ssa.Function) []*ssa.Function {
		var list []*ssa.Function
		for _, site := range x.p.Callers().Sites(fn) {
			if _, ok := site.(*ssa.Go); !ok {
				list = append(list, site.Parent())
			}
		}
		if fn.Parent() != nil {
			list = append(list, fn.Parent())
		}
		return list
	}
	for _, fn := range flow.Reach(x.p.Flow.Budget, next, fn) {
		if is(fn) {
			return fn
		}
	}
	return nil
}

// handles reports whether a function is one that a server calls with a request.
func handles(fn *ssa.Function) bool {
	for par := range fn.Signature.Params().Variables() {
		switch types.TypeString(par.Type(), nil) {
		case "net/http.ResponseWriter",
			"*net/http.Request",
			"*github.com/gin-gonic/gin.Context",
			"github.com/labstack/echo/v4.Context",
			"*github.com/gofiber/fiber/v2.Ctx":
			return true
		}
	}
	return false
}

// lockedAnywhere reports whether the package takes a lock between processes for the file that w
// writes: its authors have seen two of them at work. What a function is given has a meaning in that
// function alone, so that there the lock and the write have to meet in one.
func (x *Index) lockedAnywhere(root *effects.Func, w *effects.Effect, path *pathexpr.Term) bool {
	if path == nil {
		return false
	}
	of := func(l *effects.Effect, file *pathexpr.Term) bool {
		return l.Path != nil && file != nil && (memory.SameFile(l.Path, file) || l.Path.Extends(file.Path()))
	}
	for _, f := range x.p.Funcs {
		for _, l := range f.OfKind(effects.Lock) {
			if (f == root || meansTheSame(path, f, root)) && of(l, path) ||
				slices.ContainsFunc(f.Effects, func(e *effects.Effect) bool {
					return e.Kind == w.Kind && e.Pos == w.Pos && of(l, e.Path) &&
						slices.ContainsFunc(e.Via, func(call *ast.CallExpr) bool { return x.p.Callee(call) == root })
				}) {
				return true
			}
		}
	}
	return false
}

// meansTheSame reports whether a path is the same file in two functions: nothing in it is given to
// them, or only the object that both are methods of.
func meansTheSame(path *pathexpr.Term, f, g *effects.Func) bool {
	params := path.Params()
	if len(params) == 0 {
		return true
	}
	a, b := f.SSA.Signature.Recv(), g.SSA.Signature.Recv()
	return a != nil && b != nil && types.Identical(known.Pointee(a.Type()), known.Pointee(b.Type())) &&
		!slices.ContainsFunc(params, func(n int) bool { return n != 0 })
}
