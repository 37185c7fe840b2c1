package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lockvet/lockvet/internal/state"
)

// A Row is a labelled place of a public program.
type Row = state.Row

// readRows are the rows of a file, one in a line.
func readRows(name string) ([]Row, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return decodeLines[Row](name, text)
}

func decodeLines[T any](name string, text []byte) (list []T, err error) {
	scanner := bufio.NewScanner(bytes.NewReader(text))
	scanner.Buffer(nil, len(text)+1)
	for n := 1; scanner.Scan(); n++ {
		var row T
		if err := json.Unmarshal(scanner.Bytes(), &row); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		list = append(list, row)
	}
	return list, scanner.Err()
}

// sortRows puts rows in the order of repositories and places.
func sortRows(rows []Row) {
	slices.SortStableFunc(rows, func(a, b Row) int {
		return cmp.Or(strings.Compare(a.Repository, b.Repository), strings.Compare(a.File, b.File),
			cmp.Compare(a.Line, b.Line), strings.Compare(a.Commit, b.Commit),
			strings.Compare(a.Category, b.Category), strings.Compare(a.Reader, b.Reader),
			strings.Compare(a.From, b.From), strings.Compare(a.Func, b.Func), strings.Compare(a.Reason, b.Reason))
	})
}

// writeRows writes the rows.
func writeRows(name string, rows []Row) error {
	sortRows(rows)
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	for _, r := range rows {
		if err := enc.Encode(r); err != nil {
			return err
		}
	}
	return os.WriteFile(name, out.Bytes(), 0o644)
}

// A place is a row of the corpus, of which each file has its own names for what it says.
type place struct {
	Repo, Commit, Parent, File, Func, Label, Class, Category, Reader, Reason string
	Line                                                                     int
}

// checks are those that find the bugs of a class.
var checks = map[rune]string{
	'A': "tornwrite", 'E': "tornwrite", 'B': "trunclock", 'C': "unflushed", 'D': "lostupdate", 'F': "earlyrelease",
	'G': "latelock", 'H': "racycreate", 'I': "tornappend", 'K': "clobber", 'S': "stalesnapshot", 'X': "droppedlock",
}

// labels are the labels of the corpus in terms of rows. What could be either says nothing.
var labels = map[string]state.Label{
	"wanted": state.Wanted, "flag": state.Wanted, "true, not worth it": state.NotWorthIt, "not-worth-it": state.NotWorthIt,
	"false": state.False, "ok": state.Right,
}

// corpus reads the labelled places of a folder.
func corpus(dir string) (rows []Row, asked [][]string, err error) {
	for _, file := range []struct {
		name, from string
		label      state.Label
	}{
		{"bugs.jsonl", "bug", state.Wanted}, {"clean.jsonl", "clean", state.Right},
		{"reports.jsonl", "report", ""}, {"read.jsonl", "report", ""}, {"field.jsonl", "field", ""},
		{"sample_writes.jsonl", "sample", ""}, {"sample_locks.jsonl", "lock", ""},
	} {
		name := filepath.Join(dir, file.name)
		text, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		places, err := decodeLines[place](name, text)
		if err != nil {
			return nil, nil, err
		}
		for _, p := range places {
			label := cmp.Or(file.label, labels[p.Label])
			if label == "" {
				continue
			}
			rows = append(rows, Row{
				Repository: p.Repo, Commit: cmp.Or(p.Parent, p.Commit), File: p.File, Line: p.Line, Func: p.Func,
				From: file.from, Label: label, Reader: p.Reader, Reason: p.Reason,
			})
			asked = append(asked, p.checks(file.from))
		}
	}
	return rows, asked, nil
}

// checks are the checks that may report a place; nil for all.
func (p place) checks(from string) (list []string) {
	switch from {
	case "bug":
		for _, class := range p.Class {
			list = append(list, checks[class])
		}
	case "report", "field":
		check, _, _ := strings.Cut(p.Category, "/")
		list = []string{check}
	case "sample":
		list = []string{"tornwrite"}
	case "lock":
		list = []string{"latelock"}
	}
	return list
}

// A candidate is what lockvet's JSON says of a finding, or of what it looked at and did not report.
type candidate struct {
	Check, Category, Severity, Func string
	Pos                             struct {
		File string
		Line int
	}
	Rules []struct{ ID, Effect string }
}

// A report is lockvet's JSON for a module.
type reportOf struct {
	Findings, Candidates []candidate
}

// near is how many lines a candidate may be away from a labelled one.
const near = 3

// match gives a row what lockvet says of its place in the report of a module that stands in dir.
func match(r *Row, doc reportOf, dir string, asked []string) {
	at := func(list []candidate, is func(candidate) bool) *candidate {
		i := slices.IndexFunc(list, func(c candidate) bool {
			return path.Join(dir, c.Pos.File) == path.Clean(r.File) && (asked == nil || slices.Contains(asked, c.Check)) && is(c)
		})
		if i < 0 {
			return nil
		}
		return &list[i]
	}
	onLine := func(c candidate) bool { return c.Pos.Line-near <= r.Line && r.Line <= c.Pos.Line+near }
	inFunc := func(c candidate) bool { return r.Func != "" && base(c.Func) == base(r.Func) }
	here := func(c candidate) bool { return c.Pos.Line == r.Line }
	c := cmp.Or(at(doc.Findings, here), at(doc.Findings, onLine), at(doc.Findings, inFunc))
	if c != nil && (r.From == "clean" || r.From == "sample") && !onLine(*c) {
		c = nil // another place of the same function
	}
	if c == nil {
		c = cmp.Or(at(doc.Candidates, onLine), at(doc.Candidates, inFunc))
	}
	if c == nil {
		return
	}
	r.Category, r.Reported, r.Before, r.Features = c.Category, c.Severity != "", c.Severity, nil
	for _, rule := range c.Rules {
		r.Features = append(r.Features, rule.ID)
	}
	slices.Sort(r.Features)
	r.Features = slices.Compact(r.Features)
}

// base is the name of a function without its type.
func base(name string) string {
	name = strings.NewReplacer("(", "", ")", "", "*", "", " ", "").Replace(name)
	name, _, _ = strings.Cut(name, "[")
	name = name[strings.LastIndexByte(name, '.')+1:]
	name, _, _ = strings.Cut(name, "$")
	return name
}
