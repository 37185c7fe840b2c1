package lexicon

import (
	"slices"
	"strings"

	"github.com/lockvet/lockvet/internal/pattern"
)

// A Prefix is a list of beginnings of names, in lower case.
type Prefix []string

// Of reports whether a name begins with one of them, in upper or lower case. What follows
// may be the rest of a word.
func (p Prefix) Of(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc(p, func(w string) bool { return strings.HasPrefix(name, w) })
}

// Probes are the beginnings of the names of functions that ask whether another has a lock.
var Probes = Prefix{"is", "has", "can", "probe"}

// AsksForLock reports whether a function is named as one that asks only whether another has
// a lock: IsRunning, CanStart, DatabaseLocked.
func AsksForLock(name string) bool {
	return Probes.Of(name) || strings.HasSuffix(strings.ToLower(name), "locked")
}

// Early are the beginnings of the names of functions that run before an object is shared.
var Early = Prefix{"init", "new", "open", "setup", "provision", "restore", "unmarshal", "configure", "create", "make", "build"}

// HasLock reports whether a function says by its name that its caller has the lock.
func HasLock(name string) bool {
	return strings.HasSuffix(name, "Locked") || strings.HasSuffix(name, "Unsafe")
}

// LockOnEntry are words of a comment that promises a lock on entry, or that there is but
// one caller.
var LockOnEntry = func() *pattern.Pattern {
	const lock = `\b(lock|mutex|mu|\w+(mu|mutex|lock|mtx))\b`
	const held = `\b(held|holds?|holding|(called|runs?|invoked) (under|with))\b`
	return pattern.New(`(?is)` + lock + `[^.]*` + held + `|` + held + `[^.]*` + lock + `|\+checklocks|\bbefore\b[^.]*\b(starts?|started|running|shared)\b|not (be )?(safe for|thread|goroutine)|concurren`)
}()

// GuardedBy are words of the comment of a field or variable that names its lock:
// "guarded by mu", "+checklocks:mu".
var GuardedBy = pattern.New(`(?i)(?:guarded|protected)[ _]by[ :(]*(?:\w+\.)?(\w+)|\+checklocks:(?:\w+\.)?(\w+)`)

// Guards and Following are words of the comment of a lock that says what it is for: "protects
// the fields below", "guards jobs and timers".
var (
	Guards    = pattern.New(`(?is)\b(?:protect|guard|synchroni[sz]e)s?\b:?([^.]*)`)
	Following = pattern.New(`(?i)\b(?:below|following)\b`)
)

// Owners are parts of the names of functions that ask for the holder of a file, and not for
// its age.
var Owners = pattern.New(`(?i)alive|running|process|signal|kill|pid|dead|owner`)

// savingVerbs are the verbs of functions that save something.
var savingVerbs = SetOf("save persist store flush sync")

// Saves reports whether a function is named as one that saves something.
func Saves(name string) bool {
	words := Words(name)
	return len(words) > 0 && savingVerbs[words[0]]
}

// noLock are words with "lock" in them that say nothing of a lock which is taken.
var noLock = SetOf("block blocks clock clocks unlock unlocked")

// Contains reports whether a word of a name is the given one, or that and another: "filelock",
// "lockpath".
func Contains(name, word string) bool {
	return slices.ContainsFunc(Words(name), func(w string) bool {
		return !noLock[w] && (strings.HasPrefix(w, word) || strings.HasSuffix(w, word))
	})
}

// CloseOnExec are the functions that may mark a descriptor so that programs which are started
// do not get it.
var CloseOnExec = map[string]bool{"CloseOnExec": true, "FcntlInt": true, "Syscall": true, "RawSyscall": true}

// Mentions reports whether a text has a word in it, as a whole or as a part of another one.
func Mentions(text, word string) bool { return strings.Contains(strings.ToLower(text), word) }
