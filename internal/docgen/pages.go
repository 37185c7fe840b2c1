package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/lockvet/lockvet/analyzer"
	"github.com/lockvet/lockvet/internal/verdict"
)

// The table of the README stands between these lines.
const (
	begin = "<!-- The table is made by go run ./internal/docgen. -->\n"
	end   = "<!-- end of the table -->\n"
)

// generate returns the content of each file that is made, by its name under the
// root.
func generate(root string) (map[string][]byte, error) {
	files := make(map[string][]byte)
	for _, c := range analyzer.Catalogue() {
		files["docs/checks/"+c.Name+".md"] = page(c)
	}
	files["docs/rules.md"] = rules()
	files["docs/lockvet.schema.json"] = schema()
	page, err := fieldPage()
	if err != nil {
		return nil, err
	}
	files["docs/field.md"] = page
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		return nil, err
	}
	before, rest, ok := bytes.Cut(readme, []byte(begin))
	_, after, ok2 := bytes.Cut(rest, []byte(end))
	if !ok || !ok2 {
		return nil, fmt.Errorf("README.md has no lines %q and %q", begin, end)
	}
	files["README.md"] = bytes.Join([][]byte{before, []byte(begin), table(), []byte(end), after}, nil)
	return files, nil
}

// table lists the checks.
func table() []byte {
	var b bytes.Buffer
	b.WriteString("| check | what it looks for | variants |\n|---|---|---|\n")
	for _, c := range analyzer.Catalogue() {
		var variants []string
		for _, v := range c.Variants {
			variants = append(variants, strings.TrimPrefix(v.Category, c.Name+"/"))
		}
		fmt.Fprintf(&b, "| [`%s`](docs/checks/%s.md) | %s | %s |\n", c.Name, c.Name, strings.TrimSuffix(c.Title, "."), strings.Join(variants, ", "))
	}
	return b.Bytes()
}

// page documents one check.
func page(c analyzer.Check) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "<!-- Made by go run ./internal/docgen from analyzer/%s/doc.go. -->\n\n# %s\n\nFinds %s\n\n%s", c.Name, c.Name, c.Title, c.Markdown())
	reports := seen[c.Name]
	if len(reports) > 0 {
		b.WriteString("\n## Where it was seen\n\nMistakes of this kind that their authors found and mended:\n\n")
	}
	for _, r := range reports {
		fmt.Fprintf(&b, "- [%s@%s](https://github.com/%s/commit/%s): %s\n", r.repo, r.commit[:7], r.repo, r.commit, r.lost)
	}
	fmt.Fprintf(&b, "\n## In the source\n\n`//lockvet:ignore %s REASON` on the reported line, or on a line of its own above it, answers for a report. `lockvet -disable %s` turns the check off, `-severity %s=warning` keeps it from failing a run.\n",
		c.Name, c.Name, c.Name)
	return b.Bytes()
}

// rules documents all rules, those of one group in a table.
func rules() []byte {
	var b bytes.Buffer
	b.WriteString("<!-- Made by go run ./internal/docgen from the rules in the source. -->\n\n# Rules\n\n" +
		"Every reason to report and every reason to be silent is a rule. `lockvet why FILE:LINE` says which of them spoke of a place, the deciding one first; " +
		"`lockvet explain rule:ID` says what one is; `-without ID` leaves one out.\n\n" +
		"A rule speaks *for* a report or *against* it. One that *forbids* is never outweighed; one that *lowers* leaves the report and makes less of it.\n")
	group := ""
	for _, r := range verdict.Rules() {
		if g, _, _ := strings.Cut(r.ID, "/"); g != group {
			group = g
			fmt.Fprintf(&b, "\n## %s\n\n| rule | effect | what it sees, and why that is a reason | learned from |\n|---|---|---|---|\n", group)
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", r.ID, r.Effect, r.Why, r.Source)
	}
	return b.Bytes()
}
