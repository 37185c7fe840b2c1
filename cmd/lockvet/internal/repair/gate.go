package repair

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/lockvet/lockvet/analyzer/tornwrite"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/analyse"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/load"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/pattern"
	"github.com/lockvet/lockvet/internal/untrusted"
)

// A Gate lets a fix through if every file that it edits may be edited.
type Gate struct {
	// CopyError says why the copy of safeio that a fix would import cannot be made, or not be
	// built; nil if it can, or if there is none.
	CopyError func(*analyse.Found) error
	// Chosen says that somebody decides upon each fix. Without that, none is made that has something
	// to decide, and what is a warning alone gets no lock and no fix of which it says that somebody is asked.
	Chosen bool
	// Customs tells what the program of a finding does in its own way; nil where nobody knows.
	Customs func(*analyse.Found) Customs

	obstacles []string
}

// Withhold takes the fixes that must not be made from the findings and says on
// each why.
func (g *Gate) Withhold(found []*analyse.Found) {
	locks, wanted := g.wanted(found, true), g.wanted(found, false)
	for _, f := range found {
		if f.Fix == nil {
			continue
		}
		reason := g.refusal(f)
		if reason == "" && f.Locks && !locks[EditsOf(f)] {
			reason = "nothing shows two writers at a time, and a lock leaves a file of its own" + asks
		}
		if reason == "" && g.Customs != nil {
			reason = g.against(f, g.Customs(f))
		}
		switch {
		case reason != "":
		case f.Doubt != "" && !g.Chosen:
			reason = f.Doubt + asks
		case f.Asks != "" && !wanted[EditsOf(f)]:
			reason = f.Asks + asks
		}
		if reason != "" {
			withhold(f, reason)
		}
	}
}

const asks = ": -fix -i asks whether to take it"

// against is what the customs of a program have against a fix; empty for nothing.
func (g *Gate) against(f *analyse.Found, c Customs) string {
	replaces := f.Check == tornwrite.Name && !g.Chosen
	switch {
	case f.Locks && c.Locks() != "":
		return "the program locks files by package " + c.Locks() +
			", and its holders would not see a lock of another kind: take the one of the program here, too"
	case replaces && f.Variant == "inplace" && c.Watches != "":
		return "package " + c.Watches + " watches files by their own names, and may not see one that is replaced" + asks
	case replaces && c.Replaces != "":
		return "the program replaces files by " + c.Replaces +
			", and safeio would be a second way: have that write this, too; -fix -i asks whether to take it"
	}
	return ""
}

// wanted are the edits that somebody chooses, or that fix an error and leave nothing to decide: a lock
// around several places is the fix of each, and a helper's that of all who call it. Of locks, where these
// are asked for, it is no other fix that shares the edits of its file with one.
func (g *Gate) wanted(found []*analyse.Found, locks bool) map[string]bool {
	all := make(map[string]bool)
	for _, f := range found {
		if f.Fix != nil && (f.Locks || !locks) && (f.Doubt == "" || g.Chosen) && g.counts(f) {
			all[EditsOf(f)] = true
		}
	}
	return all
}

// counts reports whether somebody chooses the fix of a finding, or that is an error by its score: what a user has
// said that it counts decides what is reported, and not what is fixed.
func (g *Gate) counts(f *analyse.Found) bool {
	return g.Chosen || cmp.Or(f.Severity, finding.Error) == finding.Error
}

// EditsOf tells the fixes of findings apart.
func EditsOf(f *analyse.Found) string {
	var b strings.Builder
	for _, e := range f.Fix.TextEdits {
		fmt.Fprintf(&b, "%v %q\n", f.FixedIn.Fset.Position(e.Pos), e.NewText)
	}
	return b.String()
}

func withhold(f *analyse.Found, reason string) {
	without := *f.Finding
	without.Fix, without.NoFix = nil, reason
	f.Finding = &without
}

// Obstacles lists what kept a fix from being made and can be removed by the
// user, such as a file that is read-only.
func (g *Gate) Obstacles() []string {
	return slices.Compact(slices.Sorted(slices.Values(g.obstacles)))
}

func (g *Gate) refusal(f *analyse.Found) string {
	if f.FixedIn.PkgPath == load.FilesPackage {
		return "the package was named by its files; name the package to fix it"
	}
	if m := f.FixedIn.Module; m == nil || !m.Main {
		return "the file is outside the main module"
	}
	for _, e := range f.Fix.TextEdits {
		if reason := g.fileRefusal(f, e); reason != "" {
			return reason
		}
	}
	if err := g.CopyError(f); err != nil {
		g.obstacles = append(g.obstacles, err.Error())
		return err.Error()
	}
	return ""
}

func (g *Gate) fileRefusal(f *analyse.Found, e analysis.TextEdit) string {
	name := f.FixedIn.Fset.File(e.Pos).Name()
	switch {
	case !slices.Contains(f.FixedIn.GoFiles, name):
		return "the file is made by cgo"
	case foreign(name) != "":
		return foreign(name)
	case !inModule(f.FixedIn.Module.Dir, name):
		return "the file is outside the main module"
	}
	info, err := os.Stat(name)
	if err != nil {
		return err.Error()
	}
	if info.Mode().Perm()&0o222 == 0 {
		obstacle := fmt.Sprintf("%s is read-only (%s): make it writable and run again", name, info.Mode())
		g.obstacles = append(g.obstacles, obstacle)
		return "the file is read-only"
	}
	return ""
}

// foreign says why changes of a file are lost, by what stands above its package clause: it is made of another one, or
// somebody else's was copied. It is empty where nothing says so.
func foreign(name string) string {
	file, err := untrusted.ParseFile(token.NewFileSet(), name, parser.PackageClauseOnly|parser.ParseComments)
	switch {
	case err != nil:
		return ""
	case ast.IsGenerated(file):
		return "the file is generated"
	case slices.ContainsFunc(file.Comments, func(c *ast.CommentGroup) bool {
		return c.Pos() < file.Package && verbatim.MatchString(strings.Join(strings.Fields(c.Text()), " "))
	}):
		return "the file says that it is copied from elsewhere: what is changed here is not changed there"
	}
	return ""
}

// verbatim are the words of a copy, and of where it is from.
var verbatim = pattern.New(`(?i)\b(copied|taken|vendored) verbatim\b|\bverbatim copy\b|\b(copied|vendored) from:? \S*(https?://|github\.com/|golang\.org/)`)

// inModule reports whether the file that a name leads to, through whatever
// symbolic links, belongs to the module in dir.
func inModule(dir, name string) bool {
	realDir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return false
	}
	realName, err := filepath.EvalSymlinks(name)
	if err != nil {
		return false
	}
	rel, err := filepath.Rel(realDir, realName)
	if err != nil || !filepath.IsLocal(rel) {
		return false
	}
	return !slices.Contains(strings.Split(filepath.ToSlash(rel), "/"), "vendor")
}
