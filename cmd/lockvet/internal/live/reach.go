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
)

// Dead returns a function that reports whether no program comes to a declaration. One
// that is not known passes for one to which a program comes, and so does one whose
// name stands in a file of the same modules that u was not told of, tests aside.
func (u *Uses) Dead() func(Name) bool {
	return u.without(func(p *uses) bool { return p.command || !p.closed }, func(Name) bool { return true })
}

// Idle returns a function that reports whether no command of the modules comes to a
// declaration of a package that a command has in it, though others may who import the
// package. A command that only shows something, or helps developers, is none. What is not
// known passes for one to which a command comes, and so does a method that can be called
// through an interface, or of a type whose values go to where nobody knows what calls them.
func (u *Uses) Idle() func(Name) bool {
	program := func(p *uses) bool { return p.program }
	linked := sync.OnceValue(func() map[string]bool { return u.linked(program) })
	out := u.without(program, u.unnamed())
	return func(n Name) bool { return linked()[n.Package] && out(n) }
}

// unnamed returns a function that reports whether a method can be called without being
// named with its type: through an interface of which a value of the type is made, or by who
// asks such a value for more methods than that has.
func (u *Uses) unnamed() func(Name) bool {
	all := sync.OnceValue(u.converted)
	return func(n Name) bool {
		typ, m, ok := strings.Cut(n.Decl, ".")
		if !ok {
			return false
		}
		c, t := all(), Name{n.Package, typ}
		return c.uncertain && c.dynamic[m] || c.through[n] || c.handed[t] || c.asserted[m] && c.within[t] || c.dynamic[m] && c.abroad[t]
	}
}

// converted are the conversions of all packages together, and what is mentioned with them.
func (u *Uses) converted() uses {
	all := uses{dynamic: make(map[string]bool), handed: make(map[Name]bool), conversions: newConversions()}
	for _, p := range u.packages {
		maps.Copy(all.dynamic, p.dynamic)
		maps.Copy(all.handed, p.handed)
		maps.Copy(all.through, p.through)
		maps.Copy(all.within, p.within)
		maps.Copy(all.abroad, p.abroad)
		maps.Copy(all.asserted, p.asserted)
		all.uncertain = all.uncertain || p.uncertain
	}
	return all
}

// without returns a function that reports whether nothing comes to a declaration from packages of
// a kind. Who comes to a type comes to those of its exported methods that are said to follow it.
func (u *Uses) without(from func(*uses) bool, follows func(Name) bool) func(Name) bool {
	known := sync.OnceValue(func() map[Name]bool { return u.reached(from, follows, mentions{}) })
	alive := sync.OnceValue(func() map[Name]bool { return u.reached(from, follows, *u.others()) })
	return func(n Name) bool {
		p := u.packages[n.Package]
		return p != nil && p.by[n] != nil && !known()[n] && !alive()[n]
	}
}

// linked are the packages that those of a kind have in them.
func (u *Uses) linked(from func(*uses) bool) map[string]bool {
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
// looked for. What is not known passes for used.
func (u *Uses) Unused() func(Name) bool {
	unnamed := u.unnamed()
	inCommands := sync.OnceValue(func() map[string]bool {
		return u.linked(func(p *uses) bool { return p.command })
	})
	return func(n Name) bool {
		p := u.packages[n.Package]
		return p != nil && p.by[n] != nil && inCommands()[n.Package] && !p.runs[n] && !u.refersTo(n) && !unnamed(n) && !u.others().names[n.last()]
	}
}

// refersTo reports whether another declaration refers to one.
func (u *Uses) refersTo(n Name) bool {
	for _, p := range u.packages {
		for from, to := range p.by {
			if from != n && to[n] {
				return true
			}
		}
	}
	return false
}

// link adds a package, and what it imports, to those that a program has.
func (u *Uses) link(path string, linked map[string]bool) {
	p := u.packages[path]
	if p == nil || linked[path] {
		return
	}
	linked[path] = true
	for _, imp := range p.imports {
		u.link(imp, linked)
	}
}

// reached is all that is come to from packages of a kind, and what others mention. Those start
// with what they export, too, where others can import them.
func (u *Uses) reached(from func(*uses) bool, follows func(Name) bool, others mentions) map[Name]bool {
	var names []Name
	methods := make(map[Name][]Name)
	linked := u.linked(from)
	for path := range others.imports {
		u.link(path, linked)
	}
	for _, p := range u.packages {
		for n := range p.by {
			if typ, m, ok := strings.Cut(n.Decl, "."); ok && token.IsExported(m) {
				methods[Name{n.Package, typ}] = append(methods[Name{n.Package, typ}], n)
			} else if others.names[n.last()] {
				names = append(names, n)
			}
		}
	}
	for path := range linked {
		starts := u.packages[path].runs
		if from(u.packages[path]) {
			starts = u.packages[path].starts
		}
		names = slices.AppendSeq(names, maps.Keys(starts))
	}
	alive := make(map[Name]bool)
	for ; len(names) > 0; names = names[1:] {
		n := names[0]
		if p := u.packages[n.Package]; p != nil && !alive[n] {
			alive[n] = true
			names = slices.AppendSeq(names, maps.Keys(p.by[n]))
			for _, m := range methods[n] {
				if follows(m) || others.names[m.last()] {
					names = append(names, m)
				}
			}
		}
	}
	return alive
}

// mentions is what stands in files of the modules that nobody has type-checked.
type mentions struct {
	names   map[string]bool // identifiers
	imports map[string]bool // import paths
}

// others is what stands in files that u was not told of: for other systems, of
// packages that were not asked for, or of a module below.
func (u *Uses) others() *mentions {
	u.look.Do(func() { u.mentioned = u.lookAround() })
	return &u.mentioned
}

// lookAround is what others returns, read anew.
func (u *Uses) lookAround() mentions {
	m := mentions{make(map[string]bool), make(map[string]bool)}
	seen, dirs := make(map[string]bool), make(map[string]bool)
	for _, p := range u.packages {
		for _, f := range p.files {
			seen[f] = true
		}
		if p.dir != "" {
			dirs[p.dir] = true
		}
	}
	for dir := range dirs {
		// What cannot be read is not built, either.
		_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return nil
			case d.IsDir() && path != dir && ignored(d.Name()):
				return fs.SkipDir
			case d.IsDir() || seen[path] || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go"):
				return nil
			}
			m.add(path)
			return nil
		})
	}
	return m
}

// add adds what stands in a file.
func (m mentions) add(path string) {
	f, _ := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if f == nil {
		return
	}
	for _, imp := range f.Imports {
		if path, err := strconv.Unquote(imp.Path.Value); err == nil {
			m.imports[path] = true
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			m.names[id.Name] = true
		}
		return true
	})
}

// ignored reports whether the go command does not look into a folder.
func ignored(name string) bool {
	return name == "testdata" || name == "vendor" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")
}
