package repair

import (
	"slices"

	"golang.org/x/tools/go/packages"

	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/pattern"
)

// OwnLocks names a package of the module of a given one, and which that can import, that locks any file
// which it is told: with a library, or by a function of its own. It is empty for none. In a module with
// two kinds of locks, who takes one does not see the other.
func OwnLocks(of *packages.Package, pkgs []*packages.Package, read func(name string) ([]byte, error)) string {
	for _, p := range pkgs {
		if p.Module == nil || p.Module.Path != of.Module.Path || p.ForTest != "" || p.Name == "main" || known.IsCopy(p.PkgPath) || dependsOn(p, of) {
			continue
		}
		calls, takes := false, false
		for _, name := range slices.Concat(p.GoFiles, p.IgnoredFiles) {
			src, err := read(name)
			if err != nil {
				continue
			}
			if lockLibrary.MatchString(string(src)) {
				return p.Name
			}
			calls, takes = calls || locksFiles.MatchString(string(src)), takes || takesPath.MatchString(string(src))
		}
		if calls && takes {
			return p.Name
		}
	}
	return ""
}

// dependsOn reports whether a package imports another one, also through others.
func dependsOn(p, other *packages.Package) (found bool) {
	packages.Visit([]*packages.Package{p}, func(q *packages.Package) bool {
		found = found || q != p && q.PkgPath == other.PkgPath
		return !found && (q.Module == nil || q.Module.Main)
	}, nil)
	return found
}

var (
	// lockLibrary is the import of a library that locks files.
	lockLibrary = pattern.New(`"(?:github\.com/(?:gofrs/flock|theckman/go-flock|alexflint/go-filemutex|juju/mutex[/v0-9]*)|\S+/lockedfile)"`)
	// locksFiles is a call by which the system locks a file, and takesPath a function that is told
	// which.
	locksFiles = pattern.New(`\b(?:syscall|unix)\.Flock\(|\bF_(?:OFD_)?SETLKW?\b|\bLockFileEx\(`)
	takesPath  = pattern.New(`(?m)^func (?:\([^)]*\) )?\w*(?i:lock|acquire)\w*\((?:ctx context\.Context, )?(?i:\w*(?:path|file|name)) string`)
)
