package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/git"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/load"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/report"
	"github.com/lockvet/lockvet/internal/nearest"
	"github.com/lockvet/lockvet/internal/state"
)

// labelsFile is the file to which labels are added, in the directory of the run.
const labelsFile = "lockvet-labels.jsonl"

// labelNames are the labels that a user can give.
var labelNames = []string{string(state.Wanted), string(state.NotWorthIt), string(state.False)}

// label adds a row to the user's file of labels: what is reported at a line, with its features, and what the user
// thinks of it. Nothing of the source is in it.
func (c command) label(args []string) (int, error) {
	o, err := c.parse(args)
	switch {
	case err != nil:
		return 0, err
	case len(o.patterns) < 2:
		return 0, errors.New("usage: lockvet label [flags] FILE:LINE LABEL [REASON], where LABEL is " +
			strings.Join(labelNames, ", "))
	}
	label, reason := o.patterns[1], strings.Join(o.patterns[2:], " ")
	if _, err := nearest.Of("label", label, labelNames); err != nil {
		return 0, err
	}
	o.patterns = o.patterns[:1]
	s, answer, err := c.ask(o)
	if err != nil {
		return 0, err
	}
	row, err := s.row(answer)
	if err != nil {
		return 0, err
	}
	row.Label, row.Reason = state.Label(label), reason
	name := filepath.Join(s.dir, labelsFile)
	if err := appendRow(name, row); err != nil {
		return 0, err
	}
	fmt.Fprintf(s.stdout, "%s: %s is %s; added to %s\n",
		answer.Pos.File, row.Category, row.Label, s.printer.Path(name))
	return exitClean, nil
}

// appendRow adds a row to a file, by one write, so that no two that are added at a time mix.
func appendRow(name string, row state.Row) error {
	text, err := json.Marshal(row)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(append(text, '\n'))
	return errors.Join(err, f.Close())
}

// row is what is known of the candidate of a line: of that which is reported, if one is.
func (s *session) row(a *Answer) (state.Row, error) {
	here := slices.DeleteFunc(slices.Clone(a.Candidates), func(c report.Candidate) bool { return c.Pos.Line != a.Pos.Line })
	if len(here) == 0 {
		return state.Row{}, fmt.Errorf("%s:%d: no check looks at this line: lockvet why names those of its function",
			a.Pos.File, a.Pos.Line)
	}
	c := here[0]
	if i := slices.IndexFunc(here, func(c report.Candidate) bool { return c.Verdict == report.Reported }); i >= 0 {
		c = here[i]
	}
	row := state.Row{
		File: filepath.ToSlash(a.Pos.File), Line: a.Pos.Line, Func: c.Func,
		From: "user", Category: c.Category, Reported: c.Verdict == report.Reported,
	}
	for _, r := range c.Rules {
		row.Features = append(row.Features, r.ID)
	}
	slices.Sort(row.Features)
	row.Features = slices.Compact(row.Features)
	modules, err := s.load.MainModules()
	if err != nil {
		return row, err
	}
	file := a.Pos.File
	if !filepath.IsAbs(file) {
		file = filepath.Join(s.dir, file)
	}
	if m := innermost(modules, file); m != nil {
		row.Repository, row.File = m.Path, filepath.ToSlash(strings.TrimPrefix(file, m.Dir+string(filepath.Separator)))
	}
	// Without a repository of git, or without git, the commit stays unknown.
	if out, err := git.Run(s.dir, nil, "rev-parse", "HEAD"); err == nil {
		row.Commit = strings.TrimSpace(string(out))
	}
	return row, nil
}

// innermost is the module of several whose directory a file stands in, nil for none.
func innermost(modules []load.Module, file string) (in *load.Module) {
	for i, m := range modules {
		if strings.HasPrefix(file, m.Dir+string(filepath.Separator)) && (in == nil || len(m.Dir) > len(in.Dir)) {
			in = &modules[i]
		}
	}
	return in
}
