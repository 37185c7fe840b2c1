package main

import (
	"bufio"
	"errors"
	"fmt"
	"go/token"
	"io"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/analyse"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/edit"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/repair"
	"github.com/lockvet/lockvet/internal/directive"
)

// errQuit says that whoever was asked wants nothing to be changed.
var errQuit = errors.New("nothing was changed")

const answers = "y: make this fix; n: leave it; " +
	"s: leave it, and write a comment with your reason above it, so that it is not reported any more; " +
	"a: make all fixes of this check; d: done, make those chosen so far; q: quit, change nothing"

// A choice is what was decided upon a finding; its zero value leaves it alone.
type choice struct {
	fix    bool
	reason string // why it is to be ignored, empty where it is not
}

// choices are those made, by what findings have in common that are alike, in source order.
type choices map[string][]choice

// alike is the fingerprint of a finding without the number among those that are alike.
func alike(f *analyse.Found) string {
	print, _, _ := strings.Cut(f.Fingerprint, ":")
	return print
}

// of is the choice for one of so many findings that are alike. Where some of those that there were are gone, nobody
// knows which, and none is touched unless all were decided upon alike.
func (c choices) of(f *analyse.Found, number, many int) choice {
	made := c[alike(f)]
	switch {
	case len(made) == many:
		return made[number]
	case len(made) > 0 && len(slices.Compact(slices.Clone(made))) == 1:
		return made[0]
	}
	return choice{}
}

// made reports whether a choice was made upon a finding, or upon one like it.
func (c choices) made(f *analyse.Found) bool { return len(c[alike(f)]) > 0 }

// leave reports whether a finding, and all that are like it, are left alone.
func (c choices) leave(f *analyse.Found) bool {
	return c.made(f) && !slices.ContainsFunc(c[alike(f)], func(made choice) bool { return made != choice{} })
}

// isIgnored reports whether what was made of a finding is a comment that answers for it.
func isIgnored(f *analyse.Found) bool {
	return strings.HasPrefix(f.Fix.Message, directive.Comment(f.Check, ""))
}

// choose gives the findings the fixes that were chosen, and those that are to be ignored a comment for a fix.
func (s *session) choose(made choices) func(found []*analyse.Found, content func(string) []byte) {
	return func(found []*analyse.Found, content func(string) []byte) {
		many, number := map[string]int{}, map[string]int{}
		for _, f := range found {
			many[alike(f)]++
		}
		for _, f := range found {
			chosen := made.of(f, number[alike(f)], many[alike(f)])
			number[alike(f)]++
			decided := *f.Finding
			switch {
			case chosen.reason != "":
				decided.Fix, decided.NoFix, decided.Locks = ignoring(f, chosen.reason, content), "", false
				f.FixedIn = f.Pkg
				if decided.Fix == nil {
					decided.NoFix = "no comment fits there"
				}
			case !chosen.fix && f.Fix != nil:
				decided.Fix, decided.NoFix = nil, "it was left alone"
			}
			f.Finding = &decided
		}
	}
}

// ignoring is the comment that answers for a finding, as a fix; nil where it has no place.
func ignoring(f *analyse.Found, reason string, content func(name string) []byte) *analysis.SuggestedFix {
	at, comment := f.Position(), directive.Comment(f.Check, reason)
	var source *token.File
	for file := range f.Pkg.Fset.Iterate {
		if file.Name() == at.Filename {
			source = file
		}
	}
	src := content(at.Filename)
	e, ok := edit.Remark(src, at.Line-1, comment)
	if !ok || source == nil || source.Size() != len(src) { // as where cgo made a file of the source
		return nil
	}
	pos := source.Pos(e.Start)
	insertion := analysis.TextEdit{Pos: pos, End: pos, NewText: []byte(e.New)}
	return &analysis.SuggestedFix{Message: comment, TextEdits: []analysis.TextEdit{insertion}}
}

// questions are those that are asked of somebody.
type questions struct {
	*session
	in         *bufio.Reader
	number, of int
	all        map[string]bool // the checks of which all fixes are made
	done       bool
}

// decide asks for each fix whether to make it: once for fixes that are made together only.
func (s *session) decide(t *tree) error {
	s.progress.clear()
	s.gate.Withhold(t.found)
	t.found = slices.DeleteFunc(t.found, func(f *analyse.Found) bool { return f.Fix == nil && s.quiet(f) })
	q := questions{session: s, in: bufio.NewReader(os.Stdin), all: map[string]bool{}}
	fixes := map[string]bool{}
	for _, f := range t.found {
		if f.Fix != nil {
			fixes[repair.EditsOf(f)] = true
		}
	}
	q.of, t.choices = len(fixes), choices{}
	decided := map[string]choice{}
	for _, f := range t.found {
		chosen := choice{}
		if f.Fix != nil {
			made, asked := decided[repair.EditsOf(f)]
			if !asked {
				var err error
				if made, err = q.put(f); err != nil {
					return err
				}
				decided[repair.EditsOf(f)] = made
			}
			chosen = made
		}
		t.choices[alike(f)] = append(t.choices[alike(f)], chosen)
	}
	return nil
}

// put asks for one fix.
func (q *questions) put(f *analyse.Found) (choice, error) {
	q.number++
	switch {
	case q.done:
		return choice{}, nil
	case q.all[f.Check]:
		return choice{fix: true}, nil
	}
	if err := q.show(f); err != nil {
		return choice{}, err
	}
	for {
		switch answer := q.answer(f.Check); answer {
		case "y", "a":
			q.all[f.Check] = answer == "a"
			return choice{fix: true}, nil
		case "s":
			if reason := q.reason(f); reason != "" {
				return choice{reason: reason}, nil
			}
		case "q":
			return choice{}, errQuit
		default:
			q.done = answer == "d"
			return choice{}, nil
		}
	}
}

// show prints a finding and its patch, with what that needs of a copy of safeio.
func (q *questions) show(f *analyse.Found) error {
	changes, err := repair.Alone(f, q.supply(f.FixedIn), moduleVersion())
	if err != nil {
		return err
	}
	fmt.Fprintf(q.stdout, "%d/%d\n", q.number, q.of)
	if err := q.printer.Text(q.stdout, q.printer.Document([]*analyse.Found{f}, nil, nil), q.style()); err != nil {
		return err
	}
	_, err = fmt.Fprintf(q.stdout, "\n%s\n", patchOn(q.onTerminal(), repair.Patch(q.dir, changes, false)))
	return err
}

// answer asks until it gets an answer. The end of the input is q.
func (q *questions) answer(check string) string {
	for {
		text, ok := q.line(fmt.Sprintf("Make this fix? [y,n,s,a (all of %s),d,q,?] ", check))
		answer := strings.ToLower(text)
		switch {
		case !ok:
			return "q"
		case slices.Contains([]string{"y", "n", "s", "a", "d", "q", "yes", "no", "silence", "all", "done", "quit"}, answer):
			fmt.Fprintln(q.stdout)
			return answer[:1]
		}
		fmt.Fprintln(q.stdout, answers)
	}
}

// reason asks why a finding is to be ignored; it is empty where it cannot be, or there is no reason.
func (q *questions) reason(f *analyse.Found) string {
	reason, _ := q.line("Why is nothing lost here? ")
	fmt.Fprintln(q.stdout)
	reason = strings.Join(strings.Fields(reason), " ")
	switch {
	case reason == "":
		fmt.Fprintln(q.stdout, "without a reason the comment would have no effect")
	case ignoring(f, reason, repair.ContentOnDisk) == nil:
		fmt.Fprintln(q.stdout, "no comment fits there")
		return ""
	}
	return reason
}

// line asks for a line, and is false at the end of the input.
func (q *questions) line(prompt string) (string, bool) {
	fmt.Fprint(q.stdout, prompt)
	line, err := q.in.ReadString('\n')
	if line = strings.TrimSpace(line); err != nil && (!errors.Is(err, io.EOF) || line == "") {
		fmt.Fprintln(q.stdout)
		return "", false
	}
	return line, true
}
