// Package supply decides how mended code reaches package safeio: as a
// requirement that the module already has, or as a copy inside the module. It
// knows how a copy is made and recognised; it never writes one.
package supply

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/tools/go/packages"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/load"
	"github.com/lockvet/lockvet/internal/bundle"
	"github.com/lockvet/lockvet/internal/known"
)

const (
	// importPath is that of safeio, whose module has the same path.
	importPath = "github.com/lockvet/lockvet/safeio"

	// Bundle is the value of -safeio that asks for a copy.
	Bundle = "bundle"
)

// A Supply is how the packages of one module reach safeio.
type Supply struct {
	// ImportPath is what they import.
	ImportPath string
	// Copy is the folder of the copy in their module; empty if they import
	// safeio from elsewhere.
	Copy string
	// Module is the module, Go the version that its go.mod says.
	Module, Go string
}

// Choose decides for one main module. The wish is the value of -safeio: empty,
// Bundle or an import path.
func Choose(cfg load.Config, mod *packages.Module, wish string) (Supply, error) {
	cfg.Dir = mod.Dir
	switch {
	case wish == Bundle:
	case wish != "":
		if !cfg.CanImport(wish) {
			return Supply{}, fmt.Errorf("-safeio=%s: module %s cannot import it without the network: run go get %[1]s, or use -safeio=%s", wish, mod.Path, Bundle)
		}
		return Supply{ImportPath: wish}, nil
	case mod.Path == importPath:
		return Supply{ImportPath: importPath}, nil
	case requires(mod.GoMod) && cfg.CanImport(importPath):
		return Supply{ImportPath: importPath}, nil
	}
	return Supply{
		ImportPath: mod.Path + "/" + known.CopyFolder,
		Copy:       filepath.Join(mod.Dir, filepath.FromSlash(known.CopyFolder)),
		Module:     mod.Path,
		Go:         goVersion(mod),
	}, nil
}

// Foreign is the supply of packages that nothing may edit.
func Foreign() Supply { return Supply{ImportPath: importPath} }

func requires(goMod string) bool {
	data, err := os.ReadFile(goMod)
	if err != nil {
		return false
	}
	f, err := modfile.ParseLax(goMod, data, nil)
	if err != nil {
		return false
	}
	for _, r := range f.Require {
		if r.Mod.Path == importPath {
			return true
		}
	}
	return false
}

// ErrNotOurs says that the folder for the copy holds code that lockvet did not
// write.
var ErrNotOurs = errors.New("the folder holds Go files that lockvet did not write; move them, or choose another package with -safeio")

// Changes says what must change to have a current copy in dir: new content by
// file name, nil for a file that must go. It is empty if the copy is current.
// Exists reports whether there is a copy already.
func Changes(dir, version string) (changes map[string][]byte, exists bool, err error) {
	wanted, err := copied(version)
	if err != nil {
		return nil, false, err
	}
	present, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, false, err
	}
	changes = make(map[string][]byte)
	for _, name := range present {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		old, err := os.ReadFile(name)
		if err != nil {
			return nil, false, err
		}
		if !bytes.HasPrefix(old, []byte(bundle.Header)) {
			return nil, false, fmt.Errorf("%s: %w", dir, ErrNotOurs)
		}
		exists = true
		base := filepath.Base(name)
		if !bytes.Equal(body(old), body(wanted[base])) {
			changes[name] = wanted[base] // nil if it must go
		}
		delete(wanted, base)
	}
	for base, content := range wanted {
		changes[filepath.Join(dir, base)] = content
	}
	return changes, exists, nil
}

// body is the content of a copied file without its header, so that a new
// version that changes nothing else makes no change.
func body(content []byte) []byte {
	_, rest, _ := bytes.Cut(content, []byte("\n"))
	return rest
}

// copied is the source of safeio as it stands in a copy, by file name.
func copied(version string) (map[string][]byte, error) {
	files := make(map[string][]byte)
	entries, err := fs.ReadDir(bundle.Safeio, "safeio")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		src, err := bundle.Safeio.ReadFile(path.Join("safeio", e.Name()))
		if err != nil {
			return nil, err
		}
		header := bundle.Header + version + " from " + importPath + bundle.HeaderEnd
		files[e.Name()] = append([]byte(header), body(src)...)
	}
	return files, nil
}
