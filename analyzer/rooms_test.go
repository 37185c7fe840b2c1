package analyzer_test

import (
	"go/build"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// TestRooms: the rooms of docs/design.md are all there are, and each imports only what
// stands above it there.
func TestRooms(t *testing.T) {
	const module = "github.com/lockvet/lockvet/"
	page, err := os.ReadFile("../docs/design.md")
	if err != nil {
		t.Fatal(err)
	}
	var rooms []string
	for _, row := range regexp.MustCompile("(?m)^\\| `internal/([a-z]+)` \\|").FindAllStringSubmatch(string(page), -1) {
		rooms = append(rooms, row[1])
	}
	var fixing []string
	for _, row := range regexp.MustCompile("(?m)^\\| `(fixes[a-z/]*)` \\|").FindAllStringSubmatch(string(page), -1) {
		fixing = append(fixing, row[1])
	}
	if len(fixing) != 3 {
		t.Errorf("the rooms of fixes are %q", fixing)
	}
	// What tests and builds are made of, and what knows nothing of lockvet.
	aside := []string{"bundle", "config", "facts", "fixtures", "linediff", "nearest", "pattern", "printable", "srctest", "untrusted"}
	dirs, err := filepath.Glob("../internal/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range dirs {
		if name := filepath.Base(dir); !slices.Contains(rooms, name) && !slices.Contains(aside, name) {
			t.Errorf("internal/%s is no room of docs/design.md", name)
		}
	}
	for i, room := range rooms {
		pkg, err := build.ImportDir("../internal/"+room, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range pkg.Imports {
			own, ok := strings.CutPrefix(path, module)
			name, internal := strings.CutPrefix(own, "internal/")
			if ok && !(internal && (slices.Contains(rooms[:i], name) || slices.Contains(aside, name))) {
				t.Errorf("internal/%s imports %s, which does not stand above it", room, own)
			}
		}
	}
	for i, room := range fixing {
		pkg, err := build.ImportDir("../"+room, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range pkg.Imports {
			own, ok := strings.CutPrefix(path, module)
			if ok && !strings.HasPrefix(own, "internal/") && !slices.Contains(fixing[:i], own) {
				t.Errorf("%s imports %s, which does not stand above it", room, own)
			}
		}
	}
	checks, err := filepath.Glob("../analyzer/*/doc.go")
	if err != nil || len(checks) < 11 {
		t.Fatalf("%d checks, %v", len(checks), err)
	}
	for _, doc := range checks {
		pkg, err := build.ImportDir(filepath.Dir(doc), 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range pkg.Imports {
			if own, ok := strings.CutPrefix(path, module); ok && !strings.HasPrefix(own, "internal/") {
				t.Errorf("%s imports %s: a check knows rooms, and neither other checks nor fixes", pkg.Name, own)
			}
		}
	}
}

// TestFiles: inside each room of the engine, files name only what stands in files below
// them: no two lead to each other.
func TestFiles(t *testing.T) {
	t.Parallel()
	var patterns []string
	for _, room := range []string{"cycles", "effects", "evidence", "failure", "flow", "locks", "memory", "pathexpr"} {
		patterns = append(patterns, "../internal/"+room)
	}
	pkgs, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax}, patterns...)
	if err != nil {
		t.Fatal(err)
	}
	for _, pkg := range pkgs {
		file := func(pos token.Pos) string { return filepath.Base(pkg.Fset.Position(pos).Filename) }
		names := map[string][]string{} // by file: the files that it names
		for id, obj := range pkg.TypesInfo.Uses {
			v, variable := obj.(*types.Var)
			if obj.Pkg() != pkg.Types || variable && (v.IsField() || v.Parent() != pkg.Types.Scope()) {
				continue
			}
			if from, to := file(id.Pos()), file(obj.Pos()); from != to && !slices.Contains(names[from], to) {
				names[from] = append(names[from], to)
			}
		}
		if len(pkg.Syntax) > 1 && len(names) == 0 {
			t.Errorf("%s: no file names another: %v", pkg.Name, pkg.Errors)
		}
		for _, f := range pkg.Syntax {
			begin, met := file(f.Pos()), map[string]bool{}
			var from func(string)
			from = func(name string) {
				for _, to := range names[name] {
					if to == begin {
						t.Errorf("%s: %s names what stands in %s, which leads back", pkg.Name, name, begin)
					}
					if !met[to] {
						met[to] = true
						from(to)
					}
				}
			}
			from(begin)
		}
	}
}
