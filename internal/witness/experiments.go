package witness

import (
	"cmp"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
)

// An experiment is what the other process, B, does, and when.
type experiment struct {
	// name is that by which reports call it, act what the recorder calls it.
	name, act string
	// actor is who acts, and does what it does, for reports.
	actor, does string
	// anchor chooses the operation of A at which B acts from one at the site of a claim; nil where there is none.
	anchor func(*process, *op) *op
	// fits reports whether a loss can show where the anchor is.
	fits func(*plan) bool
	// judge says what the run shows.
	judge func(*judgement)
	// never says how the program leaves B no moment to act; empty where only a test can. Needs is what one would have
	// to do.
	never, needs string
	// reach is how far from the site of a claim the operation can be.
	reach reach
}

// inProcess is the act of sharing a temporary name where B is a goroutine of A's process.
const inProcess = "goroutine"

// A reach is where the operation can be that an experiment needs.
type reach int

const (
	atSite     reach = iota // in the statement of the claim
	inSchedule              // or in one of the other statements of the schedule, on behalf of the function
	inFunction              // or elsewhere in the function: what is deferred, the load whose error is ignored
)

// experiments are all that can be run.
var experiments = []experiment{
	{"full", "full", "the disk", "is full after half of the content",
		saves, overwrites, judgeFull, "", "writes the file there", atSite},
	{"reader", "reader", "process B", "reads the file before it is complete",
		saves, overwrites, judgeReader, "", "writes the file there", atSite},
	{"kill", "kill", "the system", "kills the process after half of the content",
		saves, overwrites, judgeKill, "", "writes the file there", atSite},
	{"shared", "shared", "process B", "writes half of its content to the same temporary file",
		saves, renamed, judgeShared, "", "renames the file that it writes there",
		atSite},
	{"shared", inProcess, "goroutine B", "writes half of its content to the same temporary file",
		saves, renamed, judgeShared, "", "renames the file that it writes there", atSite},
	{"powercut", "powercut", "the machine", "loses power, and what was not synced is gone",
		saves, written, judgePowercut, "", "writes the file there", atSite},
	{"update", "update", "process B", "saves the file between load and save",
		loads, savedNext, judgeUpdate, "", "loads the file there and saves it",
		inSchedule},
	{"lock", "truncated", "process B", "takes the lock of the truncated file and reads",
		saves, written, judgeLock, "the file is not truncated", "writes the file there", inSchedule},
	{"lock", "unlock", "process B", "takes the lock that is released, and reads",
		saves, written, judgeUnlock, "no lock is released while the file is open", "writes the file there", inFunction},
	{"lock", "remove", "process B", "takes the lock before its file is removed",
		removes, always, judgeRemove, "", "removes the lock file there", inSchedule},
	{"lock", "create", "process B", "creates the file just before",
		creates, claims, judgeCreate, "", "creates the file there", inSchedule},
	{"lock", "replace", "process B", "creates the file just before",
		publishes, claims, judgeCreate, "", "creates the file there", inSchedule},
	{"lock", "reclaim", "process B", "reclaims the stale file just before",
		removes, lookedAt, judgeReclaim, "", "removes a stale file there", inSchedule},
	{"torn", "torn", "another writer", "was stopped after half of the content",
		loads, savedLater, judgeTorn, "", "loads the file there and saves it afterwards", inFunction},
	{"crossdir", "crossdir", "the system", "has the temporary directory on another file system",
		moves, always, judgeUnsaved, "", "renames a file to another directory there", atSite},
	{"stuck", "stuck", "a writer", "that was killed has left its temporary file",
		saves, exclusive, judgeUnsaved, "", "creates a file there that it renames", atSite},
	{"dropped", "dropped", "process B", "takes the lock once the garbage collector has run",
		locks, always, judgeDropped, "the lock is held until the program gives it up", "takes the lock there", inFunction},
	{"append", "append", "process B", "appends a record between two writes of one",
		saves, appended, judgeAppend, "each record is one write", "appends to the file there", atSite},
}

// Known reports whether there is an experiment of the name.
func Known(act string) bool {
	return slices.ContainsFunc(experiments, func(x experiment) bool { return x.act == act })
}

// lockActs are the acts whose outcome depends on the locks between processes that a program takes.
var lockActs = []string{"reader", "shared", inProcess, "update", "truncated", "unlock", "remove", "reclaim", "dropped",
	"append"}

// locksSeen reports whether locks are seen on this system.
const locksSeen = runtime.GOOS == "linux"

// chosen are the experiments for a claim, in the order of the table.
func chosen(c Claim) []experiment {
	return slices.DeleteFunc(slices.Clone(experiments), func(x experiment) bool { return !slices.Contains(c.Acts, x.act) })
}

// saves is the opening of the file that is written.
func saves(p *process, o *op) *op {
	p.episodes()
	if o.episode == nil || !o.episode.open.writes() {
		return nil
	}
	return o.episode.open
}

// loads is the opening of the file to read it, or the miss of a file that is not there; for a save, that of the last
// load before, of the same goroutine.
func loads(p *process, o *op) *op {
	missed := func(l *op) bool { return l.size < 0 && l.err != "" }
	if o.kind == "open" && o.flag&os.O_TRUNC == 0 && (o.opens() && !o.writes() || missed(o)) {
		return o
	}
	save := p.opened(saves(p, o))
	if save == nil {
		return nil
	}
	for _, l := range slices.Backward(p.between(0, save.open.seq)) {
		if l.kind == "open" && l.flag&os.O_TRUNC == 0 && l.path == save.target() &&
			l.goroutine == save.open.goroutine && l.test == save.open.test && (missed(l) || p.opened(l).read() > 0) {
			return l
		}
	}
	return nil
}

// removes is the removal of a file; for the end of a lock, that of the lock file after it.
func removes(p *process, o *op) *op {
	if o.kind == "remove" { // also of what another holder has removed: the next run can have it the other way round
		return o
	}
	if o.kind != "unlock" && o.kind != "close" {
		return nil
	}
	later := p.between(o.seq, math.MaxInt)
	i := slices.IndexFunc(later, func(r *op) bool { return r.kind == "remove" && r.err == "" && r.path == o.path })
	if i < 0 {
		return nil
	}
	return later[i]
}

// creates is the opening that creates a file; for a look whether it is there, the one that follows.
func creates(p *process, o *op) *op {
	created := func(c *op) bool { return c.opens() && c.flag&os.O_CREATE != 0 && c.size < 0 }
	if created(o) {
		return o
	}
	if o.kind != "stat" && o.err == "" {
		return nil
	}
	later := p.between(o.seq, math.MaxInt)
	i := slices.IndexFunc(later, func(c *op) bool {
		return created(c) && c.path == o.path && c.goroutine == o.goroutine
	})
	if i < 0 {
		return nil
	}
	return later[i]
}

// publishes is the rename or the link by which a file appears that was not there before.
func publishes(p *process, o *op) *op {
	if o.kind == "link" && o.err == "" {
		return o
	}
	p.episodes()
	if e := o.episode; e != nil && len(e.renames) > 0 && e.renames[0].size < 0 {
		return e.renames[0]
	}
	return nil
}

// moves is the rename that takes a file to another directory.
func moves(p *process, o *op) *op {
	p.episodes()
	if e := o.episode; e != nil && len(e.renames) > 0 {
		o = e.renames[0]
	}
	if !o.moves() {
		return nil
	}
	return o
}

// moves reports whether a file is renamed to another directory.
func (o *op) moves() bool {
	return o.kind == "rename" && o.err == "" && filepath.Dir(o.path) != filepath.Dir(o.to)
}

// locks is the taking of a lock.
func locks(_ *process, o *op) *op {
	if o.kind != "lock" || o.err != "" {
		return nil
	}
	return o
}

// exclusive reports whether a temporary file must not be there before.
func exclusive(a *plan) bool { return renamed(a) && a.anchor.flag&os.O_EXCL != 0 }

func always(*plan) bool { return true }

// claims reports whether the file is a lock by being there.
func claims(a *plan) bool { return claimName(cmp.Or(a.anchor.to, a.anchor.path)) }

// lookedAt reports whether the file is read before it is removed.
func lookedAt(a *plan) bool {
	return slices.ContainsFunc(a.anchor.process.between(0, a.anchor.seq), func(o *op) bool {
		return o.kind == "read" && o.path == a.anchor.path && o.goroutine == a.anchor.goroutine
	})
}

func written(a *plan) bool {
	total, _ := a.episode.wrote()
	return total > 0
}

// overwrites reports whether enough is written that half of it is less.
func overwrites(a *plan) bool {
	total, _ := a.episode.wrote()
	return total > 1
}

func renamed(a *plan) bool { return a.episode != nil && len(a.episode.renames) > 0 }

func appended(a *plan) bool { return a.anchor.flag&os.O_APPEND != 0 && written(a) }

// savedLater reports whether the file holds something, and is saved later in the test.
func savedLater(a *plan) bool {
	return a.anchor.size > 0 && slices.ContainsFunc(a.anchor.process.episodes(), a.saved)
}

// saved reports whether the episode saves the file that the anchor loads.
func (a *plan) saved(e *episode) bool {
	if !e.open.writes() || e.open.flag&os.O_APPEND != 0 || e.last().seq <= a.anchor.seq || e.target() != a.anchor.path {
		return false
	}
	total, _ := e.wrote()
	return total > 0 && e.open.test == a.anchor.test
}

// savedNext reports whether the file is saved before it is loaded again, by a load or a save at the site.
func savedNext(a *plan) bool {
	for _, e := range a.anchor.process.episodes() {
		if a.saved(e) {
			return a.anchor.stack.at(a.claim.Site) || e.last().stack.at(a.claim.Site) || e.open.stack.at(a.claim.Site)
		}
		if e.open.seq <= a.anchor.seq || e.open.path != a.anchor.path || e.idle() {
			continue
		}
		if _, code := e.open.stack.site(); code {
			return false
		}
	}
	return false
}
