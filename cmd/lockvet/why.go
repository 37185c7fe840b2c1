package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/lockvet/lockvet/analyzer"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/analyse"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/load"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/report"
	"github.com/lockvet/lockvet/internal/excludes"
	"github.com/lockvet/lockvet/internal/printable"
	"github.com/lockvet/lockvet/internal/verdict"
)

// A line is a line of a source file.
type line struct {
	file string // absolute
	n    int
}

// parseLine understands FILE:LINE and FILE:LINE:COLUMN.
func parseLine(text, dir string) (line, error) {
	wrong := fmt.Errorf("%q is not FILE:LINE, as in main.go:37", text)
	parts := strings.Split(text, ":")
	for len(parts) > 2 && isNumber(parts[len(parts)-1]) && isNumber(parts[len(parts)-2]) {
		parts = parts[:len(parts)-1]
	}
	if len(parts) < 2 {
		return line{}, wrong
	}
	n, err := strconv.Atoi(parts[len(parts)-1])
	if err != nil || n < 1 {
		return line{}, wrong
	}
	file := strings.Join(parts[:len(parts)-1], ":")
	if !filepath.IsAbs(file) {
		file = filepath.Join(dir, file)
	}
	if _, err := os.Stat(file); err != nil {
		return line{}, err
	}
	return line{file, n}, nil
}

func isNumber(s string) bool {
	_, err := strconv.Atoi(s)
	return err == nil
}

// why says what is known of the function at a line: what the checks looked at, what
// came of it, and by which rules.
func (c command) why(args []string) (int, error) {
	o, err := c.parse(args)
	switch {
	case err != nil:
		return 0, err
	case len(o.patterns) != 1 || o.patterns[0] == "." || o.fix || o.diff || o.baselineWrite:
		return 0, errors.New("usage: lockvet why [flags] FILE:LINE, as in lockvet why main.go:37")
	case slices.ContainsFunc(o.outputs, func(out output) bool { return out.format != "json" }):
		return 0, errors.New("why answers as text or, with -json, as JSON")
	}
	s, answer, err := c.ask(o)
	if err != nil {
		return 0, err
	}
	for _, out := range s.outputs {
		if out.file != "" {
			err = errors.Join(err, s.writeOutput(out.file, answer.JSON))
		}
	}
	if len(s.outputs.toStdout()) > 0 {
		return exitClean, errors.Join(err, answer.JSON(s.stdout))
	}
	if len(s.outputs) == 0 {
		err = answer.text(s.stdout, s.columns())
	}
	return exitClean, err
}

// ask answers what is known of the line that the first pattern names.
func (c command) ask(o *options) (*session, *Answer, error) {
	at, err := parseLine(o.patterns[0], o.dir)
	if err != nil {
		return nil, nil, err
	}
	s := c.newSession(o)
	defer s.progress.clear()
	answer, err := s.answer(at)
	return s, answer, err
}

// answer says what is known of a line.
func (s *session) answer(at line) (*Answer, error) {
	t, err := s.analyseFor(at.file)
	if err != nil {
		return nil, err
	}
	return s.explainLine(t, at)
}

// analyseFor analyses the module of a file, since others decide what is reported there: who calls
// a function, and who is told of it.
func (s *session) analyseFor(file string) (*tree, error) {
	if filepath.Ext(file) != ".go" {
		return nil, fmt.Errorf("%s is no Go source", s.printer.Path(file))
	}
	dir, err := filepath.Rel(s.dir, filepath.Dir(file))
	if err != nil {
		return nil, err
	}
	s.tests = s.tests || strings.HasSuffix(file, "_test.go")
	s.load.Tests = s.tests
	if s.tests {
		s.settings = append(s.settings, analyse.Setting{Name: "tests", Value: "true"})
	}
	s.patterns, s.all, s.only = []string{"./" + filepath.ToSlash(dir)}, true, file
	modules, _ := s.load.MainModules() // where that is not known, loading says why
	if m := innermost(modules, file); m != nil {
		s.patterns = append(s.patterns, m.Dir+"/...")
	}
	s.settings = append(s.settings, keepCandidates)
	t, err := s.analyse()
	if err != nil {
		return nil, err
	}
	s.progress.clear()
	if len(t.problems) > 0 && len(t.looks) == 0 {
		return nil, s.tellBroken(t)
	}
	return t, nil
}

// keepCandidates is the setting by which an analysis keeps what was not reported.
var keepCandidates = analyse.Setting{Name: "candidates", Value: "true"}

// A look is what the checks looked at in a package.
type look struct {
	pkg    *packages.Package
	result *analyzer.Result
}

// noteLeftOut notes of the findings at which no program comes, and of those that the
// configuration excludes, that they are not reported.
func (s *session) noteLeftOut(t *tree) {
	for _, f := range t.found {
		if f.Verdict == nil {
			continue
		}
		if t.dead(f) {
			f.Verdict.Silence(excludes.DeadCode, f.Pos, excludes.DeadCode.Why)
		}
		if e := s.config.Excludes(f.Position().Filename, f.Category()); e != nil {
			f.Verdict.Silence(excludes.Configured, f.Pos, "the configuration excludes "+e.Path+": "+e.Reason)
		}
	}
}

// An Answer is what is known of the function at a line.
type Answer struct {
	Version    int                `json:"version"`
	Func       string             `json:"func"`
	Pos        *report.Pos        `json:"pos"`
	Candidates []report.Candidate `json:"candidates"`
	// NoCandidate says of each thing that is done to a file at the line why it is none;
	// empty where the line has one. Of a function without any it says so of all.
	NoCandidate []string        `json:"noCandidate,omitempty"`
	GaveUp      []report.GaveUp `json:"gaveUp,omitempty"`
	// OnlyHere are modules that the package of the line calls, and that this command follows while
	// go vet and golangci-lint do not.
	OnlyHere []string `json:"onlyHere,omitempty"`

	lines []string // what was given up, for people
}

// explainLine is the answer for a line.
func (s *session) explainLine(t *tree, at line) (*Answer, error) {
	for _, l := range t.looks {
		for _, f := range l.pkg.Syntax {
			if l.pkg.Fset.Position(f.FileStart).Filename != at.file {
				continue
			}
			a, err := s.explainIn(l, f, at)
			if i := slices.IndexFunc(t.pkgs, func(p *packages.Package) bool { return p.ID == l.pkg.ID }); err == nil && i >= 0 {
				a.OnlyHere = load.OnlyHere(t.pkgs[i], s.load.House(t.pkgs))
			}
			return a, err
		}
	}
	return nil, fmt.Errorf("%s belongs to no package that is built here: look at its build constraints, and at -tags", s.printer.Path(at.file))
}

func (s *session) explainIn(l look, f *ast.File, at line) (*Answer, error) {
	doc := s.printer.Document(nil, nil, s.gaveUp)
	a := &Answer{Version: doc.Version, GaveUp: doc.GaveUp, lines: doc.GaveUpLines(), Pos: &report.Pos{File: s.printer.Path(at.file), Line: at.n, Column: 1}}
	fset := l.pkg.Fset
	i := slices.IndexFunc(f.Decls, func(d ast.Decl) bool {
		return fset.Position(d.Pos()).Line <= at.n && at.n <= fset.Position(d.End()).Line
	})
	if i >= 0 {
		a.Func = declared(fset, f.Decls[i], at.n)
	}
	if a.Func == "" {
		return nil, fmt.Errorf("%s:%d is outside of all functions: name a line of one", s.printer.Path(at.file), at.n)
	}
	decl := f.Decls[i]
	within := func(pos token.Pos) bool { return decl.Pos() <= pos && pos < decl.End() }
	var own []*verdict.Candidate
	for _, c := range l.result.Candidates {
		if within(c.Pos) || slices.ContainsFunc(c.Reasons, func(r verdict.Reason) bool { return c.Reported && within(r.Pos) }) {
			own = append(own, c)
		}
	}
	onLine := func(pos token.Pos) bool { return within(pos) && fset.Position(pos).Line == at.n }
	rank := func(c *verdict.Candidate) int { // smaller for what stands on the line, and for what has to do with it
		switch {
		case onLine(c.Pos):
			return 0
		case slices.ContainsFunc(c.Reasons, func(r verdict.Reason) bool { return onLine(r.Pos) }):
			return 1
		}
		return 2
	}
	slices.SortStableFunc(own, func(x, y *verdict.Candidate) int { return rank(x) - rank(y) })
	a.Candidates = s.printer.Candidates(fset, own)
	switch {
	case len(own) == 0:
		if a.NoCandidate = noCandidate(fset, l.result, onLine); len(a.NoCandidate) == 0 {
			a.NoCandidate = noCandidate(fset, l.result, within)
		}
		if len(a.NoCandidate) == 0 {
			a.NoCandidate = []string{"nothing that it does is known to write, lock, rename or remove a file"}
		}
	case !slices.ContainsFunc(own, func(c *verdict.Candidate) bool { return onLine(c.Pos) }):
		a.NoCandidate = noCandidate(fset, l.result, onLine)
	}
	return a, nil
}

// noCandidate says of each thing that is done to a file at a place why no check looked at it.
func noCandidate(fset *token.FileSet, r *analyzer.Result, within func(token.Pos) bool) (list []string) {
	for _, e := range r.Seen {
		if !within(e.Pos) {
			continue
		}
		does := fmt.Sprintf("line %d %s", fset.Position(e.Pos).Line, e.Does)
		if e.Through != "" {
			does = fmt.Sprintf("line %d calls code by which %s %s", fset.Position(e.Pos).Line, e.Through, e.Does)
		}
		if e.Why != "" {
			list = append(list, fmt.Sprintf("%s a file that is not followed, because %s", does, e.Why))
			continue
		}
		list = append(list, fmt.Sprintf("%s %s%s", does, e.File, e.Loses))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// declared is the function that a declaration is, or the variable of which a line of it is,
// such as that of a command with its literals; empty for anything else.
func declared(fset *token.FileSet, d ast.Decl, line int) string {
	switch d := d.(type) {
	case *ast.FuncDecl:
		return report.FuncName(d)
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			if v, ok := spec.(*ast.ValueSpec); ok && d.Tok == token.VAR && fset.Position(v.Pos()).Line <= line && line <= fset.Position(v.End()).Line {
				return v.Names[0].Name
			}
		}
	}
	return ""
}

// JSON writes the answer for programs.
func (a *Answer) JSON(w io.Writer) error { return report.Encode(w, a) }

// text writes the answer for people, whose terminal has so many columns.
func (a *Answer) text(w io.Writer, columns int) error {
	var out bytes.Buffer
	for _, why := range a.NoCandidate {
		fmt.Fprintf(&out, "%s: no candidate in %s: %s\n", printable.Text(fmt.Sprintf("%s:%d", a.Pos.File, a.Pos.Line)), printable.Text(a.Func), printable.Text(why))
	}
	if len(a.NoCandidate) > 0 && len(a.Candidates) > 0 {
		fmt.Fprintf(&out, "\nElsewhere in %s:\n", printable.Text(a.Func))
	}
	if err := report.CandidatesText(&out, a.Candidates, 0); err != nil {
		return err
	}
	for _, l := range a.lines {
		fmt.Fprintln(&out, printable.Text(l))
	}
	if len(a.OnlyHere) > 0 {
		fmt.Fprintf(&out, "\nWhat %s does to files is known to this command alone: go vet and golangci-lint do not follow it.\n", printable.Text(report.Enumerate(a.OnlyHere)))
	}
	_, err := io.WriteString(w, report.Fold(out.String(), columns, 2))
	return err
}

// looked gathers what the checks looked at, where it is asked for.
func (t *tree) looked(p *packages.Package, r *analyzer.Result) {
	if t.only != "" && !slices.Contains(p.GoFiles, t.only) && !slices.Contains(p.CompiledGoFiles, t.only) {
		return
	}
	t.looks = append(t.looks, look{p, r})
}

// silent lists what the checks looked at and did not report, in the order of files and
// lines.
func (s *session) silent(t *tree) []report.Candidate {
	var all []report.Candidate
	for _, l := range t.looks {
		var list []*verdict.Candidate
		for _, c := range l.result.Candidates {
			if !c.Reported {
				list = append(list, c)
			}
		}
		all = append(all, s.printer.Candidates(l.pkg.Fset, list)...)
	}
	slices.SortStableFunc(all, func(a, b report.Candidate) int {
		return cmp.Or(strings.Compare(a.Pos.File, b.Pos.File), a.Pos.Line-b.Pos.Line)
	})
	return all
}
