package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockvet/lockvet/analyzer"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/analyse"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/git"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/repair"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/report"
)

// commitEach fixes one check after the other and commits each, so that a
// reviewer meets one thought at a time. Each commit compiles. What becomes
// fixable only after that has a commit of its own at the end.
func (s *session) commitEach() (int, error) {
	if err := s.mustBeClean(); err != nil {
		return 0, err
	}
	t, err := s.analyse()
	if err != nil {
		return 0, err
	}
	whole, files := &repair.Outcome{}, make(map[string]bool)
	s.gate.Withhold(t.found)
	for _, check := range append(fixable(t.found), "") {
		one := s.withCheck(check)
		out, written, err := one.fixAndCommit(check)
		if err != nil {
			return 0, err
		}
		for _, name := range written {
			files[name] = true
		}
		// The last round tries again whatever could not be fixed.
		whole.Then(out)
		s.gate = one.gate
	}
	return s.conclude(t, whole, len(files))
}

// fixable are the checks of the findings that have a fix, in the order in which
// they run.
func fixable(found []*analyse.Found) []string {
	return slices.DeleteFunc(slices.Clone(analyzer.Checks()), func(check string) bool {
		return !slices.ContainsFunc(found, func(f *analyse.Found) bool { return f.Fix != nil && f.Check == check })
	})
}

// withCheck is a session that fixes one check in the files as they are by now; all
// that are left where it is empty.
func (s *session) withCheck(check string) *session {
	o := *s.options
	if check != "" {
		o.baseline = "" // what it leaves out of the report is fixed all the same
		o.settings = append(slices.Clone(o.settings), analyse.Setting{Name: "fix-only", Value: check})
	}
	one := s.command.newSession(&o)
	one.alone, one.progress = s.alone, s.progress
	return one
}

func (s *session) fixAndCommit(check string) (*repair.Outcome, []string, error) {
	t, err := s.analyse()
	if err != nil {
		return nil, nil, err
	}
	out, err := s.endState(t)
	if err != nil {
		return nil, nil, err
	}
	written, err := s.writeChanges(out)
	if err == nil && len(written) > 0 {
		err = s.commitFiles(check, out, written)
	}
	return out, written, err
}

// mustBeClean refuses a work tree with changes of others, which would end up in
// the commits or be mistaken for part of them.
func (s *session) mustBeClean() error {
	status, err := git.Run(s.dir, nil, "status", "--porcelain")
	if err != nil {
		return fmt.Errorf("-commit: %w", err)
	}
	if first, _, _ := strings.Cut(string(status), "\n"); first != "" {
		return fmt.Errorf("-commit: the work tree is not clean (%s): commit or stash first; nothing was changed", strings.TrimSpace(first))
	}
	return nil
}

// commitFiles commits the files that were written for a check.
func (s *session) commitFiles(check string, out *repair.Outcome, written []string) error {
	add := append([]string{"add", "--"}, written...)
	if _, err := git.Run(s.dir, nil, add...); err != nil {
		return fmt.Errorf("-commit: %w", err)
	}
	if _, err := git.Run(s.dir, strings.NewReader(s.commitMessage(check, out)), "commit", "-q", "-F", "-"); err != nil {
		return fmt.Errorf("-commit: the files of %s are written and added, and not committed: %w", check, err)
	}
	return nil
}

// messageWidth is the width of the lines of a commit message.
const messageWidth = 72

// commitMessage says what was fixed where, and what stays.
func (s *session) commitMessage(check string, out *repair.Outcome) string {
	subject := "Fix what became fixable"
	var body []string
	if len(out.Fixed) == 0 {
		subject = "Bring the copy of safeio up to date"
	}
	for _, c := range analyzer.Catalogue() {
		if c.Name == check {
			subject = fmt.Sprintf("Fix %s where data can be lost: %s", report.Plural(len(out.Fixed), "place"), check)
			body = append(body, "lockvet reported "+c.Title, "What stays: "+c.Stays, "To review: "+c.Review)
		}
	}
	var b strings.Builder
	b.WriteString(subject + "\n")
	for _, paragraph := range body {
		b.WriteString("\n" + strings.Join(report.Wrap(paragraph, messageWidth), "\n") + "\n")
	}
	for i, f := range out.Fixed {
		if i == 0 {
			b.WriteByte('\n')
		}
		place := fmt.Sprintf("%s: %s: %s", s.printer.Path(f.Position().Filename), f.Func, f.Fix.Message)
		b.WriteString("- " + strings.Join(report.Wrap(place, messageWidth-2), "\n  ") + "\n")
	}
	return b.String()
}
