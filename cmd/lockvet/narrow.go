package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/analyse"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/baseline"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/report"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/since"
)

// limits are what the user wants to hear of.
type limits struct {
	known *baseline.Baseline // findings to leave out, or nil
	lines *since.Lines       // where findings have to stand, or nil
}

// limits reads them. It comes before all that takes time: a name may be mistyped.
func (s *session) limits() (l limits, err error) {
	if s.baseline != "" && !s.baselineWrite {
		if l.known, err = baseline.Read(s.baseline); err != nil {
			return l, err
		}
	}
	if s.since != "" {
		if l.lines, err = since.Read(s.dir, s.since); err != nil {
			return l, fmt.Errorf("-since: %w", err)
		}
	}
	return l, nil
}

// narrow leaves out what is beyond the limits of the tree.
func (s *session) narrow(found []*analyse.Found, t *tree) []*analyse.Found {
	if t.known != nil {
		var gone int
		if found, gone = t.known.Unknown(found, t.scope()); gone > 0 {
			s.complain("%s in %s: not found any more; -baseline-write leaves that out", report.Plural(gone, "finding"), s.baseline)
		}
	}
	if t.lines == nil {
		return found
	}
	var fresh []*analyse.Found
	for _, f := range found {
		first := f.Position()
		last := first.Line
		if f.End.IsValid() {
			last = f.Pkg.Fset.Position(f.End).Line
		}
		if t.lines.Touch(first.Filename, first.Line, last) {
			fresh = append(fresh, f)
		}
	}
	return fresh
}

// scope tells which entries of a baseline a run speaks of: those of its packages
// and checks.
func (t *tree) scope() func(baseline.Entry) bool {
	paths := make(map[string]bool)
	for _, p := range t.pkgs {
		paths[p.PkgPath] = true
	}
	return func(e baseline.Entry) bool { return paths[e.Package] && t.asked(e.Check()) }
}

// writeBaseline makes what was found the baseline within its scope.
func (s *session) writeBaseline(t *tree) (int, error) {
	known, err := baseline.Read(s.baseline)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, baseline.ErrOutdated) {
		known, err = &baseline.Baseline{}, nil
	}
	if err != nil {
		return 0, err
	}
	known.Replace(t.found, t.scope())
	err = s.writeOutput(s.baseline, func(w io.Writer) error {
		_, err := w.Write(known.Encode())
		return err
	})
	if err != nil {
		return 0, err
	}
	s.tellGaveUp()
	fmt.Fprintf(s.stderr, "%s: %s\n", s.baseline, report.Plural(len(known.Findings), "known finding"))
	return exitClean, nil
}
