package live

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// Dead returns a function that reports whether no program comes to a declaration. One
// that is not known, or whose name stands in a file of the same modules that u was
// not told of, tests aside, passes for one to which a program comes.
func (u *Uses) Dead() func(Name) bool {
	alive := sync.OnceValue(u.reached)
	others := sync.OnceValue(u.others)
	return func(n Name) bool {
		p := u.packages[n.Package]
		return p != nil && p.by[n] != nil && !alive()[n] && !others()[n.Decl]
	}
}

// reached is all that programs come to.
func (u *Uses) reached() map[Name]bool {
	var names []Name
	linked := make(map[string]bool)
	var link func(path string)
	link = func(path string) {
		p := u.packages[path]
		if p == nil || linked[path] {
			return
		}
		linked[path] = true
		names = slices.AppendSeq(names, maps.Keys(p.starts))
		for _, imp := range p.imports {
			link(imp)
		}
	}
	for path, p := range u.packages {
		if p.command {
			names = append(names, Name{path, "main"})
		}
		if p.command || !p.closed {
			link(path)
		}
	}
	alive := make(map[Name]bool)
	for ; len(names) > 0; names = names[1:] {
		n := names[0]
		if p := u.packages[n.Package]; p != nil && !alive[n] {
			alive[n] = true
			names = slices.AppendSeq(names, maps.Keys(p.by[n]))
		}
	}
	return alive
}

// others are the identifiers in files of the modules that u was not told of: for
// other systems, of packages that were not asked for, or of a module below.
func (u *Uses) others() map[string]bool {
	seen, dirs, found := make(map[string]bool), make(map[string]bool), make(map[string]bool)
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
			identifiers(path, found)
			return nil
		})
	}
	return found
}

// ignored reports whether the go command does not look into a folder.
func ignored(name string) bool {
	return name == "testdata" || name == "vendor" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")
}

// identifiers adds those of a file.
func identifiers(path string, to map[string]bool) {
	f, _ := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if f == nil {
		return
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			to[id.Name] = true
		}
		return true
	})
}
