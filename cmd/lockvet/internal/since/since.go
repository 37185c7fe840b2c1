// Package since says which lines of a git work tree are newer than a revision.
// It knows nothing of what stands on them.
package since

import (
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/sourcegraph/go-diff/diff"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/git"
)

// Lines are the lines of a work tree that were added or changed.
type Lines struct {
	dir    string             // the directory of the run
	prefix string             // its name in the repository
	files  map[string][]lines // by name in the repository; nil for a new file
}

// lines are a stretch of them, both ends counted.
type lines struct{ first, last int }

// Read compares the work tree around a directory, with what is not committed and
// not tracked yet, with the point at which its history left that of a revision.
func Read(dir, revision string) (*Lines, error) {
	l := &Lines{dir: dir, files: make(map[string][]lines)}
	prefix, err := git.Run(dir, nil, "rev-parse", "--show-prefix")
	if err != nil {
		return nil, err
	}
	l.prefix = strings.TrimSuffix(string(prefix), "\n")
	if _, err := git.Run(dir, nil, "rev-parse", "--verify", "--quiet", "--end-of-options", revision+"^{commit}"); err != nil {
		return nil, fmt.Errorf("%q is no revision of the repository; a shallow clone may have to be deepened", revision)
	}
	base, err := git.Run(dir, nil, "merge-base", "HEAD", revision)
	if err != nil {
		return nil, fmt.Errorf("%s and HEAD have no commit in common; a shallow clone may have to be deepened", revision)
	}
	patch, err := git.Run(dir, nil, "diff", "--no-color", "--no-ext-diff", "--no-renames", "--src-prefix=a/", "--dst-prefix=b/", "--unified=0",
		// The lines themselves are of no interest, and must not be taken for the head
		// of a file, as "-- x" would where "-" stands in front of it.
		"--output-indicator-old= ", "--output-indicator-new= ", strings.TrimSpace(string(base)), "--", ":/*.go")
	if err != nil {
		return nil, err
	}
	if err := l.add(patch); err != nil {
		return nil, fmt.Errorf("git diff: %w", err)
	}
	fresh, err := git.Run(dir, nil, "ls-files", "--others", "--exclude-standard", "--full-name", "-z", "--", ":/*.go")
	if err != nil {
		return nil, err
	}
	for name := range strings.SplitSeq(string(fresh), "\x00") {
		l.files[name] = nil
	}
	return l, nil
}

func (l *Lines) add(patch []byte) error {
	files, err := diff.ParseMultiFileDiff(patch)
	if err != nil {
		return err
	}
	for _, f := range files {
		name := strings.TrimPrefix(f.NewName, "b/")
		l.files[name] = []lines{}
		for _, h := range f.Hunks {
			if h.NewLines > 0 {
				first := int(h.NewStartLine)
				l.files[name] = append(l.files[name], lines{first, first + int(h.NewLines) - 1})
			}
		}
	}
	return nil
}

// Touch reports whether one of the lines of a file is newer than the revision.
func (l *Lines) Touch(name string, first, last int) bool {
	rel, err := filepath.Rel(l.dir, name)
	if err != nil {
		return false
	}
	changed, known := l.files[path.Join(l.prefix, filepath.ToSlash(rel))]
	if !known {
		return false
	}
	for _, c := range changed {
		if c.first <= last && first <= c.last {
			return true
		}
	}
	return changed == nil
}
