package stalesnapshot

import "github.com/lockvet/lockvet/internal/verdict"

func rule(effect verdict.Effect, id, fixture, why, source string) *verdict.Rule {
	return verdict.Declare(verdict.Rule{ID: Name + "/" + id, Effect: effect, Why: why, Source: source, Fixture: "stalesnapshot/" + fixture})
}

// What shows that an older state can be written last.
var (
	changedHere = rule(verdict.For, "changed-here", "encoded",
		"the function changes the state under the lock before it copies it",
		"principle")
	changedAbove = rule(verdict.For, "changed-above", "copied",
		"a function that calls this one changes the state under the lock",
		"principle")
	calledToSave = rule(verdict.For, "called-to-save", "copied",
		"the function is named for saving: others change the state under the lock and then call it",
		"stores whose users call Save")
	several = rule(verdict.For, "several", "encoded",
		"more than one goroutine can be between the copy and the write",
		"principle")
)

// What says that none can.
var (
	unchanged = rule(verdict.Forbids, "unchanged", "quiet",
		"only the constructor changes the state under the lock: there is no older state, so -without does not switch this off",
		"principle")
	unrelated = rule(verdict.Against, "unrelated", "quiet",
		"the state changes in other functions, and nothing shows that they call this one afterwards",
		"principle")
	spanned = rule(verdict.Against, "second-mutex", "quiet",
		"another mutex, which is not in an object that was passed in, is held from the copy to the write: it orders the saves",
		"stores with a mutex for the state and one for the file")
	locked = rule(verdict.Against, "locked", "quiet",
		"a lock between processes for the file is held from the copy to the write",
		"flock(2)")
	callersMutex = rule(verdict.Against, "callers-mutex", "quiet",
		"every caller of the function holds another mutex",
		"stores with a mutex for the state and one for the file")
	callersLocked = rule(verdict.Against, "callers-locked", "quiet",
		"every caller of the function holds a lock between processes",
		"flock(2)")
	ordered = rule(verdict.Against, "versions", "quiet",
		"the number of a change is compared with another on the way to the write: an older state is not written then",
		"stores that count their changes")
	setUp = rule(verdict.Against, "set-up", "quiet",
		"the names of all callers say that the function runs only while the object is made or shut down: nothing else uses it",
		"constructors and shutdowns")
	oneGoroutine = rule(verdict.Against, "one-goroutine", "quiet",
		"one goroutine alone saves: a loop, a timer, or main",
		"daemons that save in a loop")
	alias = rule(verdict.Against, "alias", "quiet",
		"the value that is read under the lock is no copy: the state at the time of the write is written",
		"principle")
	deferred = rule(verdict.Against, "deferred", "quiet",
		"a deferred call writes: which locks are held then depends on the order of all deferred calls",
		"principle: an effect that cannot be resolved ends the reasoning")
	far = rule(verdict.Against, "far", "quiet",
		"the write is more than a few calls deep: those functions have a purpose of their own",
		"principle")
	callersFile = rule(verdict.Against, "given-file", "quiet",
		"the file is a parameter: each call may write another one",
		"exports of a state to any file")
	newName = rule(verdict.Against, "new-name", "quiet",
		"the name is new each time, or has the number of the process: no two saves write the same file",
		"snapshots that are kept one beside the other")
	chosen = rule(verdict.Against, "chosen", "quiet",
		"the user names the file for this run",
		"arguments of commands")
	anyFile = rule(verdict.Against, "any-file", "quiet",
		"the file may be one of several, or is not known: two saves may write two files",
		"principle: an effect that cannot be resolved ends the reasoning")
)

// The rule by which one report stands for several, and those that make a warning of a report.
var (
	sameCause = rule(verdict.Against, "same-cause", "elsewhere",
		"the function saves the same copy at an earlier place, too, which is reported",
		"principle: one cause, one report")
	elsewhere = rule(verdict.Lowers, "elsewhere", "elsewhere",
		"a function of another package encodes and writes it: which part of what it is given reaches the file is not followed there",
		"false reports on respawn-llc/kent, where it goes to another file; principle: a weaker evidence is a lower severity")
	callersOnly = rule(verdict.Lowers, "callers", "callers",
		"no goroutine and no request handler of the package leads to the save: only its callers know whether two come at a time",
		"true reports that their authors would not merge: 1024XEngineer/neo-code, JRpersonal/streborn, and false ones in micro/mu; wanted: FootprintAI/Containarium, where goroutines save; principle: a weaker evidence is a lower severity")
)
