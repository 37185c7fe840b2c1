package witness

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A Site is a statement of the program, by its lines in a file.
type Site struct {
	// File is an absolute path.
	File string
	// Line and End are the first and the last line; End is Line where it is zero.
	Line, End int
	// Func is the function, as reports name it.
	Func string
}

// has reports whether the frame is in the statement.
func (s Site) has(f Frame) bool {
	return f.File == s.File && s.Line <= f.Line && f.Line <= max(s.Line, s.End)
}

// A Claim is a loss that is claimed and shall be executed.
type Claim struct {
	// Category is the category of the finding ("tornwrite/inplace"); its first part chooses the experiments where
	// there are none.
	Category string
	// Site is where the program loses, Other a second place without which it does not; the zero Site for none.
	Site, Other Site
	// Experiments are the names of those to make, in order; the first that proves the claim is the last. The
	// experiment "lock" can be named by what the program does: "truncated", "unlock", "remove", "create".
	Experiments []string
}

// An experiment is what the other process, B, does, and when.
type experiment struct {
	// name is that by which claims and reports call it, act what the recorder calls it.
	name, act string
	// does is what B does, for reports.
	does string
	// anchor chooses the operation of A at which B acts from one at the site of the claim; nil where there is none.
	anchor func(*process, []*episode, *op) *op
	// fits reports whether an episode that the operation begins can show a loss.
	fits func(*process, []*episode, *op) bool
	// judge says what the run shows.
	judge func(*judgement)
	// never says why B has found no moment to act, needs what a test would have to do.
	never, needs string
}

// experiments are all that can be made.
var experiments = []experiment{
	{"full", "full", "there is no space left on the device after half of the content",
		saves, overwrites, judgeFull, "", "writes the file there"},
	{"kill", "kill", "the process is killed after half of the content",
		saves, overwrites, judgeKill, "", "writes the file there"},
	{"reader", "reader", "another process reads the file before it is complete",
		saves, overwrites, judgeReader, "", "writes the file there"},
	{"shared", "shared", "another process writes half of its content to the same temporary file",
		saves, renamed, judgeShared, "the temporary file is not renamed", "renames the file that it writes there"},
	{"powercut", "powercut", "the power fails, and what was not synced is gone",
		saves, written, judgePowercut, "the file is not closed", "writes the file there"},
	{"update", "update", "another process saves the file between load and save",
		loads, savedLater, judgeUpdate, "the file is not saved behind the load", "loads the file there and saves it"},
	{"lock", "truncated", "another process takes the lock of the truncated file and reads",
		saves, written, judgeLock, "the file is not truncated", "writes the file there"},
	{"lock", "unlock", "another process takes the lock that is given up and reads",
		saves, written, judgeUnlock, "no lock is given up behind the opening of the file", "writes the file there"},
	{"lock", "remove", "another process takes the lock before its file is removed",
		removes, always, judgeRemove, "", "removes the lock file there"},
	{"lock", "create", "another process makes the file just before",
		creates, claims, judgeCreate, "the file is there already", "makes the file there"},
	{"lock", "replace", "another process makes the file just before",
		publishes, claims, judgeCreate, "the file is there already", "makes the file there"},
	{"torn", "torn", "another writer was stopped after half of the content",
		loads, savedAgain, judgeTorn, "", "loads the file there and saves it afterwards"},
	{"append", "append", "another process appends a record between two writes of one",
		saves, appended, judgeAppend, "each record is one write", "appends to the file there"},
}

// byCheck are the experiments for the findings of a check that name none.
var byCheck = map[string][]string{
	"tornwrite":    {"full", "reader", "kill", "shared", "powercut"},
	"lostupdate":   {"update"},
	"clobber":      {"torn"},
	"trunclock":    {"truncated"},
	"unflushed":    {"unlock"},
	"earlyrelease": {"remove"},
	"racycreate":   {"create", "replace"},
	"tornappend":   {"append"},
}

// Experiments are the names of the experiments that can be made for the findings of a category.
func Experiments(category string) []string {
	check, _, _ := strings.Cut(category, "/")
	return slices.Clone(byCheck[check])
}

// saves is the opening of the file that is written.
func saves(p *process, es []*episode, o *op) *op {
	for _, e := range es {
		if e.open == o || slices.Contains(e.ops, o) || slices.Contains(e.renames, o) {
			if e.open.writes() {
				return e.open
			}
			return nil
		}
	}
	return nil
}

// loads is the opening of the file to read it; for a save, that of the last load before, of the same goroutine.
func loads(p *process, es []*episode, o *op) *op {
	if o.kind == "open" && o.flag&os.O_TRUNC == 0 && (o.opens() && !o.writes() || o.size < 0 && o.err != "") {
		return o
	}
	save := saves(p, es, o)
	if save == nil {
		return nil
	}
	i := slices.IndexFunc(es, func(e *episode) bool { return e.open == save })
	for j := i - 1; j >= 0; j-- {
		l := es[j].open
		if l.flag&os.O_TRUNC == 0 && es[j].read() > 0 && l.path == es[i].target() && l.goroutine == save.goroutine && l.test == save.test {
			return l
		}
	}
	return nil
}

// removes is the removal of a file; for the end of a lock, that of the lock file behind it.
func removes(p *process, _ []*episode, o *op) *op {
	if o.kind == "unlock" || o.kind == "close" {
		for _, r := range p.ops {
			if r.seq > o.seq && r.kind == "remove" && r.err == "" && r.path == o.path {
				return r
			}
		}
	}
	if o.kind == "remove" && o.err == "" {
		return o
	}
	return nil
}

// creates is the opening that makes a file; for a look whether it is there, the one that follows.
func creates(p *process, _ []*episode, o *op) *op {
	made := func(c *op) bool {
		return c.kind == "open" && c.flag&os.O_CREATE != 0 && c.size < 0 && (c.err == "")
	}
	if made(o) {
		return o
	}
	if o.kind != "stat" {
		return nil
	}
	for _, c := range p.ops {
		if c.seq > o.seq && made(c) && c.path == o.path && c.goroutine == o.goroutine {
			return c
		}
	}
	return nil
}

// publishes is the rename by which a file appears that was not there before.
func publishes(_ *process, es []*episode, o *op) *op {
	for _, e := range es {
		if len(e.renames) > 0 && e.renames[0].size < 0 && (e.open == o || slices.Contains(e.renames, o)) {
			return e.renames[0]
		}
	}
	return nil
}

// claims reports whether the file is a lock by being there.
func claims(_ *process, _ []*episode, o *op) bool { return claimName(cmp.Or(o.to, o.path)) }

func always(*process, []*episode, *op) bool { return true }

// episodeOf is the episode that o opens; nil where it opens none.
func episodeOf(es []*episode, o *op) *episode {
	i := slices.IndexFunc(es, func(e *episode) bool { return e.open == o })
	if i < 0 {
		return nil
	}
	return es[i]
}

func written(_ *process, es []*episode, o *op) bool {
	e := episodeOf(es, o)
	if e == nil {
		return false
	}
	total, _ := e.wrote()
	return total > 0
}

// overwrites reports whether enough is written that half of it is less.
func overwrites(_ *process, es []*episode, o *op) bool {
	e := episodeOf(es, o)
	if e == nil {
		return false
	}
	total, _ := e.wrote()
	return total > 1
}

func renamed(_ *process, es []*episode, o *op) bool {
	e := episodeOf(es, o)
	return e != nil && len(e.renames) > 0
}

// savedAgain reports whether the file that o loads holds something, and is saved later in the same test.
func savedAgain(p *process, es []*episode, o *op) bool { return o.size > 0 && savedLater(p, es, o) }

// savedLater reports whether the file that o loads, or misses, is saved later in the same test.
func savedLater(_ *process, es []*episode, o *op) bool {
	return slices.ContainsFunc(es, func(e *episode) bool {
		return e.open.seq >= o.seq && e.open.writes() && e.open.test == o.test && e.target() == o.path &&
			slices.ContainsFunc(e.ops, func(w *op) bool { return w.kind == "write" })
	})
}

func appended(p *process, es []*episode, o *op) bool {
	return o.flag&os.O_APPEND != 0 && written(p, es, o)
}

// A plan is an experiment at one place in one test.
type plan struct {
	experiment
	claim   Claim
	run     *run
	test    string
	anchor  *op
	episode *episode // nil where the anchor opens no file
	site    Frame
	nth     int
	seconds float64
}

// better orders plans: those whose file holds something before, and is read again, come first, then fast tests.
func (a plan) better(b plan) int {
	rank := func(p plan) int {
		n := 0
		if p.held() {
			n += 2
		}
		if p.readAgain() {
			n++
		}
		return -n
	}
	return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.seconds, b.seconds), strings.Compare(a.test, b.test),
		cmp.Compare(a.nth, b.nth))
}

// held reports whether the file at stake held something before.
func (a plan) held() bool {
	if a.episode != nil && len(a.episode.renames) > 0 {
		return a.episode.renames[0].size > 0
	}
	return a.anchor.size > 0
}

// path is the file at stake.
func (a plan) path() string {
	if a.episode != nil {
		return a.episode.target()
	}
	return cmp.Or(a.anchor.to, a.anchor.path)
}

// readAgain reports whether the program reads the file later in the test.
func (a plan) readAgain() bool {
	path := a.path()
	return slices.ContainsFunc(a.anchor.process.ops, func(o *op) bool {
		_, code := o.stack.site()
		return o.seq > a.anchor.seq && o.opens() && !o.writes() && o.path == path && o.test == a.anchor.test && code
	})
}

// plans are the ways to make an experiment for a claim, best first, and what keeps those away that are not possible.
func (s *Session) plans(c Claim, x experiment) (list []plan, why string) {
	for _, r := range s.trace.runs {
		for _, p := range r.processes {
			es := p.episodes()
			seen := map[*op]bool{}
			for _, o := range p.ops {
				if !o.stack.at(c.Site) && !o.stack.at(c.Other) {
					continue
				}
				anchor := x.anchor(p, es, o)
				if anchor == nil || seen[anchor] || !x.fits(p, es, anchor) {
					continue
				}
				seen[anchor] = true
				candidate := plan{experiment: x, claim: c, run: r, test: anchor.top(), anchor: anchor}
				if reason := s.cannot(&candidate, es); reason != "" {
					why = reason
					continue
				}
				list = append(list, candidate)
			}
		}
	}
	slices.SortStableFunc(list, plan.better)
	return list, why
}

// at reports whether the stack goes through the site.
func (s stack) at(site Site) bool {
	return site.File != "" && slices.ContainsFunc(s, site.has)
}

// cannot completes a plan, or says why it cannot be carried out.
func (s *Session) cannot(a *plan, es []*episode) string {
	a.episode = episodeOf(es, a.anchor)
	result := a.run.tests[a.test]
	switch {
	case a.test == "":
		return "it is reached outside of the tests only"
	case result == nil || result.outcome == "":
		return a.test + " does not end without another process"
	case result.outcome != "PASS":
		return a.test + " fails without another process"
	case !s.may(a.path()) || !s.may(a.anchor.path):
		return a.path() + " is neither in a temporary directory of the test nor in the module"
	}
	a.seconds = result.seconds
	site, ok := a.anchor.stack.site()
	if !ok {
		return "only tests do this"
	}
	a.site = site
	a.nth = a.occurrence()
	return ""
}

// occurrence counts the operations of the test, up to the anchor, that the recorder will count.
func (a *plan) occurrence() int {
	n := 0
	at := Site{File: a.site.File, Line: a.site.Line}
	for _, o := range a.anchor.process.ops {
		if o.seq > a.anchor.seq || o.top() != a.test || !o.stack.at(at) {
			continue
		}
		counts := false
		switch a.act {
		case "torn":
			counts = o.kind == "open" && !o.writes() && o.size > 0
		case "update":
			counts = o.kind == "open" && o.flag&os.O_TRUNC == 0
		case "create":
			counts = o.kind == "open" && o.flag&os.O_CREATE != 0 && o.size < 0
		case "remove":
			counts = o.kind == "remove"
		case "replace":
			counts = o.kind == "rename" && o.size < 0
		default:
			counts = o.kind == "open" && o.writes()
		}
		if counts {
			n++
		}
	}
	return max(n, 1)
}

// may reports whether B may change the file: it belongs to the test or to the module.
func (s *Session) may(path string) bool {
	for _, dir := range append([]string{s.work}, s.modules...) {
		if strings.HasPrefix(path, dir+string(filepath.Separator)) {
			return true
		}
	}
	return false
}

// play carries out a plan. What it changes in the module is put back.
func (s *Session) play(ctx context.Context, a plan, then func(*run)) (*run, error) {
	lines := []string{"may\t" + s.work}
	for _, m := range s.modules {
		lines = append(lines, "may\t"+m)
	}
	half, single := int64(0), "0"
	if a.episode != nil {
		total, writes := a.episode.wrote()
		half = total / 2
		if writes == 1 {
			single = "1"
		}
		if len(a.episode.renames) > 0 {
			if to, err := filepath.Rel(filepath.Dir(a.anchor.path), a.episode.target()); err == nil {
				lines = append(lines, "names\t"+filepath.Base(a.anchor.path)+"\t"+filepath.ToSlash(to))
			}
		}
	}
	lines = append(lines, fmt.Sprintf("play\t%s\t%d\t%d\t%s", a.act, a.nth, half, single),
		fmt.Sprintf("site\t%s\t%d\t%d", a.site.File, a.site.Line, a.site.Line))
	if a.act == "update" {
		version, err := s.versionLine(a)
		if err != nil {
			return nil, err
		}
		lines = append(lines, version...)
	}
	defer s.restore(a.path())()
	// A test that waits for B forever is one that B has kept from going on.
	limit := s.timeout(experimentTime) + time.Duration(4*a.seconds*float64(time.Second))
	return s.run(ctx, a.run.pkg, a.binary(), order{lines: lines, test: a.test, timeout: limit, then: then})
}

// binary is the one whose readers tell what they return, if there is one.
func (a plan) binary() string { return cmp.Or(a.run.pkg.probed, a.run.pkg.binary) }

// other is a version that the program has written elsewhere, other than those that the load finds and
// the save leaves; none where there is none.
func (s *Session) other(a plan) *snapshot {
	var own *snapshot
	path := a.path()
	var others []*snapshot
	for _, v := range a.run.snapshots {
		if v.label != "version" || v.size <= 0 || filepath.Base(versionTarget(a.run, v)) != filepath.Base(path) {
			continue
		}
		if versionTarget(a.run, v) == path && own == nil && v.seq > a.anchor.seq {
			own = v
			continue
		}
		others = append(others, v)
	}
	for _, v := range slices.Backward(others) {
		if own == nil || !v.equal(own) {
			return v
		}
	}
	return nil
}

// versionTarget is the name under which readers find a version.
func versionTarget(r *run, v *snapshot) string {
	for _, p := range r.processes {
		for _, o := range p.ops {
			if o.kind == "rename" && o.err == "" && o.path == v.path && o.seq > v.seq {
				return o.to
			}
		}
	}
	return v.path
}

// versionLine is the line of the configuration that names what B saves.
func (s *Session) versionLine(a plan) ([]string, error) {
	v := s.other(a)
	if v == nil {
		return nil, nil
	}
	return s.content("version", v.content)
}

// experimentTime is how long a test runs that plays B.
const experimentTime = time.Minute

// content is the line that names a file with the content.
func (s *Session) content(key string, content []byte) ([]string, error) {
	name := filepath.Join(s.work, key)
	if err := os.WriteFile(name, content, 0o600); err != nil {
		return nil, err
	}
	return []string{key + "\t" + name}, nil
}

// restore puts a file of the module back as it is now.
func (s *Session) restore(path string) func() {
	if strings.HasPrefix(path, s.work+string(filepath.Separator)) {
		return func() {}
	}
	content, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return func() { os.Remove(path) }
	}
	if err != nil {
		return func() {}
	}
	return func() { replaceFile(path, content) }
}
