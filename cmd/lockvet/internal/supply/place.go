package supply

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/load"
	"github.com/lockvet/lockvet/internal/known"
)

// place is the folder of a module in which its copy is, or is to be, with slashes: one
// that has a copy, or else the first that is free and fit for it.
func place(mod *packages.Module, existing []string) string {
	places := slices.Clone(known.CopyFolders)
	if no := unfit(mod.Dir); no(places[0]) {
		places = append(fitting(mod.Dir, no), places...)
	}
	for _, dir := range existing {
		if rel, err := filepath.Rel(mod.Dir, dir); err == nil && filepath.IsLocal(rel) && visible(filepath.ToSlash(rel)) {
			places = append(places, filepath.ToSlash(rel))
		}
	}
	free := ""
	for _, p := range places {
		if !belongs(mod.Dir, p) {
			continue
		}
		c, err := copyIn(mod, p).Read()
		switch {
		case err != nil:
		case c.Exists():
			return p
		case free == "":
			free = p
		}
	}
	if free == "" {
		return known.CopyFolders[0] // and it is said what stands there
	}
	return free
}

// Incomplete says what lacks, by file name, to the copies in the usual places of a module,
// and in that of -safeio: a run that was killed, or an older version, may have left one
// that does not compile, and somebody may have written calls of what it has not. What a file
// is to hold is nil for one that is to go.
func Incomplete(dir, module, wish, version string) map[string][]byte {
	all, goVersion := make(map[string][]byte), unsaid
	if line := readGoMod(filepath.Join(dir, "go.mod")).Go; line != nil {
		goVersion = line.Version
	}
	places := slices.Clone(known.CopyFolders)
	if folder, ok := strings.CutPrefix(wish, module+"/"); ok {
		places = append(places, folder)
	}
	for _, p := range places {
		if !belongs(dir, p) {
			continue
		}
		of := Supply{ImportPath: module + "/" + p, Root: dir, Copy: filepath.Join(dir, filepath.FromSlash(p)), Go: goVersion}
		c, err := of.Wanted()
		if err != nil || !c.Exists() {
			continue
		}
		if changes, err := c.Changes(nil, version); err == nil {
			maps.Copy(all, changes)
		}
	}
	return all
}

// visible reports whether all code of a module can import the package in a folder of it.
func visible(folder string) bool {
	above, _, internal := strings.Cut("/"+folder+"/", "/internal/")
	return !internal || above == ""
}

// Copies are the folders of the main modules' packages, among these and what they
// import, that are copies of safeio, wherever -safeio has put them.
func Copies(pkgs []*packages.Package) []string {
	var dirs []string
	packages.Visit(pkgs, func(p *packages.Package) bool {
		main := p.Module != nil && p.Module.Main
		if main && p.Name == "safeio" && len(p.GoFiles) > 0 {
			dir := filepath.Dir(p.GoFiles[0])
			if c, err := Read(dir, ""); err == nil && c.Exists() {
				known.AddCopy(p.PkgPath)
				dirs = append(dirs, dir)
			}
		}
		return main
	}, nil)
	slices.Sort(dirs)
	return slices.Compact(dirs)
}

// belongs reports whether a package in a folder of the module in dir would be one of
// that module.
func belongs(dir, folder string) bool {
	for elem := range strings.SplitSeq(folder, "/") {
		dir = filepath.Join(dir, elem)
		switch info, err := os.Stat(dir); {
		case err != nil:
			return os.IsNotExist(err)
		case !info.IsDir() || load.IsModule(dir):
			return false
		}
	}
	return true
}

// hasCode reports whether there is a Go file of the module in a folder or below.
func hasCode(dir string) bool {
	for range load.Sources(dir) {
		return !load.IsModule(dir)
	}
	return false
}
