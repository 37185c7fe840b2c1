package main

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/lockvet/lockvet/analyzer"
)

// screen is the most lines of 80 columns that the opening of a check takes.
const screen = 45

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
