package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lockvet/lockvet/analyzer"
)

const changelogFile = "../../CHANGELOG.md"

// TestChangelog: the changelog has the form that a release reads, and names every check.
func TestChangelog(t *testing.T) {
	text, err := os.ReadFile(changelogFile)
	if err != nil {
		t.Fatal(err)
	}
	all, err := changelog(string(text))
	if err != nil {
		t.Fatal(err)
	}
	if first := all[len(all)-1]; first.version != "0.1.0" || !strings.HasPrefix(first.text, "The first release.\n\n### Added\n") {
		t.Errorf("the first version is %s, with %.50q", first.version, first.text)
	}
	for _, c := range analyzer.Catalogue() {
		if !strings.Contains(string(text), "\n- `"+c.Name+"`: ") {
			t.Errorf("the check %s is not there", c.Name)
		}
	}
}

// TestNotes: a release has the section of its tag, without the links, and needs a day.
func TestNotes(t *testing.T) {
	const links = "\n[Unreleased]: https://example.com\n[0.2.0]: https://example.com\n[0.1.0]: https://example.com\n"
	for _, c := range []struct{ text, want, wrong string }{
		{"# C\n\n## [Unreleased]\n\n## [0.2.0] - 2026-12-01\n\n### Added\n\n- a\n\n## [0.1.0] - 2026-11-01\n\n- b\n" + links, "### Added\n\n- a\n", ""},
		{"# C\n\n## [Unreleased]\n\n## [0.2.0] - 2026-12-01\n\n- a\n" + links, "- a\n", ""},
		{"# C\n\n## [Unreleased]\n\n## [0.2.0] - Unreleased\n\n- a\n" + links, "", "needs the day"},
		{"# C\n\n## [Unreleased]\n\n- c\n\n## [0.2.0] - 2026-12-01\n\n- a\n" + links, "", "is not released"},
		{"# C\n\n## [Unreleased]\n\n## [0.2.0] - 2026-12-01\n" + links, "", "is empty"},
		{"# C\n\n## [Unreleased]\n\n## [0.3.0] - 2026-12-01\n\n- a\n" + links, "", "has no link"},
		{"# C\n\n## [Unreleased]\n\n## [0.1.0] - 2026-12-01\n\n- a\n" + links, "", "no section for v0.2.0"},
		{"# C\n\n## Unreleased\n\n- a\n", "", "0 sections"},
	} {
		name := filepath.Join(t.TempDir(), "CHANGELOG.md")
		if err := os.WriteFile(name, []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		got, err := notes(name, "v0.2.0")
		if got != c.want || (err == nil) != (c.wrong == "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%q: %q, %v", c.text, got, err)
		}
	}
}
