package lostupdate

import (
	"fmt"
	"go/ast"
	"go/types"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/cycles"
	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/failure"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/lexicon"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// remedy is a lock around both halves, or why none can be placed.
func (c *checker) remedy(s *site, variant string) (finding.Remedy, string) {
	body := effects.BodyOf(s.f.SSA)
	load, save := s.calls()
	if body == nil || load == nil || save == nil {
		return nil, "the calls are not written out here"
	}
	var late *effects.Effect
	if variant == "late" || variant == "split" {
		late = cycles.Spanning(c.p.Package, s.f, effects.Lock, s.cycle.Last(), s.cycle.Last(), s.cycle.File)
	}
	switch {
	case late == nil:
	case variant == "late" && late.Here() == save:
		return nil, types.ExprString(save.Fun) + " takes the lock itself, and would wait for one around both; that needs a form of it without it"
	case variant == "late":
	case late.Here() != save:
		return nil, "why it releases the lock in between only its author can say"
	default:
		return nil, fmt.Sprintf("%s and %s take the lock themselves, and would wait for one around both; that needs forms of them without it", types.ExprString(load.Fun), types.ExprString(save.Fun))
	}
	if why := c.obstacle(s, load, late); why != "" {
		return nil, why
	}
	if late != nil {
		return nil, "what takes the lock has to move in front of the load, with what it depends on and the defer that releases it, and how far up only its author can say"
	}
	if own := c.fileLock(); own != nil {
		return nil, fmt.Sprintf("the program has a lock of its own for such files, %s.%s, which would not see another one: take that from the load to the save", own.Pkg().Name(), own.Name())
	}
	if !c.placed(s.cycle.File) {
		return nil, "which file it is comes out as it runs, and a lock would leave its own beside it"
	}
	if read := s.cycle.Read.Path; read != nil && read.Kind == pathexpr.Alt && s.cycle.File.Kind != pathexpr.Alt {
		return nil, "it is one of several files, and a lock beside the others would be another one"
	}
	if isDocument(s.cycle.File) {
		return nil, "people write such a file, too, and would find the one of the lock beside it"
	}
	path, fails := spell(c.p, s.f, load, s.cycle.File)
	if path == "" {
		path, fails = spell(c.p, s.f, save, s.cycle.File)
	}
	if path == "" {
		return nil, "the function has no name for the path of the file"
	}
	mode, makes, made, ok := c.directory(s)
	before := made && ok && mode == ""
	needs := c.p.NeedsFile(s.f, s.cycle) && !takesMissing(c.p, s.cycle.Read)
	if needs {
		mode, makes, ok = "", nil, true // it fails without the directory
	}
	if !ok {
		return nil, "the directory of the file is made later on, with a mode that is not constant"
	}
	tells, well := returnsError(s.f), c.p.ForgivesAbsence(s.f, s.cycle)
	absent := !before && (needs || !made || well)
	switch {
	case tells && c.p.Forgives(s.f, s.cycle):
		return nil, "the function ends well where it cannot load the file, and would not where the lock is not to be had"
	case tells && absent && well && mode == "":
		return nil, "the function ends well where there is no file, and where there is no directory for the lock it would not"
	case tells && skips(c.p, s.f, s.cycle) && asks(s.f):
		return nil, "the function tells what the file holds where nothing can be written, too, and no lock can be taken there"
	}
	var saves []*ast.CallExpr
	for _, e := range c.saves(s.f) {
		saves = append(saves, e.Here())
	}
	return finding.SpanLock{Body: body, Load: load, Save: save, Saves: saves, Path: path, Fails: fails, Mode: mode, Make: makes, Absent: absent}, ""
}

// takesMissing reports whether a call yields no error where the file is not there that it loads:
// what the function then says of what it was given it says without a directory, too.
func takesMissing(p *failure.Package, load *effects.Effect) bool {
	at, ok := load.At.(ssa.CallInstruction)
	if !ok || load.Optional {
		return load.Optional
	}
	g := p.Of(p.Body(at.Common()))
	if g == nil {
		return false
	}
	inner := p.Within(g.SSA, load)
	if inner == nil {
		return false
	}
	_, optional, _ := p.Ignores(g, inner)
	return optional
}

// returnsError reports whether a function can say that it has failed.
func returnsError(f *effects.Func) bool {
	res := f.SSA.Signature.Results()
	return res.Len() > 0 && memory.IsErrorType(res.At(res.Len()-1).Type())
}

// asks reports whether a function is there to tell something, by its name: it
// works where nothing can be written.
func asks(f *effects.Func) bool {
	words := lexicon.Words(f.SSA.Name())
	return slices.ContainsFunc(words, func(w string) bool { return lexicon.Tells[w] }) &&
		!slices.ContainsFunc(words, func(w string) bool { return lexicon.Begins[w] })
}

const waitsToo = "a function that it calls does the same, and waits for the same lock"

// obstacle is why a lock that the function takes in front of the load could be
// waited for by itself; late is one that it takes already, later on.
func (c *checker) obstacle(s *site, load *ast.CallExpr, late *effects.Effect) string {
	from := load.Pos()
	for _, k := range s.contexts {
		if k.locked() || k.blind {
			return k.f.Name() + " has a lock already where it calls it"
		}
	}
	for _, cy := range cycles.Of(c.p.Package, s.f) {
		if inner := cy.Last().Here(); cy.OneCall() && !s.cycle.OneCall() && inner != nil && sameFamily(cy.File, s.cycle.File) {
			return waitsToo
		}
	}
	for _, e := range s.f.OfKind(effects.Lock) {
		if e == late || !effects.Beside(e, s.cycle.File) {
			continue
		}
		if len(e.Via) > 0 {
			return waitsToo
		}
		return "a lock on it is taken in between"
	}
	switch {
	case c.lockedOtherwise(s):
		return "others take a lock of another name for it"
	case c.inverted(s):
		return "it takes a mutex under the lock that others have when they wait for the lock"
	case waitsBetween(c.p, s.f, s.cycle):
		return "it waits for events in between, and others would wait for the lock"
	case recursive(c.p, s.f):
		return "the function calls itself, and would wait for itself"
	case callsParameter(s.f) && entered(c.p, s.f):
		return "it calls a function that it is given, which may want the same lock"
	case c.p.Process.StartsProgram(effects.BodyOf(s.f.SSA), from):
		return "it starts a program, which may want the same lock"
	case c.p.Process.AsksUser(effects.BodyOf(s.f.SSA), from):
		return "it waits for the user, and others would wait for the lock"
	}
	return ""
}

// placed reports whether the program says where the file stands: not whoever has
// called it, nor what a package of others has looked up. A variable of the environment puts
// the program's own file elsewhere.
func (c *checker) placed(file *pathexpr.Term) bool {
	switch file.Kind {
	case pathexpr.Alt:
		return !slices.ContainsFunc(file.Args, func(t *pathexpr.Term) bool {
			return t.Kind == pathexpr.Unknown || t.Kind == pathexpr.Call && !t.OfEnvironment() || t.Kind == pathexpr.Elem || t.Kind == pathexpr.Input
		})
	case pathexpr.Unknown:
		return !strings.HasPrefix(file.Text, "var ")
	case pathexpr.Call:
		return ofModule(c.p, file.Text)
	}
	return true
}

// isDocument reports whether a file is by its extension one that people write themselves, in a
// directory that is not the program's own.
func isDocument(file *pathexpr.Term) bool {
	dir := file.Dir()
	for dir != nil && dir.Kind == pathexpr.Join {
		dir = dir.Args[0]
	}
	if dir == nil || dir.Kind == pathexpr.Field || dir.Kind == pathexpr.Global || dir.Kind == pathexpr.Const {
		return false
	}
	return slices.ContainsFunc(pathexpr.Constants(file.Last()), func(name string) bool {
		return lexicon.Documents.Has(strings.ToLower(strings.TrimPrefix(filepath.Ext(name), ".")))
	})
}

// lockedOtherwise reports whether another function takes a lock for what has the name
// of the file, in a file that is not named as the lock would be. A field that holds
// the directory of either names much besides.
func (c *checker) lockedOtherwise(s *site) bool {
	return slices.ContainsFunc(c.p.Funcs, func(g *effects.Func) bool {
		return g != s.f && slices.ContainsFunc(g.OfKind(effects.Lock), func(e *effects.Effect) bool {
			if e.Path == nil || e.Path.Loosenings() == 0 && strings.HasSuffix(e.Path.String(), ".lock") {
				return false
			}
			return s.cycle.File.Last().Any(func(t *pathexpr.Term) bool {
				return t.Kind == pathexpr.Field && e.Path.Last().Any(func(o *pathexpr.Term) bool { return o.Kind == pathexpr.Field && o.Text == t.Text })
			})
		})
	})
}

// fileLock is a function of the package, or of one of the program that it imports, which takes the
// lock of any file and returns what releases it, and does the least beside; nil where there is none.
func (c *checker) fileLock() *types.Func {
	type key struct{}
	return c.p.Derived(key{}, func() any {
		plainest := (*effects.Func)(nil)
		for _, f := range c.p.Funcs {
			fn, ok := f.SSA.Object().(*types.Func)
			if ok && returnsLock(fn) && holdsFirst(f.Effects) && (plainest == nil || len(f.Effects) < len(plainest.Effects)) {
				plainest = f
			}
		}
		if plainest != nil {
			return plainest.SSA.Object().(*types.Func)
		}
		for _, pkg := range c.p.Pass.Pkg.Imports() {
			for _, name := range pkg.Scope().Names() {
				fn, ok := pkg.Scope().Lookup(name).(*types.Func)
				if !ok || !fn.Exported() || !returnsLock(fn) || !ofModule(c.p, fn.FullName()) || known.IsCopy(pkg.Path()) {
					continue
				}
				s := c.p.Fact(fn)
				if s == nil {
					continue
				}
				var told []*effects.Effect
				for _, e := range s.Effects {
					told = append(told, &effects.Effect{Action: effects.Action{Kind: e.Kind, Path: e.Path}})
				}
				if holdsFirst(told) {
					return fn
				}
			}
		}
		return (*types.Func)(nil)
	}).(*types.Func)
}

// returnsLock reports whether a function takes the path of a file, and returns what has a lock, or
// releases it, or an error.
func returnsLock(fn *types.Func) bool {
	sig := fn.Signature()
	if sig.Recv() != nil || sig.Params().Len() == 0 || !memory.IsString(sig.Params().At(0).Type()) || sig.Results().Len() != 2 || !memory.IsErrorType(sig.Results().At(1).Type()) {
		return false
	}
	_, basic := sig.Results().At(0).Type().Underlying().(*types.Basic)
	return !basic
}

// holdsFirst reports whether effects take a lock in a file beside the first parameter, and release
// none: it is held when the function returns.
func holdsFirst(list []*effects.Effect) bool {
	return !slices.ContainsFunc(list, func(e *effects.Effect) bool { return e.Kind == effects.Unlock }) &&
		slices.ContainsFunc(list, func(e *effects.Effect) bool {
			return e.Kind == effects.Lock && e.Path != nil && len(pathexpr.Constants(e.Path.Last())) > 0 &&
				e.Path.Last().Any(func(t *pathexpr.Term) bool { return t.Kind == pathexpr.Param && t.Index == 0 })
		})
}

// inverted reports whether the function takes a mutex for itself behind the load, and others
// of the same file have one when they load it, under which they wait for the lock.
func (c *checker) inverted(s *site) bool {
	own := func(k context) bool { return c.mutex(k) == nobody }
	if !slices.ContainsFunc(s.contexts, own) || !takesMutexBehind(c.p, s.f, s.cycle.Read) {
		return false
	}
	for _, o := range c.sites {
		if o != s && o.f != nil && sameFamily(o.cycle.File, s.cycle.File) && slices.ContainsFunc(o.contexts, func(k context) bool { return !own(k) }) {
			return true
		}
	}
	return false
}

// sameFamily reports whether two paths can be one file.
func sameFamily(a, b *pathexpr.Term) bool {
	return memory.SameFile(a, b) || abstractly(a, b)
}

// abstractly reports whether two paths of different functions are those of one file.
func abstractly(a, b *pathexpr.Term) bool { return a.Abstract() != "" && a.Abstract() == b.Abstract() }

// directory is the mode with which the function makes the directory of the file
// after it has loaded it, empty where it does not, with the call if it is its own, and
// whether it makes it at all.
func (c *checker) directory(s *site) (mode string, makes *ast.CallExpr, made, ok bool) {
	for _, e := range s.f.OfKind(effects.EnsureDir) {
		if !pathexpr.IsDirOf(e.Path, s.cycle.File) {
			continue
		}
		if effects.Before(e, s.cycle.Read) {
			return "", nil, true, true
		}
		if e.Data == nil || e.Data.Kind != pathexpr.Const {
			return "", nil, true, false
		}
		if mode, made = octal(e.Data.Text), true; len(e.Via) == 0 {
			makes = e.Call
		}
	}
	return mode, makes, made, true
}

// octal writes a mode as sources do.
func octal(mode string) string {
	n, err := strconv.ParseUint(mode, 10, 32)
	if err != nil {
		return mode
	}
	return "0o" + strconv.FormatUint(n, 8)
}
