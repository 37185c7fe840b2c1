package supply

import (
	"bytes"
	"os"
	"path"
	"path/filepath"

	"github.com/moby/patternmatcher"
	"github.com/moby/patternmatcher/ignorefile"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/load"
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

// fitting are places for a copy that all code can import, in the folders of a module that hold code beside commands
// and are fit for it.
func fitting(dir string, unfit func(folder string) bool) (places []string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		p := path.Join(e.Name(), packageName)
		if e.IsDir() && e.Name() != "cmd" && !load.HasNoPackages(e.Name()) && !unfit(p) && hasCode(filepath.Join(dir, e.Name())) {
			places = append(places, p)
		}
	}
	return places
}
