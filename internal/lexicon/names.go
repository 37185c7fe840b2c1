package lexicon

import (
	"slices"
	"strings"
)

// whole lists the verbs that need no object: Save and Load of a type speak of
// the value itself, Get and Set of some part of it.
var whole = map[string]bool{
	"save": true, "write": true, "store": true, "persist": true, "dump": true, "load": true, "read": true, "restore": true,
}

// ObjectOf strips the verb off a function's name: "SaveConfigLocked" and
// "loadConfig" both deal with "config".
func ObjectOf(name string, verbs []string) (string, bool) {
	lower := strings.ToLower(name)
	for _, v := range verbs {
		if rest, ok := strings.CutPrefix(lower, v); ok {
			for _, suffix := range []string{"unsafe", "locked", "tofile", "fromfile", "todisk", "fromdisk", "to", "from", "file", "s"} {
				rest = strings.TrimSuffix(rest, suffix)
			}
			return rest, rest != "" || whole[v]
		}
	}
	return "", false
}

// WithoutVerb is the name of a function without the verb of saving that it begins with:
// "DumpConfigFile" is about a "ConfigFile", and no dump.
func WithoutVerb(name string) string {
	if words := Words(name); len(words) > 1 && slices.Contains(SaveVerbs, words[0]) {
		return name[len(words[0]):]
	}
	return name
}

// acquireWords are the words of functions that make a claim.
var acquireWords = SetOf("acquire lock trylock claim reserve")

// Acquires reports whether a function is named as one that takes a lock or makes
// a claim.
func Acquires(name string) bool {
	w, _ := acquireWords.In(name)
	return w != "" && !Releases(name)
}

// Releases reports whether a function is named as one that gives a lock or claim
// up.
func Releases(name string) bool {
	w, _ := SetOf("release unlock free unclaim drop").In(name)
	return w != ""
}

// Taken reports whether the text of an error says that something is there
// already, or that another has it.
func Taken(texts []string) bool {
	return says(
		texts,
		"exists",
		"exist ",
		"already",
		"running",
		"locked",
		"held",
		"busy",
		"in use",
		"another",
		"taken",
		"claimed",
		"occupied",
		"owned",
		"conflict",
		"progress",
		"timeout",
		"timed out",
		"waiting",
		"duplicate",
		"file found",
		"errexist",
	)
}

// There reports whether the text of an error says that something is there
// already.
func There(texts []string) bool { return says(texts, "exist", "already", "duplicate") }

func says(texts []string, words ...string) bool {
	all := strings.ToLower(strings.Join(texts, "\n"))
	for _, absent := range []string{"not exist", "n't exist", "notexist", "not found", "not locked", "notlocked", "not held", "not running", "notrunning", "no longer", "n't running"} {
		all = strings.ReplaceAll(all, absent, "")
	}
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(all, w) })
}

// promising are words of the names of functions that put the whole content into a file or nothing.
var promising = SetOf("atomic atomically durable durably")

// Promises reports whether a function is named for atomic or durable writes.
func Promises(name string) bool {
	w, _ := promising.In(name)
	return w != ""
}

// Directories are the last words of the names of environment variables that name a directory:
// HOME, XDG_CONFIG_HOME, TMPDIR.
var Directories = SetOf("home dir pwd userprofile homepath appdata localappdata tmpdir tmp temp")
