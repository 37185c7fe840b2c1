package repair

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/analyse"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/load"
)

// reconcile makes sure that everything compiles after a round and that nobody waits for
// a lock that he has, taking back what is to blame, and analyses the packages under repair again.
func (w *work) reconcile(r *round) ([]*analyse.Found, error) {
	for attempt := 0; ; attempt++ {
		pkgs, problems, err := w.compile()
		if err != nil {
			return nil, err
		}
		if len(problems) == 0 {
			w.unchecked = false
			found, err := w.analyse(pkgs)
			if err != nil {
				return nil, err
			}
			if problems = w.selfWaits(); len(problems) == 0 {
				return found, nil
			}
		}
		if attempt == 0 && w.dropFixes(r, problems) {
			continue
		}
		if !w.putBack(problems) {
			return nil, fmt.Errorf("the code does not compile, and no edit is left to take back: %s", problems[0])
		}
	}
}

// compile loads the packages under repair and everything in the main modules
// that an edit can reach, with tests, and returns the problems that were not
// there before.
func (w *work) compile() ([]*packages.Package, []load.Problem, error) {
	patterns, err := w.scope()
	if err != nil {
		return nil, nil, err
	}
	pkgs, err := w.edited().Packages(patterns...)
	if err != nil {
		return nil, nil, err
	}
	problems := load.Problems(pkgs)
	if len(problems) > 0 && w.broken == nil {
		if w.broken, err = w.brokenBefore(patterns); err != nil {
			return nil, nil, err
		}
	}
	problems = slices.DeleteFunc(problems, func(p load.Problem) bool { return w.broken[p.ID] })
	return pkgs, problems, nil
}

// scope lists what to load: the packages under repair, what they import of the
// main modules, and the importers of those that were edited.
func (w *work) scope() ([]string, error) {
	changed := make(map[string]bool)
	for name := range w.disk {
		changed[w.pathOf(name)] = true
	}
	for _, c := range w.copies {
		if c.stale {
			changed[c.of.ImportPath] = true
		}
	}
	if w.graph == nil { // what edits add to it leads from packages that are edited themselves
		var err error
		if w.graph, err = w.Runner.Load.ImportGraph(); err != nil {
			return nil, err
		}
	}
	all := maps.Clone(w.imported)
	for _, path := range w.graph.Importers(slices.Collect(maps.Keys(changed))) {
		all[path] = true
	}
	for _, p := range w.packages {
		all[load.BasePath(p)] = true
	}
	for _, c := range w.copies {
		delete(all, c.of.ImportPath) // its importers have it compiled; not all of it need be on disk
	}
	return slices.Sorted(maps.Keys(all)), nil
}

// brokenBefore lists the packages that do not compile as they are on disk.
func (w *work) brokenBefore(patterns []string) (map[string]bool, error) {
	cfg := w.Runner.Load
	cfg.Tests = true
	pkgs, err := cfg.Packages(patterns...)
	if err != nil {
		return nil, err
	}
	broken := make(map[string]bool)
	for _, p := range load.Problems(pkgs) {
		broken[p.ID] = true
	}
	return broken, nil
}

// analyse analyses those of the loaded packages that are under repair.
func (w *work) analyse(pkgs []*packages.Package) ([]*analyse.Found, error) {
	var named []*packages.Package
	for _, p := range pkgs {
		if w.named[p.ID] {
			named = append(named, p)
		}
	}
	imported := slices.DeleteFunc(load.Imported(named), load.Broken) // also what fixed code has come to import
	runner := w.Runner
	runner.Load = w.edited()
	out, err := runner.Run(named, imported)
	if err != nil {
		return nil, err
	}
	if problems := load.Problems(named); len(problems) > 0 {
		return nil, fmt.Errorf("the go command compiles what the type checker refuses: %s", problems[0])
	}
	w.waits = out.Waits
	return out.Found, nil
}

// edited is how the end state so far is loaded.
func (w *work) edited() load.Config {
	cfg := w.Runner.Load
	cfg.Tests = true
	cfg.Overlay = w.overlay()
	return cfg
}

// selfWaits are the waits that were not there before.
func (w *work) selfWaits() []load.Problem {
	slices.SortFunc(w.waits, func(a, b load.Problem) int { return strings.Compare(a.String(), b.String()) })
	return slices.DeleteFunc(w.waits, func(p load.Problem) bool {
		return slices.ContainsFunc(w.Before, func(old load.Problem) bool { return old.ID == p.ID && old.Path == p.Path && old.Msg == p.Msg })
	})
}

// dropFixes makes the round again without the fixes that edit the functions in
// which the problems are. It reports whether there are such fixes.
func (w *work) dropFixes(r *round, problems []load.Problem) bool {
	dropped := false
	for _, p := range problems {
		file, line := place(p)
		fn := funcAt(w.now[file], line)
		if fn == "" {
			continue
		}
		for _, m := range r.made {
			if _, known := w.barred[m.key]; known || !m.edits[inFunc{file, fn}] {
				continue
			}
			dropped = true
			w.barred[m.key] = p.Msg
			if !slices.Contains(w.waits, p) {
				w.barred[m.key] = "it does not compile: " + p.Msg
			}
			w.putBacks = append(w.putBacks, PutBack{Package: m.pkg, Func: fn, Problem: p.String()})
		}
	}
	if !dropped {
		return false
	}
	w.now, w.applied = r.before, r.applied
	w.withhold(r.found)
	*r = *w.apply(r.found)
	return true
}

// place takes the position of a problem apart.
func place(p load.Problem) (file string, line int) {
	parts := strings.Split(p.Pos, ":")
	for i := len(parts) - 1; i > 0; i-- {
		if n, err := strconv.Atoi(parts[i]); err == nil {
			file, line = strings.Join(parts[:i], ":"), n
		}
	}
	return file, line
}

// putBack puts back the packages that the problems are in, or else all: a problem elsewhere can come from any. It reports
// whether there was anything to put back.
func (w *work) putBack(problems []load.Problem) bool {
	culprits, all := make(map[string]load.Problem), make(map[string]load.Problem)
	for name := range w.now {
		path := w.pathOf(name)
		all[path] = problems[0]
		if i := slices.IndexFunc(problems, func(p load.Problem) bool { return p.Path == path }); i >= 0 {
			culprits[path] = problems[i]
		}
	}
	if len(culprits) == 0 {
		culprits = all
	}
	for _, path := range slices.Sorted(maps.Keys(culprits)) {
		w.putBackPackage(path, culprits[path].String())
	}
	return len(culprits) > 0
}

// undo puts back the packages that a round edited.
func (w *work) undo(r *round, reason string) {
	paths := make(map[string]bool)
	for _, m := range r.made {
		paths[m.pkg] = true
	}
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		w.putBackPackage(path, reason)
	}
	r.made = nil // nothing of it may be made again without a fix or two
}

func (w *work) putBackPackage(path, problem string) {
	maps.DeleteFunc(w.now, func(name string, _ []byte) bool { return w.pathOf(name) == path })
	w.applied = slices.DeleteFunc(w.applied, func(m *application) bool { return m.pkg == path })
	w.back[path] = true
	w.putBacks = append(w.putBacks, PutBack{Package: path, Problem: problem})
}
