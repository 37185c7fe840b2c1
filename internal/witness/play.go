package witness

import (
	"bytes"
	"cmp"
	"context"
	"errors"
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
	// Line and End are the first and the last line; End is Line where it is zero. Where Line is zero, the site is
	// the whole function.
	Line, End int
	// Func is the function, as reports name it.
	Func string
}

// has reports whether the frame is in the statement, or in the function where no line is known.
func (s Site) has(f Frame) bool {
	if s.Line == 0 {
		name := shortName(f.Func)
		return s.Func != "" && f.File == s.File && (name == s.Func || strings.HasPrefix(name, s.Func+".func"))
	}
	return f.File == s.File && s.Line <= f.Line && f.Line <= max(s.Line, s.End)
}

// A Claim is a loss that is claimed and shall be executed.
type Claim struct {
	// Site is where the program loses, Others are further places of the schedule.
	Site   Site
	Others []Site
	// File is the name of the file at stake, without its directory; empty where it is not known. Where a place has to
	// do with several files, those of the name come first.
	File string
	// Acts are what the other process does: each is an experiment, and the first that proves the claim is the last.
	Acts []string
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
	rank    int
}

// better orders plans: those of a higher rank first, then fast tests. Less than a second tells none apart: which test a
// proof names must not be up to the load of the machine.
func (a plan) better(b plan) int {
	return cmp.Or(cmp.Compare(b.rank, a.rank), cmp.Compare(int(a.seconds), int(b.seconds)), strings.Compare(a.test, b.test),
		cmp.Compare(a.anchor.seq, b.anchor.seq))
}

// worth is the rank of a plan: the file has the name of the claim, is asked for by several, holds something before,
// and is read again.
func (a plan) worth() (rank int) {
	for _, is := range []bool{a.named(), a.contended(), a.held(), a.readAgain()} {
		rank *= 2
		if is {
			rank++
		}
	}
	return rank
}

// spread puts one plan of each test before the second of any, for the file that the claim names before others.
func spread(list []plan) {
	type testOf struct {
		run  *run
		test string
	}
	count, turn := map[testOf]int{}, map[*op]int{}
	for _, a := range list {
		of := testOf{a.run, a.test}
		count[of]++
		turn[a.anchor] = count[of]
		if !a.named() {
			turn[a.anchor] += len(list)
		}
	}
	slices.SortStableFunc(list, func(a, b plan) int { return cmp.Compare(turn[a.anchor], turn[b.anchor]) })
}

// named reports whether the file at stake has the name that the claim gives.
func (a plan) named() bool { return filepath.Base(a.path()) == a.claim.File }

// contended reports whether the file is removed under others: several goroutines or processes create it in the test.
func (a plan) contended() bool {
	return a.act == "remove" && len(a.run.uses().creators[use{test: a.test, path: a.path()}]) > 1
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
	return a.run.uses().read[use{a.anchor.process, a.anchor.test, a.path()}] > a.anchor.seq
}

// plans are the best ways to make an experiment for a claim, in order, and what keeps those away that are not possible.
// What the program does at the site counts, or else, where the experiment reaches as far, at the other places on
// behalf of the function, or anywhere in that.
func (s *Session) plans(c Claim, x experiment) (list []plan, why string) {
	function := Site{File: c.Site.File, Func: c.Site.Func}
	if !locksSeen && slices.Contains(lockActs, x.act) {
		return nil, "it depends on locks between processes, which are seen on Linux only"
	}
	levels := []func(stack) bool{
		func(st stack) bool { return st.at(c.Site) },
		func(st stack) bool { return st.at(function) && slices.ContainsFunc(c.Others, st.at) },
		func(st stack) bool { return st.at(function) },
	}
	for _, level := range levels[:x.reach+1] {
		for _, r := range s.trace.runs {
			for _, p := range r.processes {
				for _, anchor := range p.anchors(x, level) {
					a := plan{experiment: x, claim: c, run: r, test: anchor.top, anchor: anchor}
					a.episode = p.opened(anchor)
					if !x.fits(&a) {
						continue
					}
					if reason := s.cannot(&a); reason != "" {
						why = reason
						continue
					}
					a.rank = a.worth()
					list = append(list, a)
				}
			}
		}
		if len(list) > 0 {
			break
		}
	}
	slices.SortStableFunc(list, plan.better)
	spread(list)
	list = list[:min(len(list), attempts)]
	for i := range list {
		list[i].nth = list[i].occurrence()
	}
	return list, why
}

// anchors are the operations at which B could act, for those whose stacks are at the place.
func (p *process) anchors(x experiment, at func(stack) bool) []*op {
	var list []*op
	seen := map[*op]bool{nil: true}
	for _, o := range p.ops {
		if !at(o.stack) {
			continue
		}
		if anchor := x.anchor(p, o); !seen[anchor] {
			seen[anchor] = true
			list = append(list, anchor)
		}
	}
	return list
}

// at reports whether the stack goes through the site.
func (s stack) at(site Site) bool {
	return site.File != "" && slices.ContainsFunc(s, site.has)
}

// cannot completes a plan, or says why it cannot be carried out.
func (s *Session) cannot(a *plan) string {
	result := a.run.tests[a.test]
	switch {
	case a.test == "":
		return "it is reached outside of the tests only"
	case result == nil || result.outcome == "":
		return a.test + " does not end without another process"
	case result.outcome != "PASS":
		return a.test + " fails without another process"
	case !s.may(a.run.pkg, a.path()) || !s.may(a.run.pkg, a.anchor.path):
		return a.path() + " is neither in a temporary directory of the test nor in the module"
	}
	a.seconds = result.seconds
	site, ok := a.anchor.stack.site()
	if !ok {
		return "only tests do this"
	}
	a.site = site
	return ""
}

// occurrence counts the operations of the test, up to the anchor, that the recorder will count.
func (a *plan) occurrence() int {
	n := 0
	at := Site{File: a.site.File, Line: a.site.Line}
	for _, o := range a.run.ops() {
		if o.seq > a.anchor.seq || o.top != a.test || !o.stack.at(at) {
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
		case "remove", "reclaim":
			counts = o.kind == "remove"
		case "crossdir":
			counts = o.moves()
		case "dropped":
			counts = o.kind == "lock" && o.err == ""
		case "replace":
			counts = (o.kind == "rename" || o.kind == "link") && o.size < 0
		default:
			counts = o.kind == "open" && o.writes()
		}
		if counts {
			n++
		}
	}
	return max(n, 1)
}

// may reports whether B may change the file.
func (s *Session) may(pkg *testPackage, path string) bool {
	return slices.ContainsFunc(s.reach(pkg), func(dir string) bool {
		return strings.HasPrefix(path, dir+string(filepath.Separator))
	})
}

// reach are the directories in which B may act: that of the run, and for tests those of the modules.
func (s *Session) reach(pkg *testPackage) []string {
	if pkg.command != "" {
		return []string{s.work}
	}
	return append([]string{s.work}, s.modules...)
}

// limits are the lines of the configuration that say where B may act.
func (s *Session) limits(pkg *testPackage) (lines []string) {
	for _, dir := range s.reach(pkg) {
		lines = append(lines, "may\t"+dir)
	}
	return lines
}

// play carries out a plan.
func (s *Session) play(ctx context.Context, a plan, then func(*run)) (*run, error) {
	lines := s.limits(a.run.pkg)
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
	if a.act == "remove" && a.closed() {
		single = "1"
	}
	kind := a.act
	if kind == inProcess {
		kind = "shared" // B differs in who it is, not in what it does
	}
	lines = append(lines, fmt.Sprintf("play\t%s\t%d\t%d\t%s", kind, a.nth, half, single),
		fmt.Sprintf("site\t%s\t%d\t%d", a.site.File, a.site.Line, a.site.Line))
	if a.act == "update" {
		version, err := s.versionLine(a)
		if err != nil {
			return nil, err
		}
		lines = append(lines, version...)
	}
	return s.again(ctx, a, lines, then)
}

// again runs the test of a plan once more. What it leaves changed in the modules is put back.
func (s *Session) again(ctx context.Context, a plan, lines []string, then func(*run)) (*run, error) {
	files := s.keep(a.run, a.test)
	// A test that waits for B forever is one that B has kept from going on.
	limit := s.timeout(experimentTime) + time.Duration(10*a.seconds*float64(time.Second))
	r, err := s.run(ctx, a.run.pkg, a.binary(), order{lines: lines, test: a.test, timeout: limit, then: then})
	return r, errors.Join(err, files.restore(r))
}

// closed reports whether the program has closed the file that it removes.
func (a plan) closed() bool {
	closed := false
	for _, e := range a.anchor.process.episodes() {
		if e.open.seq < a.anchor.seq && e.open.path == a.anchor.path {
			closed = slices.ContainsFunc(e.ops, func(o *op) bool { return o.kind == "close" && o.seq < a.anchor.seq })
		}
	}
	return closed
}

// binary is the one whose readers tell what they return, if there is one.
func (a plan) binary() string { return cmp.Or(a.run.pkg.probed, a.run.pkg.binary) }

// other is a version that the program has written elsewhere, which what the save leaves without another process does not
// contain; none where there is none.
func (s *Session) other(a plan) *snapshot {
	var own *snapshot
	path := a.path()
	var others []*snapshot
	for _, v := range a.run.snapshots {
		if v.label != "version" || v.size <= 0 || filepath.Base(a.run.target(v)) != filepath.Base(path) {
			continue
		}
		if a.run.target(v) == path && own == nil && v.seq > a.anchor.seq {
			own = v
			continue
		}
		others = append(others, v)
	}
	for _, v := range slices.Backward(others) {
		if own == nil || !v.equal(own) && !bytes.Contains(own.content, v.content) {
			return v
		}
	}
	return nil
}

// target is the name under which readers find the file of a snapshot.
func (r *run) target(v *snapshot) string { return cmp.Or(r.renamed[v.path], v.path) }

// versionLine is the line of the configuration that names what B saves.
func (s *Session) versionLine(a plan) ([]string, error) {
	v := s.other(a)
	if v == nil {
		return nil, nil
	}
	return s.content("version", v.content)
}

// experimentTime is how long a test runs that plays B.
const experimentTime = 30 * time.Second

// content is the line that names a file with the content.
func (s *Session) content(key string, content []byte) ([]string, error) {
	name := filepath.Join(s.work, key)
	if err := os.WriteFile(name, content, 0o600); err != nil {
		return nil, err
	}
	return []string{key + "\t" + name}, nil
}

// A keeper puts files of the modules back.
type keeper struct {
	session *Session
	files   map[string]*kept
}

// kept is what a file held; nil for one that was not there.
type kept struct {
	content []byte
	mode    os.FileMode
}

// keep notes what the files of the modules hold that a test changes.
func (s *Session) keep(r *run, test string) keeper {
	k := keeper{s, map[string]*kept{}}
	for _, o := range r.ops() {
		if o.top == test {
			for _, path := range k.changes(o) {
				k.note(path)
			}
		}
	}
	return k
}

// changes are the files of modules that an operation can change.
func (k keeper) changes(o *op) (paths []string) {
	if o.kind == "open" && !o.writes() || o.kind == "stat" || o.kind == "lock" || o.kind == "unlock" {
		return nil
	}
	for _, path := range []string{o.path, o.to} {
		if k.session.inModules(path) {
			paths = append(paths, path)
		}
	}
	return paths
}

// note keeps what a file holds now, unless it is kept already.
func (k keeper) note(path string) {
	if _, ok := k.files[path]; ok {
		return
	}
	info, err := os.Lstat(path)
	switch {
	case os.IsNotExist(err):
		k.files[path] = nil
	case err == nil && info.Mode().IsRegular():
		if content, err := os.ReadFile(path); err == nil {
			k.files[path] = &kept{content, info.Mode().Perm()}
		}
	}
}

// restore puts the files back, and removes those that a run has created beside them; nil for no run.
func (k keeper) restore(r *run) error {
	var errs []error
	for path, was := range k.files {
		now, err := os.ReadFile(path)
		switch {
		case was == nil && err == nil:
			errs = append(errs, os.Remove(path))
		case was != nil && (err != nil || !bytes.Equal(now, was.content)):
			errs = append(errs, replaceFile(path, was.content), os.Chmod(path, was.mode))
		}
	}
	if r == nil {
		return errors.Join(errs...)
	}
	seen := map[string]bool{}
	for _, o := range r.ops() {
		_, known := k.files[o.path]
		if o.opens() && o.flag&os.O_CREATE != 0 && o.size < 0 && !known && !seen[o.path] && k.session.inModules(o.path) {
			os.Remove(o.path)
		}
		seen[o.path] = seen[o.path] || o.kind != "stat"
	}
	return errors.Join(errs...)
}

// inModules reports whether a file is one of the main modules, and none of a run.
func (s *Session) inModules(path string) bool {
	in := func(dir string) bool { return strings.HasPrefix(path, dir+string(filepath.Separator)) }
	return !in(s.work) && slices.ContainsFunc(s.modules, in)
}
