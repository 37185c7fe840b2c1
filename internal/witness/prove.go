package witness

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Prove executes claims against the tests that were recorded: it runs for each the experiments of its kind, each
// with one test, until one proves it. The proofs are in the order of the claims.
func (s *Session) Prove(ctx context.Context, claims []Claim) ([]Proof, error) {
	if s.trace == nil {
		return nil, errors.New("nothing was recorded: call Record or Exec before Prove")
	}
	if err := s.probe(ctx, claims); err != nil {
		return nil, err
	}
	proofs := make([]Proof, 0, len(claims))
	for i, c := range claims {
		p, err := s.prove(ctx, c, i+1, len(claims))
		if err != nil {
			return proofs, err
		}
		proofs = append(proofs, p)
	}
	return proofs, nil
}

// attempts is how many episodes an experiment is made with at most, where the first does not come about.
const attempts = 3

// prove executes one claim.
func (s *Session) prove(ctx context.Context, c Claim, number, of int) (Proof, error) {
	best := Proof{Claim: c, Verdict: Unreached, Says: s.unreached(c)}
	for _, x := range chosen(c) {
		plans, why := s.plans(c, x)
		if len(plans) == 0 && best.Verdict == Unreached {
			best.Says = cmp.Or(why, best.Says)
		}
		for _, a := range plans {
			s.opts.Progress(Step{x.name, a.run.pkg.ImportPath, a.test, number, of})
			j, err := s.experiment(ctx, a)
			if err != nil {
				return best, err
			}
			p := j.proof()
			p.Says = s.local(p.Says)
			if j.verdict == Proven {
				if p.Reader, err = s.reader(ctx, j); err != nil {
					return best, err
				}
				p.Reader.Error = s.local(p.Reader.Error)
				p.Tried = best.tried()
				return p, nil
			}
			if j.verdict == Refuted || best.Test == "" && best.Verdict != Refuted {
				p.Tried = best.tried()
				best = p
			}
			if j.verdict == Refuted {
				break
			}
		}
	}
	return best, nil
}

// local is a text in which what lies below a directory of a test is named from there, and anything else of a run from
// its temporary directory.
func (s *Session) local(text string) string {
	separator := regexp.QuoteMeta(string(filepath.Separator))
	temporary := strings.NewReplacer("/", separator).Replace(`/\d+/[tw](?:/[^/\s]+/\d{3})?(?:/|\b)`)
	return regexp.MustCompile(regexp.QuoteMeta(s.work)+temporary).ReplaceAllStringFunc(text, func(dir string) string {
		if strings.HasSuffix(dir, string(filepath.Separator)) {
			return ""
		}
		return "."
	})
}

// tried is the list of what was tried so far.
func (p Proof) tried() []Tried {
	if p.Experiment == "" {
		return p.Tried
	}
	return append(p.Tried, Tried{p.Experiment, p.Says})
}

// experiment carries out a plan and judges it.
func (s *Session) experiment(ctx context.Context, a plan) (*judgement, error) {
	var disk *snapshot
	r, err := s.play(ctx, a, func(r *run) {
		if b := r.snapshot("before", 0); b != nil {
			disk = onDisk(b.path)
		}
	})
	if err != nil {
		return nil, err
	}
	return judge(a, r, disk), nil
}

// onDisk is what a file holds now; nil where its directory is gone, too.
func onDisk(path string) *snapshot {
	if !exists(filepath.Dir(path)) {
		return nil
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return &snapshot{path: path, size: -1}
	}
	return &snapshot{path: path, size: int64(len(content)), content: content}
}

// proof is the judgement as a proof.
func (j *judgement) proof() Proof {
	p := Proof{Claim: j.plan.claim, Verdict: j.verdict, Package: j.plan.run.pkg.ImportPath, Test: j.plan.test,
		Experiment: j.plan.name, Act: j.plan.act, Actor: j.plan.actor, Does: j.plan.does, Site: j.plan.site, Says: j.says}
	if i := slices.IndexFunc(j.plan.anchor.stack, Frame.test); i >= 0 {
		p.At = j.plan.anchor.stack[i]
	}
	if j.before != nil {
		p.File = j.before.path
		p.Before, p.After = contentOf(j.before), contentOf(j.after)
	}
	return p
}

// unreached says why no test comes to a claim.
func (s *Session) unreached(c Claim) string {
	list := chosen(c)
	if len(list) == 0 {
		return "nothing of this kind can be executed"
	}
	for _, site := range append([]Site{c.Site}, c.Others...) {
		for _, r := range s.trace.runs {
			if slices.ContainsFunc(r.ops(), func(o *op) bool { return o.stack.at(site) }) {
				return fmt.Sprintf("tests come to %s, and none %s", Frame{File: site.File, Line: site.Line}, list[0].needs)
			}
		}
	}
	return fmt.Sprintf("no test that passes calls %s as far as line %d", c.Site.Func, c.Site.Line)
}

// reader is what the program's own reader returns for what the file holds after the experiment: in the same test, or
// in another run of it, in which the reader finds that content.
func (s *Session) reader(ctx context.Context, j *judgement) (Reader, error) {
	n, _ := j.run.note("acted")
	switch {
	case !j.after.exists() || j.plan.act == "create":
		return Reader{}, nil
	case j.plan.act == "torn":
		r, _ := j.answered(j.run, n.seq, j.plan.anchor.stack)
		return r, nil
	case j.plan.name != "reader" && j.plan.name != "lock": // where the file is whole again when it is read
		if r, ok := j.answered(j.run, n.seq, nil); ok {
			return r, nil
		}
	}
	load, ok := s.loadOf(j.plan)
	if !ok || len(j.after.content) == 0 && load.anchor.size <= 0 {
		return Reader{}, nil
	}
	file, err := s.content("version", j.after.content)
	if err != nil {
		return Reader{}, err
	}
	s.opts.Progress(Step{Does: "reader", Package: load.run.pkg.ImportPath, Test: load.test})
	lines := append(append(file, s.limits(load.run.pkg)...), fmt.Sprintf("play\ttorn\t%d\t0\t0", load.nth),
		fmt.Sprintf("site\t%s\t%d\t%d", load.site.File, load.site.Line, load.site.Line))
	r, err := s.again(ctx, load, lines, nil)
	if err != nil {
		return Reader{}, err
	}
	if n, ok = r.note("acted"); !ok {
		return Reader{}, nil
	}
	answer, _ := j.answered(r, n.seq, load.anchor.stack)
	return answer, nil
}

// loadOf is the first load of the file at stake that another run of its test can meet.
func (s *Session) loadOf(a plan) (plan, bool) {
	for _, o := range a.run.ops() {
		_, code := o.stack.site()
		if !o.opens() || o.writes() || o.path != a.path() || o.test != a.anchor.test || !code || o.size <= 0 {
			continue
		}
		load := plan{experiment: experiment{name: "reader", act: "torn"}, claim: a.claim, run: a.run, test: a.test,
			anchor: o, episode: o.process.opened(o)}
		if s.cannot(&load) == "" {
			load.nth = load.occurrence()
			return load, true
		}
	}
	return plan{}, false
}

// answered is the first reader of the file that returned something after seq. Of several functions around one load
// it is the innermost that returns an error at all.
func (j *judgement) answered(r *run, seq int, load stack) (Reader, bool) {
	if load == nil {
		i := slices.IndexFunc(r.snapshots, func(s *snapshot) bool {
			_, code := s.stack.site()
			return s.label == "read" && s.seq > seq && code
		})
		if i < 0 {
			return Reader{}, false
		}
		load, seq = r.snapshots[i].stack, r.snapshots[i].seq
	}
	site, _ := load.site()
	for _, a := range r.answers {
		if a.seq < seq {
			continue
		}
		for _, f := range load {
			if a.fn == f.Func {
				return Reader{shortName(f.Func), site, a.error}, true
			}
		}
	}
	return Reader{Site: site}, true
}

// shortName is a function as reports name it: "load", "(*Store).load".
func shortName(fn string) string {
	fn = fn[strings.LastIndexByte(fn, '/')+1:]
	_, name, _ := strings.Cut(fn, ".")
	return name
}
