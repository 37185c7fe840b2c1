package lostupdate

import (
	"cmp"
	"go/ast"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/cycles"
	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// remedy is a lock around both halves, or why none can be placed.
func (c *checker) remedy(s *site, variant string) (finding.Remedy, string) {
	body := effects.BodyOf(s.f.SSA)
	load, save := s.calls()
	switch w := s.cycle.Write; {
	case s.cycle.OneCall():
		return nil, "both stand in another package, in " + pathexpr.ShortName(s.cycle.Read.Foreign) + "()"
	case known.OnFileSystem(w.Foreign):
		return nil, pathexpr.ShortName(w.Foreign) + "() writes into the file system that it is given, and where that " +
			"has the file a lock beside it does not tell"
	case slices.ContainsFunc(s.contexts, ofAnother):
		return nil, "a lock would leave its file in the directory of another program"
	case body == nil || load == nil || save == nil:
		return nil, "the calls are not written out here"
	case variant == "late":
		return nil, "the lock has to be taken in front of the load, and how far up only its author can say"
	case variant == "split":
		return nil, "one lock has to be held from the load to the save, and only its author can say where it is taken"
	}
	if why := c.obstacle(s, load); why != "" {
		return nil, why
	}
	path := cmp.Or(spell(c.p, s.f, s.cycle.Read, s.cycle.File), spell(c.p, s.f, s.cycle.Last(), s.cycle.File))
	switch read := s.cycle.Read.Path; {
	case path == "":
		return nil, "the function has no name for the path of the file, which is opened at " +
			finding.At(c.p.Pass.Fset, s.f.Place(s.cycle.Read.Innermost().At))
	case !c.placed(s.cycle.File), family(s.cycle.Last()) == "",
		read != nil && read.Kind == pathexpr.Alt && s.cycle.File.Kind != pathexpr.Alt:
		return nil, "only its callers know which file it is, and others may save that with no lock"
	}
	mode, made, ok := c.directory(s)
	before := made && ok && mode == ""
	needs := c.p.NeedsFile(s.f, s.cycle)
	if needs {
		mode, ok = "", true // it fails without the directory
	}
	if !ok {
		return nil, "the directory of the file is made later on, with a mode that is not constant"
	}
	tells, well := memory.ReturnsError(s.f.SSA.Signature), c.p.ForgivesAbsence(s.f, s.cycle)
	absent := !before && (needs || !made || well)
	if tells && (c.p.Forgives(s.f, s.cycle) || absent && well && mode == "") {
		return nil, "the function ends well where it cannot load the file, and would not where the lock is not to be had"
	}
	return finding.SpanLock{Body: body, Load: load, Save: save, Path: path, Mode: mode, Absent: absent}, ""
}

// obstacle is why a lock that the function takes in front of the load could be waited for by itself, or
// why others would wait for it too long.
func (c *checker) obstacle(s *site, load *ast.CallExpr) string {
	for _, k := range s.contexts {
		if k.locked {
			return k.f.Name() + " has a lock already where it calls it"
		}
	}
	for _, cy := range cycles.Of(c.p.Package, s.f) {
		if inner := cy.Last().Here(); cy.OneCall() && !s.cycle.OneCall() && inner != nil && sameFamily(cy.File, s.cycle.File) {
			return "a function that it calls does the same, and waits for the same lock"
		}
	}
	if own := c.ownLock(); own != "" {
		return "the program has a lock of its own, in " + own + ", which would not see another one: take that from the load to the save"
	}
	if at := c.mayWait(s, load); at.IsValid() {
		return "it may wait under the lock, for the user, another lock or code that wants this one, at " + finding.At(c.p.Pass.Fset, at)
	}
	return ""
}

// ownLock names a function of the package, or of one of the program that it imports, which takes a lock
// between processes that is none of safeio; empty where there is none.
func (c *checker) ownLock() string {
	type key struct{}
	return c.p.Derived(key{}, func() any {
		for _, f := range c.p.Funcs {
			for _, e := range f.OfKind(effects.Lock) {
				if !c.ofSafeio(e) {
					return f.Name() + ", at " + finding.At(c.p.Pass.Fset, f.Place(e.Innermost().At))
				}
			}
		}
		for _, pkg := range c.p.Pass.Pkg.Imports() {
			if !ofModule(c.p, pkg.Path()) || known.IsCopy(pkg.Path()) {
				continue
			}
			for _, name := range pkg.Scope().Names() {
				fn, ok := pkg.Scope().Lookup(name).(*types.Func)
				if !ok || !fn.Exported() {
					continue
				}
				fact := c.p.Fact(fn)
				if fact != nil && slices.ContainsFunc(fact.Effects, func(e effects.SummaryEffect) bool { return e.Kind == effects.Lock }) {
					return pkg.Name() + "." + fn.Name()
				}
			}
		}
		return ""
	}).(string)
}

// ofSafeio reports whether a function of safeio, or of a copy of it, has an effect.
func (c *checker) ofSafeio(e *effects.Effect) bool {
	call, ok := e.Innermost().At.(ssa.CallInstruction)
	if !ok {
		return false
	}
	fn := c.p.CalleeOf(call.Common())
	return fn != nil && fn.Pkg() != nil && fn.Pkg().Name() == "safeio"
}

// placed reports whether the program says where the file stands: not whoever has
// called it, nor what a package of others has looked up. A variable of the environment puts
// the program's own file elsewhere.
func (c *checker) placed(file *pathexpr.Term) bool {
	switch file.Kind {
	case pathexpr.Alt:
		return !slices.ContainsFunc(file.Args, func(t *pathexpr.Term) bool {
			return t.Kind == pathexpr.Unknown || t.Kind == pathexpr.Call && !t.OfEnvironment() || t.Kind == pathexpr.Elem ||
				t.Kind == pathexpr.Input
		})
	case pathexpr.Unknown:
		return !strings.HasPrefix(file.Text, "var ")
	case pathexpr.Call:
		return ofModule(c.p, file.Text)
	}
	return true
}

// sameFamily reports whether two paths can be one file, also where they are of different functions.
func sameFamily(a, b *pathexpr.Term) bool {
	return memory.SameFile(a, b) || a.PackageKey() != "" && a.PackageKey() == b.PackageKey()
}

// directory is the mode with which the function makes the directory of the file
// after it has loaded it, empty where it does not, and whether it makes it at all.
func (c *checker) directory(s *site) (mode string, made, ok bool) {
	for _, e := range s.f.OfKind(effects.EnsureDir) {
		if !pathexpr.IsDirOf(e.Path, s.cycle.File) {
			continue
		}
		if effects.Before(e, s.cycle.Read) {
			return "", true, true
		}
		if e.Data == nil || e.Data.Kind != pathexpr.Const {
			return "", true, false
		}
		mode, made = octal(e.Data.Text), true
	}
	return mode, made, true
}

// octal writes a mode as sources do.
func octal(mode string) string {
	n, err := strconv.ParseUint(mode, 10, 32)
	if err != nil {
		return mode
	}
	return "0o" + strconv.FormatUint(n, 8)
}
