package witness

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Verdict is what the execution of a claim has shown.
type Verdict string

// The verdicts.
const (
	// Proven: the schedule was executed, and the file has lost what the claim says.
	Proven Verdict = "proven"
	// Refuted: the place was reached, the other process tried, and nothing was lost.
	Refuted Verdict = "refuted"
	// Unreached: no test that passes comes there.
	Unreached Verdict = "unreached"
)

// A Proof is what became of a claim.
type Proof struct {
	Claim   Claim
	Verdict Verdict
	// Package and Test are those that reach the place, and At is where the test calls the program; empty where no
	// test does.
	Package, Test string
	At            Frame
	// Experiment is the one that decided, Act the act of the claim that it executes, Actor who acts, and Does what it
	// does.
	Experiment, Act, Actor, Does string
	// Site is where the other process acts.
	Site Frame
	// File is the file at stake, as the test had it. Before and After are what it held: before A came to the place,
	// and once both had acted.
	File          string
	Before, After Content
	// Reader is what the program's own reader returns for what the file holds after.
	Reader Reader
	// Says is the proof in a sentence: what happened, what prevented the loss, or what a test would have to call.
	Says string
	// Tried are the experiments that were run before, and what each has shown.
	Tried []Tried
}

// Tried is an experiment that did not decide.
type Tried struct{ Experiment, Says string }

// Content is what a file held.
type Content struct {
	// Exists says that there was a file.
	Exists bool
	Size   int64
	// Excerpt is the beginning, as text; as hexadecimal digits where it is none.
	Excerpt string
}

// String says how much the file held.
func (c Content) String() string {
	switch {
	case !c.Exists:
		return "nothing"
	case c.Size == 1:
		return "1 byte"
	}
	return fmt.Sprintf("%d bytes", c.Size)
}

// Reader is a function of the program that reads the file.
type Reader struct {
	// Func is its name; empty where the test reads nothing, and where no reader returns an error.
	Func string
	// Site is where it opens the file.
	Site Frame
	// Error is what it returned, empty for no error.
	Error string
}

// excerpt is the beginning of a content.
const excerpt = 80

// contentOf is what reports say of a snapshot.
func contentOf(s *snapshot) Content {
	if !s.exists() {
		return Content{}
	}
	text := s.content[:min(len(s.content), excerpt)]
	if bytes.IndexByte(text, 0) >= 0 {
		return Content{true, s.size, fmt.Sprintf("% x", text[:min(len(text), 16)])}
	}
	return Content{true, s.size, strings.ToValidUTF8(string(text), "")}
}

// A judgement is a run in which B was to act, under examination.
type judgement struct {
	plan          plan
	run           *run
	disk          *snapshot // what the file holds when the processes are gone
	before, after *snapshot
	verdict       Verdict
	says          string
}

func (j *judgement) proven(after *snapshot, format string, args ...any) {
	j.verdict, j.after, j.says = Proven, after, fmt.Sprintf(format, args...)
}

func (j *judgement) refuted(format string, args ...any) {
	j.verdict, j.says = Refuted, fmt.Sprintf(format, args...)
}

func (j *judgement) unreached(format string, args ...any) {
	j.verdict, j.says = Unreached, fmt.Sprintf(format, args...)
}

// name is the file at stake, as reports name it.
func (j *judgement) name() string { return filepath.Base(j.before.path) }

// change says what the file held before, and what it holds now.
func (j *judgement) change(now *snapshot) string {
	if !j.before.exists() {
		return fmt.Sprintf("did not exist before, and holds %s now", contentOf(now))
	}
	return fmt.Sprintf("held %s before and %s now", contentOf(j.before), contentOf(now))
}

// judge says what the run shows.
func judge(a plan, r *run, disk *snapshot) *judgement {
	j := &judgement{plan: a, run: r, disk: disk, before: r.snapshot("before", 0)}
	if j.before == nil {
		j.unreached("%s does not come to %s when it runs alone", a.test, a.site)
		return j
	}
	a.judge(j)
	if j.after == nil {
		j.after = cmp.Or(r.snapshot("end", 0), r.snapshot("after", 0), disk, j.before)
	}
	return j
}

// acted is what B did. Where it did nothing, the claim is refuted by what prevented it, if the program did; nothing is
// known where the test did not come as far.
func (j *judgement) acted() (note, bool) {
	if n, ok := j.run.note("acted"); ok {
		return n, true
	}
	n, ok := j.run.note("kept", "refused", "synced", "alone", "failed")
	switch {
	case !ok && j.plan.never != "":
		j.refuted("%s", j.plan.never)
	case !ok:
		j.unreached("%s comes to %s, and leaves another process no moment to act", j.plan.test, j.plan.site)
	case n.what == "kept":
		j.kept(n)
	case n.what == "synced":
		j.refuted("the content is synced before it is renamed")
	case n.what == "alone":
		j.unreached("no test has another goroutine or process ask for %s while it is given up", filepath.Base(n.path))
	case n.what == "failed":
		j.unreached("the other process cannot write %s: %s", filepath.Base(n.path), n.detail)
	default:
		j.refuted("the other process cannot open %s: %s", filepath.Base(n.path), n.detail)
	}
	return note{}, false
}

// kept judges a run in which a lock has kept the other process out. A file that is a lock by being there is one only if
// it is removed at some time.
func (j *judgement) kept(n note) {
	name := filepath.Base(n.path)
	var taken *op
	removed := false
	for _, o := range j.run.ops() {
		switch {
		case o.err != "":
		case o.seq < n.seq && o.lock() == n.path && (o.kind == "lock" || taken == nil || taken.kind != "lock"):
			taken = o
		case o.seq > n.seq && o.kind == "remove" && o.path == n.path:
			removed = true
		}
	}
	if taken != nil && taken.kind != "lock" && !removed {
		j.unreached("%s, which is made and never removed, can be a lock against the other process", name)
		return
	}
	how := ""
	if taken != nil {
		if site, ok := taken.stack.site(); ok {
			how = fmt.Sprintf(", taken at %s,", site)
		}
	}
	j.refuted("the lock %s%s keeps the other process out", name, how)
}

// next is what the file is found to hold first, by a reader or in the end, once seq is over.
func (j *judgement) next(seq int) *snapshot {
	i := slices.IndexFunc(j.run.snapshots, func(s *snapshot) bool {
		return s.seq > seq && (s.label == "read" || s.label == "end")
	})
	if i >= 0 {
		return j.run.snapshots[i]
	}
	return j.disk
}

// complete is what the file holds once A has saved it after seq; what it holds in the end where that was before.
func (j *judgement) complete(seq int) *snapshot {
	after := cmp.Or(j.run.snapshot("after", seq), j.run.snapshot("end", seq), j.disk)
	if after == nil {
		j.unreached("what %s holds afterwards cannot be seen: its directory is gone", j.name())
	}
	return after
}

// judgeFull: the file holds the part that was written, and the program has not put back what it held.
func judgeFull(j *judgement) {
	n, ok := j.acted()
	if !ok {
		return
	}
	after := j.next(n.seq)
	if s := j.run.snapshot("after", n.seq); after == nil || !after.exists() && s.exists() && j.disk == nil {
		after = s
	}
	j.half(n, after, "the disk was full")
}

// judgeKill: the same, for a process that cannot put anything back.
func judgeKill(j *judgement) {
	n, ok := j.acted()
	if !ok {
		return
	}
	j.half(n, j.run.snapshot("end", n.seq), "the process was killed")
}

// half judges a content of which only the first part was written.
func (j *judgement) half(n note, after *snapshot, what string) {
	part, whole := number(first(n.detail)), number(last(n.detail))
	switch {
	case after == nil:
		j.unreached("what %s holds afterwards cannot be seen: its directory is gone", j.name())
	case after.equal(j.before):
		how := "nothing that was there before is touched"
		if n.path != j.before.path {
			how = "the content goes to a temporary file first"
		}
		j.after = after
		j.refuted("%s after %d of %d bytes, and %s still holds what it held: %s", what, part, whole, j.name(), how)
	case !after.exists():
		j.proven(after, "%s at %s after %d of %d bytes, and %s is gone", what, j.plan.site, part, whole, j.name())
	case after.size == int64(part):
		j.proven(after, "%s at %s after %d of %d bytes; %s %s", what, j.plan.site, part, whole,
			j.name(), j.change(after))
	case !j.before.exists():
		j.after = after
		j.refuted("%s after %d of %d bytes, and %s was not created", what, part, whole, j.name())
	default:
		j.after = after
		j.refuted("%s after %d of %d bytes, and the program has restored %s", what, part, whole, j.name())
	}
}

func first(s string) string { s, _, _ = strings.Cut(s, " "); return s }

func last(s string) string { return s[strings.LastIndexByte(s, ' ')+1:] }

// judgeReader: somebody who reads gets neither the old nor the new content.
func judgeReader(j *judgement) {
	if _, ok := j.acted(); !ok {
		return
	}
	complete := j.complete(0)
	if complete == nil {
		return
	}
	for _, s := range j.run.snapshots {
		if s.label != "seen" || s.equal(j.before) || s.equal(complete) {
			continue
		}
		if lock := j.readersLock(); lock != "" {
			j.refuted("the readers of %s wait for the lock %s", j.name(), filepath.Base(lock))
			return
		}
		j.proven(s, "a process that reads %s while %s writes it gets %s; it %s",
			j.name(), j.plan.site, contentOf(s), j.change(complete))
		return
	}
	j.refuted("a reader of %s gets what it held before, or all that it holds afterwards", j.name())
}

// readersLock is a lock that the writer holds and all readers of the program take; empty for none.
func (j *judgement) readersLock() string {
	a := j.plan
	if a.episode == nil || len(a.episode.ops) == 0 {
		return ""
	}
	for _, lock := range a.anchor.process.locksAt(a.episode.ops[0]) {
		readers, locked := 0, 0
		for _, o := range a.run.ops() {
			if o.kind != "read" || o.path != a.path() || o.test != a.anchor.test {
				continue
			}
			readers++
			if slices.ContainsFunc(o.process.locksAt(o), func(l *op) bool { return l.lock() == lock.lock() }) {
				locked++
			}
		}
		if readers > 0 && readers == locked {
			return lock.lock()
		}
	}
	return ""
}

// judgeShared: what A has renamed is what B had written.
func judgeShared(j *judgement) {
	opened := j.opened()
	other := "process"
	if j.plan.act == inProcess {
		other = "goroutine"
	}
	if opened != nil && j.temporary(opened) != j.temporary(j.plan.anchor) &&
		filepath.Base(j.before.path) == filepath.Base(j.plan.path()) {
		j.refuted("each %s has a temporary name of its own: %s, %s", other, filepath.Base(j.plan.anchor.path),
			filepath.Base(opened.path))
		return
	}
	n, ok := j.acted()
	if !ok {
		return
	}
	after := j.complete(n.seq)
	if after == nil {
		return
	}
	if !after.exists() || after.size != int64(number(first(n.detail))) || after.equal(j.before) {
		j.after = after
		j.refuted("the other process has written to %s, and %s is whole", filepath.Base(n.path), j.name())
		return
	}
	j.proven(after, "another %s had opened %s as well when %s renamed it; %s holds %s of %s bytes", other,
		filepath.Base(n.path), shortName(j.plan.site.Func), j.name(), contentOf(after), last(n.detail))
}

// temporary is the name that a temporary file has for all that share it: goroutines have the number of their process in
// common.
func (j *judgement) temporary(o *op) string {
	name := filepath.Base(o.path)
	if pid, _, _ := strings.Cut(o.process.id, "-"); j.plan.act == inProcess {
		name = strings.ReplaceAll(name, pid, "PID")
	}
	return name
}

// opened is the operation of the run by which A came to the site; nil where it is not recorded.
func (j *judgement) opened() *op {
	at := Site{File: j.plan.site.File, Line: j.plan.site.Line}
	n := 0
	for _, o := range j.run.ops() {
		if o.opens() && o.writes() && o.stack.at(at) {
			if n++; n == j.plan.nth {
				return o
			}
		}
	}
	return nil
}

// judgePowercut: what is left is neither the old nor the new content.
func judgePowercut(j *judgement) {
	n, ok := j.acted()
	if !ok {
		return
	}
	complete, after := j.run.snapshot("new", 0), j.run.snapshot("after", n.seq)
	if after.equal(complete) || after.equal(j.before) {
		j.refuted("%s holds the old content or the new", j.name())
		return
	}
	site := j.plan.site
	if e := j.plan.episode; e != nil && len(e.renames) > 0 {
		site, _ = e.renames[0].stack.site()
	}
	j.proven(after, "the power failed after %s, where nothing had synced the %s of %s; it %s",
		site, contentOf(complete), j.name(), j.change(after))
}

// judgeUnsaved: the save fails, and so does each after it.
func judgeUnsaved(j *judgement) {
	n, ok := j.acted()
	if !ok {
		return
	}
	if saved := j.run.snapshot("after", n.seq); saved.exists() {
		j.after = saved
		j.refuted("%s is saved all the same", j.name())
		return
	}
	after := j.complete(n.seq)
	if after == nil {
		return
	}
	why := fmt.Sprintf("%s cannot be renamed to %s, which is on another file system", filepath.Base(n.path), j.name())
	if j.plan.act == "stuck" {
		why = fmt.Sprintf("a writer that was killed has left %s", filepath.Base(n.path))
	}
	holds := "still holds what it held"
	if !after.exists() {
		holds = "is not there"
	}
	j.proven(after, "%s: the save at %s fails, and %s %s", why, j.plan.site, j.name(), holds)
}

// judgeDropped: the lock can be had while A counts on it.
func judgeDropped(j *judgement) {
	if _, ok := j.acted(); !ok {
		return
	}
	j.proven(j.before, "%s takes the lock %s and keeps nothing that holds it: another process has it once the garbage "+
		"collector has run", j.plan.site, j.name())
}

// judgeUpdate: A saves what it has made of the content before B's, and has not looked again.
func judgeUpdate(j *judgement) {
	n, ok := j.acted()
	if !ok {
		return
	}
	theirs, after := j.run.snapshot("theirs", 0), j.run.snapshot("after", n.seq)
	if after == nil {
		j.refuted("the program does not save %s once another process has", j.name())
		return
	}
	for _, s := range j.run.snapshots {
		if s.label == "read" && s.seq > n.seq && s.seq < after.seq {
			j.refuted("%s is read again before it is saved", j.name())
			return
		}
	}
	if bytes.Contains(after.content, theirs.content) {
		j.refuted("%s holds what the other process has saved", j.name())
		return
	}
	j.proven(after, "another process saved %s to %s between load and save; the save at %s replaced them unread",
		contentOf(theirs), j.name(), siteOf(after, j.plan))
}

// siteOf is where a snapshot was taken, as reports name it.
func siteOf(s *snapshot, a plan) string {
	if f, ok := s.stack.site(); ok {
		return f.String()
	}
	return shortName(a.site.Func)
}

// judgeLock: the lock of a file that A has truncated, and locks only now, can be had, and the file is not whole.
func judgeLock(j *judgement) {
	if _, ok := j.acted(); ok && j.locks() {
		j.underLock("was truncated before it was locked")
	}
}

// judgeUnlock: the lock can be had before the file is whole.
func judgeUnlock(j *judgement) {
	if !j.locks() {
		return
	}
	if _, ok := j.acted(); ok {
		j.underLock("was unlocked before it was complete")
	}
}

// locks reports whether the run takes a lock at all: otherwise, it says nothing of when.
func (j *judgement) locks() bool {
	if slices.ContainsFunc(j.run.ops(), func(o *op) bool { return o.kind == "lock" && o.err == "" }) {
		return true
	}
	j.unreached("%s takes no lock for %s", j.plan.test, j.name())
	return false
}

// underLock compares what B has read under the lock with what the file holds in the end.
func (j *judgement) underLock(what string) {
	seen := j.run.snapshot("seen", 0)
	complete := j.complete(seen.seq)
	if complete == nil {
		return
	}
	if seen.equal(complete) || j.plan.act == "truncated" && seen.equal(j.before) {
		j.refuted("a process that takes the lock of %s finds it whole", j.name())
		return
	}
	j.proven(seen, "%s %s at %s: a process that takes the lock then reads %s of %s", j.name(), what, j.plan.site,
		contentOf(seen), contentOf(complete))
}

// judgeRemove: the lock file that B holds is gone, and the next process makes a new one.
func judgeRemove(j *judgement) {
	n, ok := j.acted()
	if !ok {
		return
	}
	if _, removed := j.run.note("removed"); !removed {
		j.refuted("%s is not removed while the other process has it", j.name())
		return
	}
	j.proven(&snapshot{size: -1}, "another process had %s %s when %s removed it: the next one creates a new file, and "+
		"both hold the lock", n.detail, j.name(), j.plan.site)
}

// judgeReclaim: what A removes is no longer the stale file that it has looked at.
func judgeReclaim(j *judgement) {
	if _, ok := j.acted(); !ok {
		return
	}
	if _, removed := j.run.note("removed"); !removed {
		j.refuted("%s is not removed once another process has reclaimed it", j.name())
		return
	}
	j.proven(&snapshot{size: -1}, "another process had reclaimed %s when %s removed it: its claim is gone",
		j.name(), j.plan.site)
}

// judgeCreate: A takes the claim although B has it.
func judgeCreate(j *judgement) {
	n, ok := j.acted()
	if !ok {
		return
	}
	i := slices.IndexFunc(j.run.ops(), func(o *op) bool {
		return o.seq > n.seq && (o.kind == "open" && o.path == n.path && o.flag&os.O_CREATE != 0 || o.to == n.path)
	})
	if i < 0 {
		j.refuted("the program does not create %s once another process has", j.name())
		return
	}
	if o := j.run.ops()[i]; o.err != "" {
		j.refuted("%s is not created a second time: %s", j.name(), o.err)
		return
	}
	after := j.complete(n.seq)
	if after == nil {
		return
	}
	j.proven(after, "another process had created %s when %s created it: both hold the claim", j.name(), j.plan.site)
}

// judgeTorn: the save after the failed load replaces what was left, and nothing keeps a copy.
func judgeTorn(j *judgement) {
	n, ok := j.acted()
	if !ok {
		return
	}
	theirs := j.run.snapshot("theirs", n.seq)
	after := j.run.snapshot("after", n.seq)
	switch copied := j.copied(n, theirs.size); {
	case after == nil && copied == "":
		j.unsaved(n)
	case copied != "":
		j.after = after
		j.refuted("what %s held is kept as %s", j.name(), filepath.Base(copied))
	case after.equal(theirs):
		j.refuted("%s holds what it held", j.name())
	case bytes.Contains(after.content, theirs.content):
		j.after = after
		j.unreached("%s saves to %s what was there before, too: nothing shows", j.plan.test, j.name())
	default:
		j.proven(after, "%s held half of a content, %s; %s loads it, and the save at %s leaves %s without it",
			j.name(), contentOf(theirs), j.plan.site, siteOf(after, j.plan), contentOf(after))
	}
}

// unsaved judges a run in which nothing is saved once the load has failed: because every function on the way to the
// test has returned an error, or because the test does not go on.
func (j *judgement) unsaved(n note) {
	var outer *answer
	for _, f := range j.plan.anchor.stack {
		i := slices.IndexFunc(j.run.answers, func(a *answer) bool { return a.seq > n.seq && a.fn == f.Func })
		if i < 0 {
			continue
		}
		if outer = j.run.answers[i]; outer.error == "" {
			j.unreached("%s ignores that %s cannot be loaded, and %s ends before it saves the file", shortName(outer.fn),
				j.name(), j.plan.test)
			return
		}
	}
	if outer == nil {
		j.unreached("%s ends before it saves %s, whose load has failed", j.plan.test, j.name())
		return
	}
	j.refuted("%s returns the error of the load (%s), and nothing is saved", shortName(outer.fn), outer.error)
}

// copied is a file to which what B left was renamed, linked or copied; empty where there is none.
func (j *judgement) copied(n note, size int64) string {
	for _, o := range j.run.ops() {
		switch {
		case o.seq < n.seq || o.err != "":
		case (o.kind == "rename" || o.kind == "link") && o.path == n.path:
			return o.to
		case o.kind == "close" && o.n == size && size > 0 && o.path != n.path:
			return o.path
		}
	}
	return ""
}

// judgeAppend: B's record stands within one of A's.
func judgeAppend(j *judgement) {
	n, ok := j.acted()
	if !ok {
		return
	}
	after := j.complete(n.seq)
	if after == nil {
		return
	}
	i := bytes.LastIndex(after.content, []byte(n.detail))
	switch {
	case i < 0:
		j.refuted("the record of the other process is not in %s", j.name())
	case i == 0 || after.content[i-1] == '\n':
		j.after = after
		j.refuted("each write is a record of its own")
	default:
		j.proven(after, "another process appended to %s between two writes of one record at %s: its record is in the "+
			"middle of that", j.name(), j.plan.site)
	}
}
