// Package prove has the schedules of findings executed against the tests of the program, and decides what each finding
// counts for then. What is executed, and how, is package witness's.
package prove

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/analyse"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/state"
	"github.com/lockvet/lockvet/internal/witness"
)

// A Result is what a run of the tests has shown.
type Result struct {
	// Proofs are those of the findings, by their fingerprints. A finding that is about memory has none.
	Proofs map[string]witness.Proof
	// Seen are the losses that no finding reports.
	Seen []witness.Loss
	// Losses are all that the tests have shown, reported or not.
	Losses []witness.Loss
	// Trace says what was run.
	Trace *witness.Trace
}

// Keep leaves out the losses that stand in other files than those to keep: the tests of packages that import the named
// ones show those, too.
func (r *Result) Keep(file func(name string) bool) {
	elsewhere := func(l witness.Loss) bool { return !file(filepath.FromSlash(l.Site.File)) }
	r.Losses, r.Seen = slices.DeleteFunc(r.Losses, elsewhere), slices.DeleteFunc(r.Seen, elsewhere)
}

// Options say what is run.
type Options struct {
	witness.Options
	// Command is for the shell, and runs in place of the tests; empty for these.
	Command string
	// Kept has the results of tests that have not changed since; nil for none.
	Kept *analyse.Cache
}

// Run records the tests and executes the schedules of the findings. What the session leaves on disk is gone when it
// returns.
func Run(ctx context.Context, opts Options, found []*analyse.Found) (*Result, error) {
	executable := slices.DeleteFunc(slices.Clone(found), func(f *analyse.Found) bool {
		return len(acts(f)) == 0
	})
	claims := make([]witness.Claim, len(executable))
	for i, f := range executable {
		claims[i] = claimOf(f)
	}
	e, err := execute(ctx, opts, claims)
	if err != nil {
		return nil, err
	}
	return &Result{Proofs: byFingerprint(executable, e.Proofs), Trace: e.Trace, Losses: e.Losses, Seen: e.Seen}, nil
}

// Again executes the schedules of findings that are fixed, and returns the proofs by their fingerprints. The lines have
// changed, so that each is about its whole function, and about the file and the experiment of the proof before.
func Again(ctx context.Context, opts Options, fixed []*analyse.Found, before map[string]witness.Proof) (
	map[string]witness.Proof, error) {
	claims := make([]witness.Claim, len(fixed))
	for i, f := range fixed {
		was := before[f.Fingerprint]
		claims[i] = claimOf(f)
		claims[i].Site.Line, claims[i].Site.End, claims[i].Others = 0, 0, nil
		claims[i].File, claims[i].Acts = filepath.Base(was.File), []string{was.Act}
	}
	e, err := execute(ctx, opts, claims)
	return byFingerprint(fixed, e.Proofs), err
}

// An execution is what is kept of claims and tests.
type execution struct {
	Proofs       []witness.Proof
	Losses, Seen []witness.Loss
	Trace        *witness.Trace
}

// execute records the tests and executes the claims, unless that was done and nothing has changed since.
func execute(ctx context.Context, opts Options, claims []witness.Claim) (e execution, err error) {
	s, err := witness.New(ctx, opts.Options)
	if err != nil {
		return e, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	var key string
	if opts.Command != "" {
		e.Trace, err = s.Exec(ctx, opts.Command)
	} else {
		if key, err = keyOf(ctx, s, opts, claims); err != nil {
			return e, err
		}
		if json.Unmarshal(opts.Kept.Recall(key), &e) == nil {
			return e, nil
		}
		e.Trace, err = s.Record(ctx)
	}
	if err != nil {
		return e, err
	}
	if e.Proofs, err = s.Prove(ctx, claims); err != nil {
		return e, err
	}
	e.Losses, e.Seen = e.Trace.Seen(nil), e.Trace.Seen(sites(claims))
	if kept, err := json.Marshal(e); err == nil && key != "" {
		opts.Kept.Keep(key, kept)
	}
	return e, nil
}

// keyOf names what is executed. With -count there is no such name: that asks for a run, as it does
// of go test.
func keyOf(ctx context.Context, s *witness.Session, opts Options, claims []witness.Claim) (string, error) {
	key, err := s.Key(ctx)
	if err != nil || key == "" || slices.ContainsFunc(opts.Flags, func(f string) bool { return strings.HasPrefix(strings.TrimLeft(f, "-"), "count") }) {
		return "", err
	}
	text, err := json.Marshal(claims)
	return fmt.Sprintf("executed %s %x", key, sha256.Sum256(text)), err
}

func byFingerprint(found []*analyse.Found, proofs []witness.Proof) map[string]witness.Proof {
	all := make(map[string]witness.Proof, len(proofs))
	for i, p := range proofs {
		all[found[i].Fingerprint] = p
	}
	return all
}

// sites are all places of the claims.
func sites(claims []witness.Claim) []witness.Site {
	var all []witness.Site
	for _, c := range claims {
		all = append(append(all, c.Site), c.Others...)
	}
	return all
}

// claimOf is what a finding claims, at the lines of its sources.
func claimOf(f *analyse.Found) witness.Claim {
	fset := f.Pkg.Fset
	at := f.Position()
	c := witness.Claim{Site: witness.Site{File: at.Filename, Line: at.Line, Func: f.Func}, Acts: acts(f)}
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

// Weigh notes what a finding counts for after its proof: it is an error where the program's own reader fails
// afterwards, a note where the schedule was executed and nothing was lost, and no note where something was.
func Weigh(f *finding.Finding, p witness.Proof) {
	switch {
	case p.Verdict == witness.Refuted:
		f.Shown = finding.Note
	case p.Verdict == witness.Proven && p.Reader.Error != "":
		f.Shown = finding.Error
	case p.Verdict == witness.Proven && f.Severity == finding.Note:
		f.Shown = finding.Warning
	}
	state.Rate(f)
}

// acts are what the schedule of a finding has happen, in its order.
func acts(f *analyse.Found) []string {
	var list []string
	for _, step := range f.Schedule {
		for _, act := range step.Acts {
			list = append(list, string(act))
		}
	}
	return list
}
