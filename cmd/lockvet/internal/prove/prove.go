// Package prove has the schedules of findings executed against the tests of the program, and decides what each finding
// counts for then. What is executed, and how, is package witness's.
package prove

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/analyse"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/witness"
)

// A Result is what a run of the tests has shown.
type Result struct {
	// Proofs are those of the findings, by their fingerprints.
	Proofs map[string]witness.Proof
	// Seen are the losses that no finding reports.
	Seen []witness.Loss
	// Trace says what was run.
	Trace *witness.Trace
}

// Run records the tests and executes the schedules of the findings. What the session leaves on disk is gone when it
// returns.
func Run(ctx context.Context, opts witness.Options, found []*analyse.Found) (r *Result, err error) {
	claims := make([]witness.Claim, len(found))
	for i, f := range found {
		claims[i] = ClaimOf(f)
	}
	s, err := witness.New(ctx, opts)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	trace, err := s.Record(ctx)
	if err != nil {
		return nil, err
	}
	proofs, err := s.Prove(ctx, claims)
	if err != nil {
		return nil, err
	}
	r = &Result{Proofs: make(map[string]witness.Proof, len(found)), Trace: trace, Seen: trace.Seen(sites(claims))}
	for i, f := range found {
		r.Proofs[f.Fingerprint] = proofs[i]
	}
	return r, nil
}

// sites are all places of the claims.
func sites(claims []witness.Claim) []witness.Site {
	var all []witness.Site
	for _, c := range claims {
		all = append(append(all, c.Site), c.Others...)
	}
	return all
}

// ClaimOf is what a finding claims, at the lines of its sources.
func ClaimOf(f *analyse.Found) witness.Claim {
	fset := f.Pkg.Fset
	at := f.Position()
	c := witness.Claim{Category: f.Category(), Site: witness.Site{File: at.Filename, Line: at.Line, Func: f.Func}}
	if f.End.IsValid() {
		c.Site.End = fset.Position(f.End).Line
	}
	for _, step := range f.Schedule {
		if step.Pos.IsValid() {
			p := fset.Position(step.Pos)
			c.Others = append(c.Others, witness.Site{File: p.Filename, Line: p.Line, Func: f.Func})
		}
	}
	return c
}

// Again is what a finding claims after its fix: the lines have changed, so that it is about the whole function. The
// file is the one that the proof before was about.
func Again(f *analyse.Found, before witness.Proof) witness.Claim {
	c := ClaimOf(f)
	c.Site.Line, c.Site.End, c.Others = 0, 0, nil
	if before.File != "" {
		c.File = filepath.Base(before.File)
	}
	if before.Verdict == witness.Proven {
		c.Experiments = []string{before.Experiment}
	}
	return c
}

// Weigh sets what a finding counts for after its proof: it is an error where the program's own reader fails
// afterwards, and a note where the schedule was executed and nothing was lost.
func Weigh(f *finding.Finding, p witness.Proof) {
	switch {
	case p.Verdict == witness.Refuted:
		f.Severity = finding.Note
	case p.Verdict == witness.Proven && p.Reader.Error != "":
		f.Severity = finding.Error
	}
}
