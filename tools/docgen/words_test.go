package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/lockvet/lockvet/analyzer"
	"github.com/lockvet/lockvet/internal/verdict"
)

const (
	// screen is the most lines of 80 columns that the opening of a check takes.
	screen = 45
	// sentence is the most words of a sentence in the documentation of a check or rule.
	sentence = 26
)

// TestOpening: what is lost, the wrong and the right code, what the fix does and how a
// report is silenced stand on one screen, in lockvet explain as on the page.
func TestOpening(t *testing.T) {
	for _, c := range analyzer.Catalogue() {
		opening, rest, ok := strings.Cut(c.Doc, "\n# Variants\n")
		if lines := strings.Count(opening, "\n"); !ok || lines > screen {
			t.Errorf("%s: the opening has %d lines (%t)", c.Name, lines, ok)
		}
		for _, part := range []string{"\nWRONG:\n", "\nRIGHT:\n", "fix", "ilence"} {
			if !strings.Contains(opening, part) {
				t.Errorf("%s: the opening has no %q", c.Name, part)
			}
		}
		if !strings.Contains(rest, "\n# Silent\n") {
			t.Errorf("%s: nothing says when it is silent", c.Name)
		}
		for line := range strings.Lines(c.Doc) {
			if len([]rune(strings.TrimRight(line, "\n"))) > 80 && !strings.HasPrefix(line, "\t") {
				t.Errorf("%s: a line is longer than 80 columns: %s", c.Name, line)
			}
		}
		page := unseen.ReplaceAllString(string(page(c)), "")
		if lines := strings.Count(wrap(page[:strings.Index(page, "\n## ")], 100), "\n"); lines > screen {
			t.Errorf("%s: the page opens with %d lines", c.Name, lines)
		}
	}
}

// unseen are lines that a browser does not show.
var unseen = regexp.MustCompile("(?m)^(```.*|<!--.*\n)\n")

// wrap breaks long lines, as a window does.
func wrap(text string, columns int) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		for len(line) > columns {
			at := strings.LastIndex(line[:columns], " ")
			if at < 1 {
				break
			}
			fmt.Fprintln(&out, line[:at])
			line = line[at+1:]
		}
		out.WriteString(line)
	}
	return out.String()
}

// notSaid are words for which the field has others: release, fix, again, caller, and the
// name of what is meant.
var notSaid = regexp.MustCompile(`(?i)\b(let(s|ting)? go|(un)?mend(s|ed|able|ing)?|whoever|come(s)? there|anew|heed(s|ed)?|renewed|himself)\b`)

// TestWords: the documentation uses the words of the field.
func TestWords(t *testing.T) {
	said := map[string]string{}
	for _, c := range analyzer.Catalogue() {
		said[c.Name] = c.Doc
	}
	for _, r := range verdict.Rules() {
		said[r.ID] = r.Why + "\n" + r.Source
	}
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/checks/*.md"} {
		names, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			said[name] = string(text)
		}
	}
	for name, text := range said {
		text = prose(text)
		if strings.HasSuffix(name, ".md") {
			text = program.ReplaceAllString(text, "")
		}
		for line := range strings.Lines(text) {
			if word := notSaid.FindString(line); word != "" {
				t.Errorf("%s: %q in %s", name, word, line)
			}
		}
	}
}

// TestSentences: those of checks, rules and the pages for users are short.
func TestSentences(t *testing.T) {
	said := map[string]string{}
	for _, c := range analyzer.Catalogue() {
		said[c.Name] = c.Doc
	}
	for _, r := range verdict.Rules() {
		said[r.ID] = r.Why + "."
		if strings.HasPrefix(r.ID, "package/") {
			// These list the names of directories.
			said[r.ID] = strings.ReplaceAll(said[r.ID], ": ", ". ")
		}
	}
	for _, name := range []string{"README", "CONTRIBUTING", "docs/bazel", "docs/ci", "docs/configuration", "docs/editors", "docs/golangci-lint", "docs/report"} {
		text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(name)+".md"))
		if err != nil {
			t.Fatal(err)
		}
		said[name] = program.ReplaceAllString(rows.ReplaceAllString(string(text), ""), "")
	}
	for name, text := range said {
		for _, s := range sentences(text) {
			if n := len(strings.Fields(s)); n > sentence {
				t.Errorf("%s: %d words: %s", name, n, s)
			}
		}
	}
}

var (
	fenced  = regexp.MustCompile("(?ms)^```.*?^```")
	code    = regexp.MustCompile("`[^`\n]*`")
	rows    = regexp.MustCompile(`(?m)^\|.*$`)
	example = regexp.MustCompile(`(?m)^\t.*$`)
	program = regexp.MustCompile(`(?m)^(\t|    ).*$`)
	// A sentence ends at a full stop or a semicolon, before a list and with an item of it.
	breaks = regexp.MustCompile(`[.?!;](\s+|$)|\n\s*\n|\n\s*(-|\d+\.) |:\n`)
)

// prose is a text without its code.
func prose(text string) string {
	text = fenced.ReplaceAllString(text, "")
	return code.ReplaceAllString(text, "CODE")
}

// sentences are those of a text. An item of a list is one, and so is what leads to it.
func sentences(text string) []string {
	var out []string
	for _, part := range breaks.Split(example.ReplaceAllString(prose(text), ""), -1) {
		out = append(out, strings.Join(strings.Fields(part), " "))
	}
	return out
}
