package supply

import (
	"cmp"
	"fmt"
	"go/version"
	"path"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"

	"github.com/lockvet/lockvet/internal/bundle"
)

// goVersion is the version of Go that the go.mod of a module says, or what the
// go command takes for it where it says none.
func goVersion(mod *packages.Module) string { return cmp.Or(mod.GoVersion, unsaid) }

const unsaid = "1.16"

// CallsCopy reports whether fixed code calls a copy of safeio because of a fix.
func (s Supply) CallsCopy(fix *analysis.SuggestedFix) bool {
	if s.Copy == "" || fix == nil {
		return false
	}
	for _, e := range fix.TextEdits {
		text := string(e.NewText)
		if strings.Contains(text, path.Base(s.ImportPath)+".") || strings.Contains(text, strconv.Quote(s.ImportPath)) {
			return true
		}
	}
	return false
}

// Compiles is nil if the Go of the module can build a copy, and otherwise says what to
// do.
func (s Supply) Compiles() error {
	if !olderThan(s.Go, bundle.Library) {
		return nil
	}
	return fmt.Errorf("module %s is of go %s, and the copy of safeio that fixed code calls needs Go %s: "+
		"run go mod tidy -go=%[3]s there, or name a package with -safeio", s.Module, s.Go, bundle.Library)
}

// olderThan compares versions of Go. None is older than one that is not known.
func olderThan(a, b string) bool { return version.Compare("go"+a, "go"+b) < 0 }
