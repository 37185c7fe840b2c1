package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/analyse"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/edit"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/repair"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/report"
)

// errQuit says that whoever was asked wants nothing to be changed.
var errQuit = errors.New("nothing was changed")

const answers = "y: make this fix; n: leave it; a: make all fixes of this check; d: done, make those chosen so far; q: quit, change nothing"

// choose shows each finding that can be fixed with its patch, asks for each whether to make
// it, and keeps of the tree those that are to be fixed. It returns the others. Fixes that
// are made together only are asked for once.
func (s *session) choose(t *tree) (left []*analyse.Found, err error) {
	s.progress.clear()
	s.gate.Chosen = true
	s.gate.Withhold(t.found)
	var chosen []*analyse.Found
	in := bufio.NewReader(os.Stdin)
	decided, all := map[string]bool{}, map[string]bool{} // by edits; by check
	done := false
	for _, f := range t.found {
		if f.Fix == nil {
			left = append(left, f)
			continue
		}
		doc := s.printer.Document([]*analyse.Found{f}, nil, nil)
		same := fmt.Sprint(doc.Findings[0].Fix.Edits)
		yes, known := decided[same]
		switch {
		case known:
		case all[f.Check]:
			yes = true
		case done:
		default:
			if err := s.show(doc); err != nil {
				return nil, err
			}
			answer, err := s.ask(in, f.Check)
			if err != nil {
				return nil, err
			}
			switch answer {
			case "y":
				yes = true
			case "a":
				yes, all[f.Check] = true, true
			case "d":
				done = true
			case "q":
				return nil, errQuit
			}
		}
		decided[same] = yes
		if yes {
			chosen = append(chosen, f)
		} else {
			left = append(left, f)
		}
	}
	t.found = chosen
	t.out = func(*analyse.Found) bool { return true } // what comes up later was not asked for
	return left, nil
}

// show prints a finding and its patch.
func (s *session) show(doc *report.Document) error {
	if err := s.printer.Text(s.stdout, doc, s.style()); err != nil {
		return err
	}
	names, edits := doc.Findings[0].Fix.Files()
	var changes []repair.Change
	for _, file := range names {
		name := s.printer.Abs(file)
		old, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		changes = append(changes, repair.Change{Name: name, Old: old, New: edit.Made(old, edits[file])})
	}
	slices.SortFunc(changes, func(a, b repair.Change) int { return strings.Compare(a.Name, b.Name) })
	_, err := fmt.Fprintf(s.stdout, "\n%s\n", patchOn(s.onTerminal(), repair.Patch(s.dir, changes, false)))
	return err
}

// ask asks until it gets an answer. The end of the input is q.
func (s *session) ask(in *bufio.Reader, check string) (string, error) {
	for {
		fmt.Fprintf(s.stdout, "Make this fix? [y,n,a (all of %s),d,q,?] ", check)
		line, err := in.ReadString('\n')
		if err != nil && (!errors.Is(err, io.EOF) || strings.TrimSpace(line) == "") {
			fmt.Fprintln(s.stdout)
			return "q", nil
		}
		answer := strings.ToLower(strings.TrimSpace(line))
		switch answer {
		case "y", "n", "a", "d", "q":
			fmt.Fprintln(s.stdout)
			return answer, nil
		case "yes", "no", "all", "done", "quit":
			fmt.Fprintln(s.stdout)
			return answer[:1], nil
		}
		fmt.Fprintln(s.stdout, answers)
	}
}
