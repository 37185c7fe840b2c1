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
	p := patch{dir: dir, rows: make(map[string]*row)}
	ordered := slices.Clone(changes)
	slices.SortStableFunc(ordered, func(c, d Change) int { return rank(c) - rank(d) })
	for _, c := range ordered {
		p.add(c, all)
	}
	p.stat(all)
	return p.text.Bytes()
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

type patch struct {
	dir   string
	text  bytes.Buffer
	rows  map[string]*row // by name
	order []*row
}

// A row says what changes in one file, or in one copy of safeio.
type row struct {
	name           string
	copied         bool
	files          int
	added, removed int
}

func (p *patch) name(of string) string {
	if rel, err := filepath.Rel(p.dir, of); err == nil {
		of = rel
	}
	return filepath.ToSlash(of)
}

func (p *patch) add(c Change, all bool) {
	name := p.name(c.Name)
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
	if c.Copy == "" || all {
		p.text.WriteString(text)
	}
	r := p.row(cmp.Or(c.Copy, c.Name))
	r.copied = c.Copy != ""
	r.files++
	for i, line := range strings.Split(text, "\n") {
		switch {
		case i < 3 || len(line) == 0: // "diff", "---", "+++"
		case line[0] == '+':
			r.added++
		case line[0] == '-':
			r.removed++
		}
	}
}

func (p *patch) row(of string) *row {
	r := p.rows[of]
	if r == nil {
		r = &row{name: p.name(of)}
		p.rows[of], p.order = r, append(p.order, r)
	}
	return r
}

// stat ends the patch. No line of it could be taken for one of a patch.
func (p *patch) stat(all bool) {
	total := row{}
	width := 0
	for _, r := range p.order {
		total.files += r.files
		total.added += r.added
		total.removed += r.removed
		width = max(width, len(r.name))
	}
	p.text.WriteString("\n")
	for _, r := range p.order {
		fmt.Fprintf(&p.text, " %-*s | +%d -%d", width, r.name, r.added, r.removed)
		if r.copied {
			fmt.Fprintf(&p.text, " in %s: a copy of what is called of safeio", report.Plural(r.files, "file"))
		}
		if r.copied && !all {
			p.text.WriteString(" (-diff=all shows it)")
		}
		p.text.WriteString("\n")
	}
	fmt.Fprintf(&p.text, " %s changed, +%d -%d\n", report.Plural(total.files, "file"), total.added, total.removed)
}
