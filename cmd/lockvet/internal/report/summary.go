package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/template"

	"github.com/lockvet/lockvet/analyzer"
	"github.com/lockvet/lockvet/internal/printable"
)

// A Migration is what a run that fixes has done, for those who review it.
type Migration struct {
	*Document
	// Ignored are the findings for which a comment answers from now on, the message of whose fix it is.
	Ignored []Finding
	// Added are the directories that are new.
	Added map[string]Size
	// Required are the modules that require safeio from now on.
	Required []string
	// Library is the oldest Go whose standard library is enough for these.
	Library string
	// PutBack says which packages and fixes were taken back, and why.
	PutBack []string
}

// A Size is that of a directory.
type Size struct{ Files, Lines int }

func (s Size) String() string { return Plural(s.Files, "file") + ", " + Plural(s.Lines, "line") }

//go:embed summary.md
var summary string

// Summary writes a migration as Markdown that can be the description of a pull
// request.
func Summary(w io.Writer, m *Migration) error {
	t, err := template.New("summary").Funcs(template.FuncMap{
		"home": func() string { return home }, "page": PageOf, "plural": Plural, "code": code, "escape": escape,
		"groups": byCategory, "checks": checksOf,
	}).Parse(summary)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := t.Execute(&out, m); err != nil {
		return err
	}
	_, err = w.Write(out.Bytes())
	return err
}

// Place is the line at which a finding stands.
func (f Finding) Place() string { return fmt.Sprintf("%s:%d", f.Pos.File, f.Pos.Line) }

// Files is how many files the fixed findings stand in.
func (m *Migration) Files() int {
	files := make(map[string]bool)
	for _, f := range m.Fixed {
		files[f.Pos.File] = true
	}
	return len(files)
}

// A categoryGroup is the findings of one category.
type categoryGroup struct {
	Check, Category, Title string
	Findings               []Finding
}

// byCategory are the findings of each category, in the order of the catalogue.
func byCategory(all []Finding) (groups []categoryGroup) {
	for _, c := range analyzer.Catalogue() {
		for _, v := range c.Variants {
			of := slices.DeleteFunc(slices.Clone(all), func(f Finding) bool { return f.Category != v.Category })
			if len(of) > 0 {
				groups = append(groups, categoryGroup{c.Name, v.Category, v.Title, of})
			}
		}
	}
	return groups
}

// checksOf are the checks that found something, as they are documented.
func checksOf(all []Finding) []analyzer.Check {
	return slices.DeleteFunc(slices.Clone(analyzer.Catalogue()), func(c analyzer.Check) bool {
		return !slices.ContainsFunc(all, func(f Finding) bool { return f.Check == c.Name })
	})
}

// code is a name as Markdown shows it letter by letter.
func code(name string) string {
	name = printable.Text(name)
	if strings.Contains(name, "`") {
		return "`` " + name + " ``"
	}
	return "`" + name + "`"
}

// escape keeps a text from being read as Markdown, so that pointers and paths
// with stars, brackets and underscores look as they are.
func escape(s string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", "&lt;", "`", "\\`", "\n", " ").Replace(printable.Lines(s))
}
