package report

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

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

// Summary writes a migration as Markdown that can be the description of a pull
// request.
func Summary(w io.Writer, m *Migration) error {
	var out bytes.Buffer
	if len(m.Fixed) == 0 {
		out.WriteString("Nothing was fixed.\n")
	} else {
		fmt.Fprintf(&out, "[lockvet](%s) fixed %s in %s where the program could lose data. The changed packages compile, and so do their importers and their tests.\n",
			home, Plural(len(m.Fixed), "place"), Plural(filesOf(m.Fixed), "file"))
		writeFixed(&out, m)
		writeReview(&out, m)
	}
	writeIgnored(&out, m.Ignored)
	writeLeft(&out, m)
	_, err := w.Write(out.Bytes())
	return err
}

func place(f Finding) string { return fmt.Sprintf("%s:%d", f.Pos.File, f.Pos.Line) }

func filesOf(all []Finding) int {
	files := make(map[string]bool)
	for i := range all {
		files[all[i].Pos.File] = true
	}
	return len(files)
}

func writeFixed(out *bytes.Buffer, m *Migration) {
	out.WriteString("\n## What was fixed\n")
	for category, group := range byCategory(m.Fixed) {
		fmt.Fprintf(out, "\n**%s** (%d): %s\n\n", documented(category), len(group), escape(category.Title))
		for _, f := range group {
			fmt.Fprintf(out, "- %s %s. %s.\n", code(place(f)), escape(f.Message), escape(f.Fix.Message))
			writeProofs(out, f)
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(m.Added)) {
		fmt.Fprintf(out, "\n%s is new: a copy of package [safeio](%s/tree/main/safeio) of what the fixed code needs (%s). It imports the standard library only, that of Go %s or later.\n",
			code(dir), home, m.Added[dir], m.Library)
	}
	for _, module := range m.Required {
		fmt.Fprintf(out, "\nModule %s requires package [safeio](%s/tree/main/safeio), which depends on the standard library only.\n", code(module), home)
	}
}

// writeProofs says what the schedule of a finding has lost before the fix, and what it loses after it.
func writeProofs(out *bytes.Buffer, f Finding) {
	if f.Proof != nil {
		fmt.Fprintf(out, "  - before: %s: %s.\n", f.Proof.Verdict, escape(f.Proof.Headline()))
	}
	if f.ProofAfter != nil {
		fmt.Fprintf(out, "  - after: %s: %s.\n", f.ProofAfter.Verdict, escape(f.ProofAfter.Headline()))
	}
}

func writeReview(out *bytes.Buffer, m *Migration) {
	out.WriteString("\n## What stays, and what to look at\n\n")
	for _, c := range analyzer.Catalogue() {
		if slices.ContainsFunc(m.Fixed, func(f Finding) bool { return f.Check == c.Name }) {
			fmt.Fprintf(out, "- **%s**. What stays: %s To review: %s\n", c.Name, c.Stays, c.Review)
		}
	}
}

func writeIgnored(out *bytes.Buffer, ignored []Finding) {
	if len(ignored) > 0 {
		out.WriteString("\n## What a comment answers for\n\n")
	}
	for _, f := range ignored {
		fmt.Fprintf(out, "- %s %s: %s\n", code(place(f)), escape(f.Message), code(f.Fix.Message))
	}
}

func writeLeft(out *bytes.Buffer, m *Migration) {
	if len(m.Findings)+len(m.PutBack) == 0 {
		return
	}
	out.WriteString("\n## What is left\n")
	for category, group := range byCategory(m.Findings) {
		fmt.Fprintf(out, "\n**%s** (%d): %s\n\n", documented(category), len(group), escape(category.Title))
		for _, f := range group {
			fmt.Fprintf(out, "- %s %s.", code(place(f)), escape(f.Message))
			if f.NoFix != "" {
				fmt.Fprintf(out, " Not fixed: %s.", escape(f.NoFix))
			}
			out.WriteByte('\n')
		}
	}
	if len(m.PutBack) > 0 {
		out.WriteString("\nTaken back, because what was edited did not hold:\n\n")
	}
	for _, p := range m.PutBack {
		fmt.Fprintf(out, "- %s\n", escape(p))
	}
}

// byCategory yields the findings of each category, in the order of the catalogue.
func byCategory(all []Finding) func(yield func(analyzer.Variant, []Finding) bool) {
	groups := make(map[string][]Finding)
	for _, f := range all {
		groups[f.Category] = append(groups[f.Category], f)
	}
	return func(yield func(analyzer.Variant, []Finding) bool) {
		for _, c := range analyzer.Catalogue() {
			for _, v := range c.Variants {
				if group := groups[v.Category]; len(group) > 0 && !yield(v, group) {
					return
				}
			}
		}
	}
}

// documented is a category with a link to what is documented of its check, for
// reviewers who have never heard of it.
func documented(v analyzer.Variant) string {
	check, _, _ := strings.Cut(v.Category, "/")
	return fmt.Sprintf("[%s](%s)", v.Category, PageOf(check))
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
