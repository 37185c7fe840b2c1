package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/lockvet/lockvet/analyzer"
)

// TestDrift: what is committed is what the documentation of the checks says, and
// no page is left of a check that is gone.
func TestDrift(t *testing.T) {
	root := filepath.Join("..", "..")
	files, err := generate(root)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		if got, err := os.ReadFile(filepath.Join(root, name)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what go run ./tools/docgen makes (%v)", name, err)
		}
	}
	pages, err := filepath.Glob(filepath.Join(root, "docs", "checks", "*.md"))
	if err != nil || len(pages) != len(analyzer.Checks()) {
		t.Errorf("%d pages for %d checks (%v)", len(pages), len(analyzer.Checks()), err)
	}
	for name := range seen {
		if _, err := analyzer.Explain(name); err != nil {
			t.Error(err)
		}
	}
}

// TestMarked: names are code as a whole, with the characters that text has escaped.
func TestMarked(t *testing.T) {
	for text, want := range map[string]string{
		`by os.WriteFile, or os.O\_CREATE|os.O\_EXCL.`:    "by `os.WriteFile`, or `os.O_CREATE`|`os.O_EXCL`.",
		`without O\_CLOEXEC`:                              "without `O_CLOEXEC`",
		`the \*os.File`:                                   "the `*os.File`",
		`config, index, \*.json;`:                         "config, index, `*.json`;",
		`.safeio-NAME.lock; add .safeio-\* to .gitignore`: "`.safeio-NAME.lock`; add `.safeio-*` to `.gitignore`",
		"it ends. The next begins.\n":                     "it ends. The next begins.\n",
	} {
		if got := marked(text); got != want {
			t.Errorf("%s is marked %s, want %s", text, got, want)
		}
	}
}
