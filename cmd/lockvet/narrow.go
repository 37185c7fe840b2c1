package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"golang.org/x/tools/go/packages"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/analyse"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/baseline"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/report"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/since"
)

// narrow leaves out what the user does not want to hear of: findings of the
// baseline, and those on lines that were there before.
func (s *session) narrow(found []*analyse.Found, pkgs []*packages.Package) ([]*analyse.Found, error) {
	if s.baseline != "" {
		known, err := baseline.Read(s.baseline)
		if err != nil {
			return nil, err
		}
		var gone int
		if found, gone = known.Unknown(found, paths(pkgs)); gone > 0 {
			s.complain("%s in %s: not found any more; -baseline-write leaves that out", report.Plural(gone, "finding"), s.baseline)
		}
	}
	if s.since == "" {
		return found, nil
	}
	lines, err := since.Read(context.Background(), s.dir, s.since)
	if err != nil {
		return nil, fmt.Errorf("-since: %w", err)
	}
	var fresh []*analyse.Found
	for _, f := range found {
		first := f.Position()
		last := first.Line
		if f.End.IsValid() {
			last = f.Pkg.Fset.Position(f.End).Line
		}
		if lines.Touch(first.Filename, first.Line, last) {
			fresh = append(fresh, f)
		}
	}
	return fresh, nil
}

// paths are the import paths of packages.
func paths(pkgs []*packages.Package) map[string]bool {
	all := make(map[string]bool)
	for _, p := range pkgs {
		all[p.PkgPath] = true
	}
	return all
}

// writeBaseline makes what was found the baseline of the packages.
func (s *session) writeBaseline(t *tree) (int, error) {
	known, err := baseline.Read(s.baseline)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, baseline.ErrOutdated) {
		known, err = &baseline.Baseline{}, nil
	}
	if err != nil {
		return 0, err
	}
	known.Replace(t.found, paths(t.pkgs))
	err = s.writeOutput(s.baseline, func(w io.Writer) error {
		_, err := w.Write(known.Encode())
		return err
	})
	if err != nil {
		return 0, err
	}
	s.progress.clear()
	fmt.Fprintf(s.stderr, "%s: %s\n", s.baseline, report.Plural(len(known.Findings), "known finding"))
	return exitClean, nil
}
