package repair

import (
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"strings"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/analyse"
	"github.com/lockvet/lockvet/internal/pattern"
	"github.com/lockvet/lockvet/internal/untrusted"
)

// withoutDependencies are the words of a package that says that it needs nothing else.
var withoutDependencies = pattern.New(`(?i)\bno (\S+ ){0,3}dependenc(y|ies)\b|\bdependency[- ]free\b|\bzero[- ]dependenc(y|ies)\b|\b(stdlib|standard library)[- ]only\b|\bonly the standard library\b`)

// standsAlone is the package that a fix would give a dependency which its documentation rules out: the
// one that it edits, or one around that. It is empty for none. What stands below such a package is a
// part of it.
func (g *Gate) standsAlone(f *analyse.Found, edited string) string {
	added := imported(f)
	if added == "" || f.FixedIn.Module == nil || f.FixedIn.Name == "main" {
		return ""
	}
	dir, pkg := filepath.Dir(edited), f.FixedIn.PkgPath
	for {
		rest, inside := strings.CutPrefix(added, pkg)
		if name := g.alone(dir); name != "" && !(inside && (rest == "" || rest[0] == '/')) {
			return name
		}
		if pkg == f.FixedIn.Module.Path || path.Dir(pkg) == "." {
			return ""
		}
		dir, pkg = filepath.Dir(dir), path.Dir(pkg)
	}
}

// imported is the import path that a fix adds; empty for none.
func imported(f *analyse.Found) string {
	for _, e := range f.Fix.TextEdits {
		if m := importLine.FindStringSubmatch(string(e.NewText)); m != nil {
			return m[1]
		}
	}
	return ""
}

// importLine is a line that imports a package which is none of the standard library.
var importLine = pattern.New(`(?m)^(?:import)?\s*(?:\w+ )?"([^"\s]+\.[^"\s]*/[^"\s]+)"$`)

// alone is the name of the package in a directory, if its documentation says that it needs nothing else.
func (g *Gate) alone(dir string) string {
	name, ok := g.documented[dir]
	if ok {
		return name
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*.go")) // the pattern is right
	for _, file := range files {
		f, err := untrusted.ParseFile(token.NewFileSet(), file, parser.PackageClauseOnly|parser.ParseComments)
		if err == nil && f.Name.Name != "main" && !strings.HasSuffix(file, "_test.go") && withoutDependencies.MatchString(strings.Join(strings.Fields(f.Doc.Text()), " ")) {
			name = f.Name.Name
		}
	}
	if g.documented == nil {
		g.documented = make(map[string]string)
	}
	g.documented[dir] = name
	return name
}
