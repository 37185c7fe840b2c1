package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/lockvet/lockvet/analyzer"
	"github.com/lockvet/lockvet/internal/verdict"
)

// The table of the README stands between these lines.
const (
	begin = "<!-- The table is made by go run ./tools/docgen. -->\n"
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
		fmt.Fprintf(
			&b,
			"| [`%s`](docs/checks/%s.md) | %s | %s |\n",
			c.Name,
			c.Name,
			strings.TrimSuffix(c.Title, "."),
			strings.Join(variants, ", "),
		)
	}
	return b.Bytes()
}

// page documents one check: one screen of what it is about, and tables.
func page(c analyzer.Check) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "<!-- Made by go run ./tools/docgen from analyzer/%s/doc.go and the rules in the source. -->\n\n# "+
		"%s\n\nFinds %s\n\n%s", c.Name, c.Name, c.Title, marked(c.Section("")))
	if strings.Contains(c.Section(""), "safeio.") {
		b.WriteString("\n`safeio` is [the package](../safeio.md) that fixed code calls.\n")
	}
	b.WriteString(
		"\n## Variants\n\nEach variant has its own ID, such as `" + c.Variants[0].Category + "`. `-enable`, `-disable`, `-severity` and `//lockvet:ignore` " +
			"accept a check or a variant.\n\n| variant | what is wrong |\n|---|---|\n",
	)
	for _, v := range c.Variants {
		fmt.Fprintf(&b, "| `%s` | %s |\n", strings.TrimPrefix(v.Category, c.Name+"/"), marked(v.Text))
	}
	fmt.Fprintf(&b, "\n## When it is silent\n\n%s", marked(c.Section("Silent")))
	ruleTables(&b, c.Name)
	if fixes := c.Section("Fixes"); fixes != "" {
		fmt.Fprintf(&b, "\n## What the fix changes\n\n%s", marked(fixes))
	}
	reports := seen[c.Name]
	if len(reports) > 0 {
		b.WriteString("\n## Where it was seen\n\nReal bugs of this kind, with the commit in which the authors fixed " +
			"them:\n\n| commit | what was lost |\n|---|---|\n")
	}
	for _, r := range reports {
		fmt.Fprintf(&b, "| [%s@%s](https://github.com/%s/commit/%s) | %s |\n", r.repo, r.commit[:7], r.repo, r.commit, r.lost)
	}
	return b.Bytes()
}

// names are those of Go and of files, and comments that speak to lockvet, as they stand in
// text, where Markdown needs some characters escaped.
var names = regexp.MustCompile(`//lockvet:(ignore [a-zA-Z]+ REASON|ignore|state)` +
	`|\b(os\.)?[A-Z]+(\\_[A-Z]+)+\b|(\\\*|\b)[a-z]+\.[A-Z]\w*\b` +
	`|\.safeio-(NAME\.lock|\\\*)|\.gitignore\b|\\\*\.[a-z]+\b`)

// unescaped is what escaped text says.
var unescaped = strings.NewReplacer(`\_`, "_", `\*`, "*")

// marked is a text of Markdown with names as code, and with the programs in it as those of Go.
func marked(text string) string {
	var out strings.Builder
	program := false
	lines := strings.SplitAfter(text, "\n")
	for _, line := range lines {
		code := strings.HasPrefix(line, "\t")
		if code && !program {
			out.WriteString("```go\n")
		}
		if !code && program {
			out.WriteString("```\n")
		}
		if program = code; code {
			out.WriteString(line[1:])
			continue
		}
		out.WriteString(names.ReplaceAllStringFunc(line, func(name string) string { return "`" + unescaped.Replace(name) + "`" }))
	}
	return out.String()
}

// ruleTables lists the rules that only this check asks, by what they do to a report.
func ruleTables(b *bytes.Buffer, check string) {
	tables := []struct {
		title   string
		effects []verdict.Effect
	}{
		{"leads to a report", []verdict.Effect{verdict.For}},
		{"keeps the check silent", []verdict.Effect{verdict.Forbids, verdict.Against}},
		{"makes the report a warning", []verdict.Effect{verdict.Lowers}},
	}
	begun := false
	for _, t := range tables {
		head := fmt.Sprintf("\n| rule | what %s |\n|---|---|\n", t.title)
		for _, r := range verdict.Rules() {
			if group, _, _ := strings.Cut(r.ID, "/"); group != check || !slices.Contains(t.effects, r.Effect) {
				continue
			}
			if !begun {
				b.WriteString(
					"\n## Rules\n\n`lockvet why FILE:LINE` names the rules that decided about a place; `lockvet explain ID` explains one. " +
						"[rules.md](../rules.md) also has the rules that all checks share: `state` and `word` (does the file hold state), `package` (whom does the package serve), " +
						"`severity` (error or warning) and `report`.\n",
				)
				begun = true
			}
			b.WriteString(head)
			head = ""
			fmt.Fprintf(b, "| `%s` | %s |\n", r.ID, r.Why)
		}
	}
}

// fixture is a link to the archive whose findings change where the rule is left out; empty where it has none.
func fixture(r *verdict.Rule) string {
	if r.Fixture == "" {
		return ""
	}
	return fmt.Sprintf("[%s](../testdata/%[1]s.txtar)", r.Fixture)
}

// rules documents all rules, those of one group in a table.
func rules() []byte {
	var b bytes.Buffer
	b.WriteString("<!-- Made by go run ./tools/docgen from the rules in the source. -->\n\n# Rules\n\n" +
		"Every reason to report and every reason to be silent is a rule. `lockvet why FILE:LINE` names the rules that matched at a place, the deciding one first; " +
		"`lockvet explain ID` explains one; `-without ID` turns one off.\n\n" +
		"A rule *for* is a reason to report, a rule *against* a reason to be silent, unless what the program itself " +
		"proves outweighs it. Nothing outweighs a rule that *forbids* a report. " +
		"A rule that *lowers* speaks for a lower [score](learned.md). *Principle* means that the rule was not learned from a bug or a place.\n")
	group := ""
	for _, r := range verdict.Rules() {
		if g, _, _ := strings.Cut(r.ID, "/"); g != group {
			group = g
			fmt.Fprintf(
				&b,
				"\n## %s\n\n| rule | effect | what it sees, and why that is a reason | learned from | fixture |\n|---|---|---|---|---|\n",
				group,
			)
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", r.ID, r.Effect, r.Why, r.Source, fixture(r))
	}
	return b.Bytes()
}
