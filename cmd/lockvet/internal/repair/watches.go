package repair

import (
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/lockvet/lockvet/internal/pattern"
)

// Watches names a package of the module of a given one that watches files by their own names, in a
// source that imports the given package or is one of it; empty for none. Such a watch is on the file,
// and not on its name: it ends where another one takes its place.
func Watches(of *packages.Package, pkgs []*packages.Package, read func(name string) ([]byte, error)) string {
	for _, p := range pkgs {
		if p.Module == nil || p.Module.Path != of.Module.Path || p.ForTest != "" || p.Imports[fsnotify] == nil || p.PkgPath != of.PkgPath && p.Imports[of.PkgPath] == nil {
			continue
		}
		for _, name := range p.GoFiles {
			src, err := read(name)
			if err != nil || !strings.Contains(string(src), `"`+fsnotify+`"`) || p.PkgPath != of.PkgPath && !strings.Contains(string(src), `"`+of.PkgPath+`"`) {
				continue
			}
			if watchesFile.MatchString(string(src)) && !followsName.MatchString(string(src)) {
				return p.Name
			}
		}
	}
	return ""
}

const fsnotify = "github.com/fsnotify/fsnotify"

var (
	// watchesFile is a watch on what a name calls a file.
	watchesFile = pattern.New(`\b\w+\.Add\((?:\w+\.)*(?i:path|\w*(?:file|filename|filepath|config|cfg))\)`)
	// followsName is what a program asks that knows of files which are replaced, or watches directories.
	followsName = pattern.New(`\bfsnotify\.(?:Remove|Rename)\b|\bIsDir\(\)|\bWalkDir\(|\bfilepath\.Walk\(`)
)
