package lexicon

import (
	"slices"
	"strings"

	"github.com/lockvet/lockvet/internal/pattern"
)

// Begins reports whether the first word of a name is in the set, or the first two together:
// "setUp". The rest of a longer word does not count: "newest" does not begin with "new".
func (s Set) Begins(name string) bool {
	words := Words(name)
	return len(words) > 0 && s[words[0]] || len(words) > 1 && s[words[0]+words[1]]
}

// Probes are the first words of functions that ask whether another has a lock.
var Probes = SetOf("is has can probe")

// AsksForLock reports whether a function is named as one that asks only whether another has
// a lock: IsRunning, CanStart, DatabaseLocked. Only functions that take locks are asked: elsewhere
// a last word "locked" promises that callers hold the lock, see [CallersLock].
func AsksForLock(name string) bool {
	words := Words(name)
	return Probes.Begins(name) || len(words) > 0 && words[len(words)-1] == "locked"
}

// Early are the first words of functions that run before an object is shared.
var Early = SetOf("init initialize initialise new open setup provision restore unmarshal configure create make build")

// lockOnEntry are words of a comment that promises a lock on entry.
var lockOnEntry = func() *pattern.Pattern {
	const lock = `\b(lock|mutex|mut?|\w+(mut?|mutex|lock|mtx))\b`
	const held = `\b(held|holds?|holding|(called|runs?|invoked) (under|with))\b`
	return pattern.New(`(?is)` + lock + `[^.]*` + held + `|` + held + `[^.]*` + lock + `|\+checklocks`)
}()

// oneCaller are words of a comment that promises that there is but one caller.
var oneCaller = func() *pattern.Pattern {
	const none = `\b(no|not|non|never|without|nobody|avoids?|prevents?|unsafe)\b|n't\b`
	return pattern.New(
		`(?is)\bbefore\b[^.]*\b(starts?|started|running|shared)\b|not (be )?(safe for|thread|goroutine)|(` + none + `)[^.]*concurren|concurren[^.]*(` + none + `)`,
	)
}()

// SaysAlone reports whether a function says by its name or comment that one goroutine at a time
// calls it, with a lock or without.
func SaysAlone(name, comment string) bool {
	return strings.HasSuffix(name, "Unsafe") || oneCaller.MatchString(comment)
}

// heldByOthers is what a comment says of a lock that another has.
var heldByOthers = pattern.New(`(?i)\bheld\s+by\s+(an)?(others?|someone|somebody|anyone|else)\b`)

// promiseTexts are texts of which a comment has one that promises something about locks or callers.
var promiseTexts = []string{"held", "hold", "called ", "run", "invoked ", "+checklocks", "before", "not ", "concurren"}

// SaysLock reports whether a comment promises a lock on entry, or that there is but one caller.
func SaysLock(text string) bool {
	lower := strings.ToLower(text)
	has := func(word string) bool { return strings.Contains(lower, word) }
	if !slices.ContainsFunc(promiseTexts, has) {
		return false // as most do not
	}
	if has("held") {
		for m := heldByOthers.FindStringSubmatch(text); m != nil; m = heldByOthers.FindStringSubmatch(text) {
			text = strings.ReplaceAll(text, m[0], "")
		}
	}
	return lockOnEntry.MatchString(text) || oneCaller.MatchString(text)
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

// LockFile are the words of the path of a lock file.
var LockFile = SetOf("lock lck flock filelock")

// NamesLockFile reports whether names are those of a lock file, or of what has one: "lockPath",
// "work.lck".
func NamesLockFile(names string) bool {
	word, _ := LockFile.In(names)
	return word != "" || Contains(names, "lock")
}

// PidFile are the words of the path of a file that says which process runs.
var PidFile = SetOf("pid pidlock")

// Starts are the first words of functions by which the work of an object begins, Concludes of
// those by which it ends.
var (
	Starts    = SetOf("start run serve listen load bootstrap prepare")
	Concludes = SetOf("close stop shutdown finish finalize commit destroy release cleanup teardown wait exit end done flush")
)

// CalledBack are the methods by which std asks an object for something.
var CalledBack = map[string]bool{
	"MarshalJSON": true, "MarshalText": true, "MarshalYAML": true, "MarshalBinary": true, "GobEncode": true,
	"String": true, "GoString": true, "Error": true, "Format": true, "Len": true, "Less": true, "Swap": true, "Push": true, "Pop": true,
}

// Fills are the methods by which std fills an object, as a rule before others have it.
var Fills = map[string]bool{"UnmarshalJSON": true, "UnmarshalText": true, "UnmarshalYAML": true, "UnmarshalBinary": true, "GobDecode": true}
