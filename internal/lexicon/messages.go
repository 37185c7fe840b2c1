package lexicon

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lockvet/lockvet/internal/pattern"
)

// The words of messages and comments that fixes go by: what somebody says of an error that is
// returned, and of a temporary or lock file.
var (
	// Encodes: something could not be encoded. Its second group is the end of the verb.
	Encodes = pattern.New(`(?i)\b(encod|marshal|serializ|serialis)(e|ing)\b`)
	// Opening: a file could not be opened.
	Opening = pattern.New(`\b(?:open|create|opening|creating)\b`)
	// Writing: something could not be written.
	Writing = pattern.New(`(?i)\b(writ(e|ing)|sav(e|ing))\b`)
	// EncodingFirst: it could not be encoded for that.
	EncodingFirst = pattern.New(`(?i)\b(encod|marshal|serializ|serialis|convert|compress)\w*\b.*\b(writ|sav)(e|ing)\b`)
	// Renaming: a file could not be renamed. Its groups are the first letter and the end of the verb.
	Renaming = pattern.New(`\b([Rr])enam(e|ing)\b`)
	// Unfinished: a file was not written to its end. Its second group is the end of the verb.
	Unfinished = pattern.New(`(?i)\b(writ|clos|copy|encod|finaliz|flush)(?:e|(ing))?\b`)
	// RemovesLock: a function removes its lock file.
	RemovesLock = pattern.New(`(?i)\b(remov|delet|unlink)(e|es|ing) (\w+ ){0,2}(lock|pid|marker) ?files?\b`)
	// RemovesBesides is the end of a sentence that says so after something else; its group "end" stays.
	RemovesBesides = pattern.New(`(?i),? and (remov|delet|unlink)(e|es|ing)\b[^.,;]*\bfile(?P<end>\.$|\.\s)`)
	// SharesTemp: several use one temporary file.
	SharesTemp = pattern.New(`(?i)\b(shared|same|common|fixed)\s+(tmp|temp|temporary)\s+(file|name|path)`)
)

// The words of names that fixes go by.
var (
	// NotFound is the name of an error that says that there is no file, also one of a program.
	NotFound = pattern.New(`(?i)^err(or)?_?(not?_?(exist|found|such)|missing)`)
	// Rehearsal is the name of what asks for a run that changes nothing.
	Rehearsal = pattern.New(`(?i)dry_?run|what_?if|no_?op|preview|simulate|pretend|check_?only`)
	// LettingGo is the name of a function that gives something up.
	LettingGo = pattern.New(`(?i)(close|unlock|release|remove|done|cancel|stop)\w*$`)
	// FileName is the name of a file, with or without an extension.
	FileName = pattern.New(`^\.?[\w-]+(\.[\w-]+)*$`)
	// Telling is the end of a name that says which file it is.
	Telling = pattern.New(`^[.\w-]*\w\w$`)
	// OfPaths are the words in names of paths that say nothing of the file.
	OfPaths = SetOf("path file filename name get full abs the my fn home")
)

// step is the word in the name of an error that says what failed: errClose, writeErr.
var step = pattern.New(`^(?:clos|writ|copy|encod|flush)e?|(?:Clos|Writ|Copy|Encod|Flush)e?$`)

// ForSync is the name of an error of a step in writing a file, for the same of a sync.
func ForSync(name string) string {
	return step.ReplaceAllStringFunc(name, func(word string) string {
		if word[0] < 'a' {
			return "Sync"
		}
		return "sync"
	})
}

// Phrase puts a verb into the form in which another message begins.
func Phrase(like, does string) string {
	for _, prefix := range []string{"failed to ", "Failed to ", "could not ", "Could not ", "cannot ", "can't ", "unable to ", "Unable to "} {
		if strings.HasPrefix(like, prefix) {
			return prefix + does
		}
	}
	first, rest, _ := strings.Cut(like, " ")
	second, _, _ := strings.Cut(rest, " ")
	if strings.EqualFold(first, "error") && strings.HasSuffix(second, "ing") {
		return first + " " + gerund(does)
	}
	if strings.HasSuffix(first, "ing") {
		does = gerund(does)
	}
	if r, size := utf8.DecodeRuneInString(first); unicode.IsUpper(r) && strings.ToLower(first[size:]) == first[size:] {
		return strings.ToUpper(does[:1]) + does[1:]
	}
	return does
}

func gerund(verb string) string { return strings.TrimSuffix(verb, "e") + "ing" }
