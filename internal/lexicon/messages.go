package lexicon

import "github.com/lockvet/lockvet/internal/pattern"

// The words of comments and names that fixes go by.
var (
	// RemovesLock: a function removes its lock file.
	RemovesLock = pattern.New(`(?i)\b(remov|delet|unlink)(e|es|ing) (\w+ ){0,2}(lock|pid|marker) ?files?\b`)
	// Rehearsal is the name of what asks for a run that changes nothing.
	Rehearsal = pattern.New(`(?i)dry_?run|what_?if|no_?op|preview|simulate|pretend|check_?only`)
	// LettingGo is the name of a function that gives something up.
	LettingGo = pattern.New(`(?i)(close|unlock|release|remove|done|cancel|stop)\w*$`)
	// Telling is the end of a name that says which file it is.
	Telling = pattern.New(`^[.\w-]*\w\w$`)
)
