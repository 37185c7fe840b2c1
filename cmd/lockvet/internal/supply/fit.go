package supply

import (
	"bytes"
	"cmp"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/moby/patternmatcher"
	"github.com/moby/patternmatcher/ignorefile"

	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/untrusted"
)

// unfit reports in which folders of a module a copy would not do: its .dockerignore leaves them out of what images
// are built of, and code that imports a package there does not build in them.
func unfit(dir string) func(folder string) bool {
	none := func(string) bool { return false }
	text, err := untrusted.ReadFile(filepath.Join(dir, ".dockerignore"), untrusted.MaxYAML)
	if err != nil {
		return none
	}
	patterns, err := ignorefile.ReadAll(bytes.NewReader(text))
	if err != nil {
		return none
	}
	m, err := patternmatcher.New(patterns)
	if err != nil {
		return none
	}
	return func(folder string) bool {
		out, err := m.MatchesOrParentMatches(filepath.FromSlash(path.Join(folder, "safeio.go")))
		return err == nil && out
	}
}

// fitting are places for a copy that all code can import, in the folders of a module that hold code
// and are fit for it: first in the one with the most files. Commands are last. There are none where
// the folder with the most files is itself unfit: images are built of no code then, or what is
// internal is what they are built without.
func fitting(dir string, unfit func(folder string) bool) (places []string) {
	entries, _ := os.ReadDir(dir)
	files := make(map[string]int)
	for _, e := range entries {
		switch name := e.Name(); {
		case !e.IsDir() || noCode(name) || !hasCode(filepath.Join(dir, name)):
		case name == "cmd":
			files[name] = 0
		default:
			files[name] = sources(filepath.Join(dir, name))
		}
	}
	roots := slices.SortedFunc(maps.Keys(files),
		func(a, b string) int { return cmp.Or(files[b]-files[a], cmp.Compare(a, b)) })
	if len(roots) == 0 || unfit(roots[0]) {
		return nil
	}
	for _, root := range roots {
		for _, folder := range known.CopyFolders {
			if p := path.Join(root, strings.TrimPrefix(folder, "internal/")); !unfit(p) {
				places = append(places, p)
			}
		}
	}
	return places
}

// sources counts the Go files in a folder and below.
func sources(dir string) (n int) {
	_ = filepath.WalkDir(dir, func(name string, _ fs.DirEntry, err error) error { // what cannot be read has none
		if err == nil && strings.HasSuffix(name, ".go") {
			n++
		}
		return nil
	})
	return n
}
