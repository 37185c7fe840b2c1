// Package supply decides how fixed code reaches package safeio: as a
// requirement that the module already has, or as a copy inside the module. It
// knows how a copy is made and recognised; it never writes one.
package supply

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/tools/go/packages"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/load"
	"github.com/lockvet/lockvet/internal/bundle"
	"github.com/lockvet/lockvet/internal/nearest"
	"github.com/lockvet/lockvet/internal/untrusted"
)

// importPath is that of safeio, whose module has the same path.
const importPath = bundle.ImportPath

// packageName is how fixed code names it, whatever its import path.
const packageName = "safeio"

// Bundle is the value of -safeio that asks for a copy.
const Bundle = "bundle"

// A Supply is how the packages of one module reach safeio.
type Supply struct {
	// ImportPath is what they import.
	ImportPath string
	// Copy is the folder of the copy in their module; empty if they import
	// safeio from elsewhere.
	Copy string
	// Root is the folder of the module that has the copy.
	Root string
	// Module is the module, Go the version that its go.mod says.
	Module, Go string
	// Files are the new contents of go.mod and go.sum, by name, with which the module
	// requires safeio, of this Version; none if it does already, or has a copy.
	Files   map[string][]byte
	Version string
}

// Choose decides for one main module. The wish is the value of -safeio: empty,
// Bundle or an import path. Copies are the folders of packages that are copies. Only with
// fixes may a proxy be asked for safeio, and a requirement be added.
func Choose(cfg load.Config, mod *packages.Module, wish string, copies []string, fixes bool) (Supply, error) {
	cfg.Dir = mod.Dir
	switch {
	case wish == Bundle:
	case wish != "":
		return wished(cfg, mod, wish)
	case mod.Path == importPath:
		return Supply{ImportPath: importPath}, nil
	case requires(mod.GoMod):
		if p, ok := cfg.Import(importPath); ok && !olderThan(goVersion(mod), p.GoVersion) {
			return Supply{ImportPath: importPath}, nil
		}
	}
	s := copyIn(mod, place(mod, copies))
	if c, err := s.Read(); wish == "" && fixes && (err != nil || !c.Exists()) {
		if required, err := require(cfg, mod); err == nil {
			return required, nil
		}
	}
	return s, nil
}

// wished is what -safeio asks for: a copy where the module has no other code, or a
// package that can be imported.
func wished(cfg load.Config, mod *packages.Module, wish string) (Supply, error) {
	if folder, ok := strings.CutPrefix(wish, mod.Path+"/"); ok && belongs(mod.Dir, folder) {
		s := copyIn(mod, folder)
		switch _, err := s.Read(); {
		case err == nil:
			return s, nil
		case !errors.Is(err, ErrNotOurs):
			return Supply{}, fmt.Errorf("-safeio=%s: %w", wish, err)
		}
	}
	p, err := Importable(cfg, wish)
	switch {
	case err != nil:
		return Supply{}, fmt.Errorf("-safeio=%s: %w", wish, err)
	case olderThan(goVersion(mod), p.GoVersion):
		return Supply{}, fmt.Errorf("-safeio=%s: it needs go %s, and module %s is of go %s: run go mod tidy -go=%[2]s there, or use -safeio=%[5]s; nothing was changed",
			wish, p.GoVersion, mod.Path, goVersion(mod), Bundle)
	}
	return Supply{ImportPath: wish}, nil
}

// Importable is what code can import by a path, if that is safeio, where nothing makes a copy.
func Importable(cfg load.Config, path string) (load.Importable, error) {
	p, ok := cfg.Import(path)
	switch {
	case isDirectory(path):
		return p, errors.New("an import path is wanted, and that is a directory")
	case !ok && nearest.Name(path, []string{Bundle}) != "":
		return p, fmt.Errorf("there is no such package; did you mean %s?", Bundle)
	case !ok:
		return p, fmt.Errorf("no package can be imported by that path without the network: run go get %s, or use lockvet -fix -safeio=%s", path, Bundle)
	case p.Name != packageName:
		return p, fmt.Errorf("that is package %s, and fixed code calls functions of a package %s", p.Name, packageName)
	}
	return p, nil
}

// isDirectory reports whether a name is one of a directory, and no import path.
func isDirectory(name string) bool {
	return filepath.IsAbs(name) || strings.HasPrefix(name, ".") || strings.Contains(name, `\`)
}

// copyIn is a copy in a folder of the module, with slashes.
func copyIn(mod *packages.Module, folder string) Supply {
	return Supply{
		ImportPath: mod.Path + "/" + folder,
		Copy:       filepath.Join(mod.Dir, filepath.FromSlash(folder)),
		Root:       mod.Dir,
		Module:     mod.Path,
		Go:         goVersion(mod),
	}
}

// Read takes stock of the copy, which need not be there. It is an error if it is not in the module.
func (s Supply) Read() (*Copy, error) {
	if err := untrusted.Inside(s.Root, s.Copy); err != nil {
		return nil, err
	}
	return Read(s.Copy, s.Go)
}

// readGoMod is what a go.mod says, nothing where that cannot be read.
func readGoMod(name string) *modfile.File {
	data, err := untrusted.ReadFile(name, untrusted.MaxSource)
	if err != nil {
		return new(modfile.File)
	}
	f, err := modfile.ParseLax(name, data, nil)
	if err != nil {
		return new(modfile.File)
	}
	return f
}

func requires(goMod string) bool {
	f := readGoMod(goMod)
	return slices.ContainsFunc(f.Require, func(r *modfile.Require) bool { return r.Mod.Path == importPath })
}
