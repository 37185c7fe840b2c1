package repair

import (
	"bytes"
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/report"
	"github.com/lockvet/lockvet/internal/linediff"
)

// Patch is the changes as a unified diff with names relative to dir: what is edited
// first, since that is what a reviewer reads, then what is new, then how many lines each
// file has gained and lost. Of a copy of safeio one line says that it is there, unless
// all is asked for.
func Patch(dir string, changes []Change, all bool) []byte {
	if len(changes) == 0 {
		return nil
	}
	ordered, rows := slices.Clone(changes), []row(nil)
	slices.SortStableFunc(ordered, func(c, d Change) int { return rank(c) - rank(d) })
	var patch bytes.Buffer
	for _, c := range ordered {
		text := unified(dir, c)
		if c.Copy == "" || all {
			patch.WriteString(text)
		}
		name := relative(dir, cmp.Or(c.Copy, c.Name))
		i := slices.IndexFunc(rows, func(r row) bool { return r.name == name })
		if i < 0 {
			i, rows = len(rows), append(rows, row{name: name, copied: c.Copy != ""})
		}
		rows[i].files++
		rows[i].added += max(strings.Count(text, "\n+")-1, 0) // without the name of the file
		rows[i].removed += max(strings.Count(text, "\n-")-1, 0)
	}
	stat(&patch, rows, all)
	return patch.Bytes()
}

// rank is the place of a change among others.
func rank(c Change) int {
	switch {
	case c.Copy != "":
		return 2
	case c.Old == nil:
		return 1
	}
	return 0
}

// relative is the name of a file or a folder in a patch.
func relative(dir, name string) string {
	if rel, err := filepath.Rel(dir, name); err == nil {
		name = rel
	}
	return filepath.ToSlash(name)
}

// unified is the change of one file.
func unified(dir string, c Change) string {
	name := relative(dir, c.Name)
	before, after := "a/"+name, "b/"+name
	if c.Old == nil {
		before = "/dev/null"
	}
	if c.New == nil {
		after = "/dev/null"
	}
	text := linediff.Unified(before, after, string(c.Old), string(c.New), 3)
	if text != "" {
		text = fmt.Sprintf("diff %s %s\n%s", before, after, text)
	}
	return text
}

// A row says what changes in one file, or in one copy of safeio.
type row struct {
	name           string
	copied         bool
	files          int
	added, removed int
}

// stat ends the patch. No line of it could be taken for one of a patch.
func stat(patch *bytes.Buffer, rows []row, all bool) {
	total, width := row{}, 0
	for _, r := range rows {
		total.files += r.files
		total.added += r.added
		total.removed += r.removed
		width = max(width, len(r.name))
	}
	patch.WriteString("\n")
	for _, r := range rows {
		fmt.Fprintf(patch, " %-*s | +%d -%d", width, r.name, r.added, r.removed)
		if r.copied {
			fmt.Fprintf(patch, " in %s: a copy of what is called of safeio", report.Plural(r.files, "file"))
		}
		if r.copied && !all {
			patch.WriteString(" (-diff=all shows it)")
		}
		patch.WriteString("\n")
	}
	fmt.Fprintf(patch, " %s changed, +%d -%d\n", report.Plural(total.files, "file"), total.added, total.removed)
}
