package live

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/load"
	"github.com/lockvet/lockvet/internal/syntax"
	"github.com/lockvet/lockvet/internal/untrusted"
)

// Dead returns a function that reports whether no program reaches a declaration. One
// that is not known counts as reached, and so does one whose
// name stands in a file of the same modules that u was not told of, tests aside.
func (u *Uses) Dead() func(Name) bool {
	return u.without(func(p *Package) bool { return p.Command || !p.Closed })
}

// Idle returns a function that reports whether no command of the modules reaches a
// declaration: of a package that a command has in it, or of one that no package of its
// module imports although a command stands in that; the one at the module's root is there
// for other modules. Others may reach it who import the
// package. A command that only shows something, or helps developers, is none. What is not
// known counts as reached.
func (u *Uses) Idle() func(Name) bool {
	program := func(p *Package) bool { return p.Program }
	linked := sync.OnceValue(func() map[string]bool { return u.linked(program) })
	imported := sync.OnceValue(u.imported)
	out := u.without(program)
	return func(n Name) bool {
		if linked()[n.Package] {
			return out(n)
		}
		p := u.packages[n.Package]
		return p != nil && !p.Main && n.Package != p.Module && p.By[n] != nil && !imported()[n.Package] &&
			u.some(func(q *Package) bool { return q.Program && q.Module == p.Module })
	}
}

// imported are the import paths of what packages and other files of the modules import.
func (u *Uses) imported() map[string]bool {
	all := make(map[string]bool)
	add := func(paths []string) {
		for _, path := range paths {
			all[path] = true
		}
	}
	for _, p := range u.packages {
		add(p.Imports)
	}
	for _, f := range u.others().files {
		add(f.imports)
	}
	return all
}

// some reports whether something holds for a package.
func (u *Uses) some(holds func(*Package) bool) bool {
	for _, p := range u.packages {
		if holds(p) {
			return true
		}
	}
	return false
}

// without returns a function that reports whether nothing reaches a declaration from packages of
// a kind. Who reaches a type reaches its exported methods.
func (u *Uses) without(from func(*Package) bool) func(Name) bool {
	known := sync.OnceValue(func() map[Name]bool { return u.reached(from, mentions{}) })
	alive := sync.OnceValue(func() map[Name]bool { return u.reached(from, *u.others()) })
	return func(n Name) bool {
		p := u.packages[n.Package]
		return p != nil && p.By[n] != nil && !known()[n] && !alive()[n]
	}
}

// linked are the packages that those of a kind have in them.
func (u *Uses) linked(from func(*Package) bool) map[string]bool {
	linked := make(map[string]bool)
	for path, p := range u.packages {
		if from(p) {
			u.link(path, linked)
		}
	}
	return linked
}

// Unused returns a function that reports whether nothing refers to a declaration that
// a command of the modules has in it: whoever may import its package besides is not
// looked for. What is not known counts as used, and so do methods: an interface may call them.
func (u *Uses) Unused() func(Name) bool {
	inCommands := sync.OnceValue(func() map[string]bool {
		return u.linked(func(p *Package) bool { return p.Command })
	})
	return func(n Name) bool {
		p := u.packages[n.Package]
		return p != nil && p.By[n] != nil && inCommands()[n.Package] && !p.Runs[n] &&
			!strings.Contains(n.Decl, ".") && !u.refersTo(n) && !u.others().name(n)
	}
}

// refersTo reports whether another declaration refers to one.
func (u *Uses) refersTo(n Name) bool {
	return u.some(func(p *Package) bool {
		for from, to := range p.By {
			if from != n && to[n] {
				return true
			}
		}
		return false
	})
}

// link adds a package, and what it imports, to those that a program has.
func (u *Uses) link(path string, linked map[string]bool) {
	p := u.packages[path]
	if p == nil || linked[path] {
		return
	}
	linked[path] = true
	for _, imp := range p.Imports {
		u.link(imp, linked)
	}
}

// reached is all that is reached from packages of a kind, and what others mention. Those start
// with what they export, too, where others can import them.
func (u *Uses) reached(from func(*Package) bool, others mentions) map[Name]bool {
	var names []Name
	methods := make(map[Name][]Name)
	linked := u.linked(from)
	for _, f := range others.files {
		for _, path := range f.imports {
			u.link(path, linked)
		}
	}
	for _, p := range u.packages {
		for n := range p.By {
			if typ, m, ok := strings.Cut(n.Decl, "."); ok && token.IsExported(m) {
				methods[Name{n.Package, typ}] = append(methods[Name{n.Package, typ}], n)
			} else if others.name(n) {
				names = append(names, n)
			}
		}
	}
	for path := range linked {
		starts := u.packages[path].Runs
		if from(u.packages[path]) {
			starts = u.packages[path].Starts
		}
		names = slices.AppendSeq(names, maps.Keys(starts))
	}
	alive := make(map[Name]bool)
	for ; len(names) > 0; names = names[1:] {
		n := names[0]
		if p := u.packages[n.Package]; p != nil && !alive[n] {
			alive[n] = true
			names = slices.AppendSeq(names, maps.Keys(p.By[n]))
			names = append(names, methods[n]...)
		}
	}
	return alive
}

// mentions is what stands in files of the modules that nobody has type-checked.
type mentions struct{ files []mention }

// A mention is what stands in one of them.
type mention struct {
	names   map[string]bool // identifiers
	imports []string        // import paths
	linked  map[string]bool // its package, if that is known, and those that it has; nil for any
}

// name reports whether a file can mean a declaration by a name that stands in it: the package of
// the declaration is one of those that it has.
func (m mentions) name(n Name) bool {
	return slices.ContainsFunc(m.files, func(f mention) bool { return f.names[n.last()] && (f.linked == nil || f.linked[n.Package]) })
}

// others is what stands in files that u was not told of: for other systems, of
// packages that were not asked for, or of a module below.
func (u *Uses) others() *mentions {
	u.look.Do(func() { u.mentioned = u.lookAround() })
	return &u.mentioned
}

// lookAround is what others returns, read anew.
func (u *Uses) lookAround() mentions {
	var m mentions
	seen, dirs, in := make(map[string]bool), make(map[string]bool), make(map[string]string)
	for path, p := range u.packages {
		for _, f := range p.Files {
			seen[f] = true
			in[filepath.Dir(f)] = path
		}
		if p.Dir != "" {
			dirs[p.Dir] = true
		}
	}
	for dir := range dirs {
		// What cannot be read is not built, either.
		_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return nil
			case d.IsDir() && path != dir && load.Ignored(d.Name()):
				return fs.SkipDir
			case d.IsDir() || seen[path] || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go"):
				return nil
			}
			if f := parse(path); f != nil {
				f.linked = u.linkedTo(in[filepath.Dir(path)], f.imports)
				m.files = append(m.files, *f)
			}
			return nil
		})
	}
	return m
}

// linkedTo are the packages that a file of a package has, which may be unknown: nil for any, where
// it has one of the modules that is not known.
func (u *Uses) linkedTo(own string, imports []string) map[string]bool {
	linked := make(map[string]bool)
	for _, path := range slices.Concat(imports, []string{own}) {
		if path != "" && u.packages[path] == nil && u.mayHave(path) {
			return nil
		}
		u.link(path, linked)
	}
	return linked
}

// mayHave reports whether an import path is one of the modules, or of a package without any.
func (u *Uses) mayHave(path string) bool {
	return u.some(func(p *Package) bool {
		return p.Module == "" || path == p.Module || strings.HasPrefix(path, p.Module+"/")
	})
}

// parse is what stands in a file, nil for what is no Go.
func parse(path string) *mention {
	f, _ := untrusted.ParseFile(token.NewFileSet(), path, parser.SkipObjectResolution)
	if f == nil {
		return nil
	}
	m := &mention{names: make(map[string]bool)}
	for _, imp := range f.Imports {
		if path, err := strconv.Unquote(imp.Path.Value); err == nil {
			m.imports = append(m.imports, path)
		}
	}
	for id := range syntax.Nodes[*ast.Ident](f) {
		m.names[id.Name] = true
	}
	return m
}
