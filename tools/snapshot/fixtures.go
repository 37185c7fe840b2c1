package main

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/lockvet/lockvet/internal/fixtures"
)

// A workspace is the fixtures, laid out as modules. The tests lay them out as a GOPATH, in
// which every file is outside of the main module, and no finding has a fix under the command.
type workspace struct {
	dir      string
	patterns []string // name the fixtures, without the packages that stand in for libraries
	uses     []string // the folders of the modules
}

// newWorkspace writes the fixtures of a testdata folder below dir.
func newWorkspace(testdata, dir string) (*workspace, error) {
	if err := fixtures.Extract(testdata, dir); err != nil {
		return nil, err
	}
	w := &workspace{dir: dir}
	if err := fs.WalkDir(os.DirFS(dir), ".", w.visit); err != nil {
		return nil, err
	}
	work := "go 1.26.0\n\nuse (\n\t./" + strings.Join(w.uses, "\n\t./") + "\n)\n"
	return w, os.WriteFile(filepath.Join(dir, "go.work"), []byte(work), 0o666)
}

// visit makes a module of each variant of a check, and of each outermost package of a library.
func (w *workspace) visit(name string, d fs.DirEntry, err error) error {
	if err != nil || !d.IsDir() || name == "." {
		return err
	}
	root, _, nested := strings.Cut(name, "/")
	library := strings.Contains(root, ".")
	sources, err := filepath.Glob(filepath.Join(w.dir, name, "*.go"))
	if err != nil {
		return err
	}
	if len(sources) == 0 && (library || !nested) {
		return nil // the modules are further down
	}
	if !library {
		w.patterns = append(w.patterns, "./"+path.Join(name, "..."))
	}
	w.uses = append(w.uses, name)
	mod := "module " + name + "\n\ngo 1.26.0\n"
	if err := os.WriteFile(filepath.Join(w.dir, name, "go.mod"), []byte(mod), 0o666); err != nil {
		return err
	}
	if nested {
		return fs.SkipDir
	}
	return nil
}
