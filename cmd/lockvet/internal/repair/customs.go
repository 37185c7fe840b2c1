package repair

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/packages"

	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/pattern"
)

// Customs are what the module of a package does in its own way; each is empty where it does not.
type Customs struct {
	// Locks names a package, which the given one can import, that locks any file which it is told: with a
	// library, or by a function of its own. With two kinds of locks, who takes one does not see the other.
	Locks func() string
	// Watches names a package that watches files by their own names, in a source that imports the given
	// package or is one of it. Such a watch ends where another file takes the place of the first.
	Watches string
	// Replaces names a library by which files are replaced.
	Replaces string
}

// CustomsOf are the customs of the module of a package, whose packages are among those given.
func CustomsOf(of *packages.Package, pkgs []*packages.Package, read func(name string) ([]byte, error)) (c Customs) {
	pkgs = slices.DeleteFunc(slices.Clone(pkgs), func(p *packages.Package) bool {
		return p.Module == nil || p.Module.Path != of.Module.Path || p.ForTest != ""
	})
	c.Locks = sync.OnceValue(func() string {
		for _, p := range pkgs {
			if p.Name != "main" && !known.IsCopy(p.PkgPath) && !dependsOn(p, of) && locksAny(p, read) {
				return p.Name
			}
		}
		return ""
	})
	for _, p := range pkgs {
		if c.Watches == "" && watches(p, of, read) {
			c.Watches = p.Name
		}
		paths := slices.Sorted(maps.Keys(p.Imports))
		if i := slices.IndexFunc(paths, known.ReplacesFiles); i >= 0 && c.Replaces == "" {
			c.Replaces = paths[i]
		}
	}
	return c
}

// dependsOn reports whether a package imports another one, also through others.
func dependsOn(p, other *packages.Package) (found bool) {
	packages.Visit([]*packages.Package{p}, func(q *packages.Package) bool {
		found = found || q != p && q.PkgPath == other.PkgPath
		return !found && (q.Module == nil || q.Module.Main)
	}, nil)
	return found
}

// locksAny reports whether a package locks any file which it is told.
func locksAny(p *packages.Package, read func(name string) ([]byte, error)) bool {
	calls, takes := false, false
	for _, name := range slices.Concat(p.GoFiles, p.IgnoredFiles) {
		content, _ := read(name) // what cannot be read does nothing
		src := string(content)
		if lockLibrary.MatchString(src) {
			return true
		}
		calls, takes = calls || locksFiles.MatchString(src), takes || takesPath.MatchString(src)
	}
	return calls && takes
}

// watches reports whether a package watches files by their own names, where it has to do with another one.
func watches(p, of *packages.Package, read func(name string) ([]byte, error)) bool {
	return p.Imports[fsnotify] != nil && slices.ContainsFunc(p.GoFiles, func(name string) bool {
		content, _ := read(name)
		src := string(content)
		return strings.Contains(src, `"`+fsnotify+`"`) && (p.PkgPath == of.PkgPath || strings.Contains(src, `"`+of.PkgPath+`"`)) &&
			watchesFile.MatchString(src) && !followsName.MatchString(src)
	})
}

const fsnotify = "github.com/fsnotify/fsnotify"

var (
	// lockLibrary is the import of a library that locks files.
	lockLibrary = pattern.New(`"(?:github\.com/(?:gofrs/flock|theckman/go-flock|alexflint/go-filemutex|juju/mutex[/v0-9]*)|\S+/lockedfile)"`)
	// locksFiles is a call by which the system locks a file, and takesPath a function that is told
	// which.
	locksFiles = pattern.New(`\b(?:syscall|unix)\.Flock\(|\bF_(?:OFD_)?SETLKW?\b|\bLockFileEx\(`)
	takesPath  = pattern.New(`(?m)^func (?:\([^)]*\) )?\w*(?i:lock|acquire)\w*\((?:ctx context\.Context, )?(?i:\w*(?:path|file|name)) string`)
	// watchesFile is a watch on what a name calls a file.
	watchesFile = pattern.New(`\b\w+\.Add\((?:\w+\.)*(?i:path|\w*(?:file|filename|filepath|config|cfg))\)`)
	// followsName is what a program asks that knows of files which are replaced, or watches directories.
	followsName = pattern.New(`\bfsnotify\.(?:Remove|Rename)\b|\bIsDir\(\)|\bWalkDir\(|\bfilepath\.Walk\(`)
)
