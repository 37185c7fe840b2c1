package pathexpr

import (
	"path"
	"slices"
	"strings"
)

// Words of files that one process makes to keep others out, and of functions
// that make them.
var (
	claimWords   = setOf("lock lck lockfile pid pidfile claim lease reservation cid cidfile semaphore mutex singleton")
	acquireWords = setOf("acquire lock trylock claim reserve")
)

// dependencies are lock files of another kind: they pin versions.
var dependencies = setOf("package chart gemfile yarn cargo composer poetry flake deps dependency modules gopkg requirement version terraform")

// Claim is the sentence about the name that says that a file is a lock, a pid
// file or another claim, empty where none does. ident is the path as the source
// spells it.
func Claim(p *Term, ident string) string {
	if p == nil {
		return ""
	}
	last := p.Last()
	for _, c := range Constants(last) {
		ext := strings.TrimPrefix(path.Ext(c), ".")
		if claimWords[ext] && !pins(c) {
			return "the file is named " + quote(around(c, p))
		}
	}
	for _, n := range append(append(Names(last), Constants(last)...), ident, asked(last)) {
		if w, _ := firstOf([]string{n}, claimWords); w != "" && !pins(n) {
			return "the path is named " + quote(around(n, p))
		}
	}
	return ""
}

// asked is the name of the flag in which the user gives the path.
func asked(p *Term) (flag string) {
	p.Any(func(t *Term) bool {
		if t.Kind == Input {
			flag = t.Text
		}
		return flag != ""
	})
	return flag
}

func pins(name string) bool {
	return slices.ContainsFunc(Words(name), func(w string) bool { return dependencies[w] || dependencies[strings.TrimSuffix(w, "s")] })
}

// Acquires reports whether a function is named as one that takes a lock or makes
// a claim.
func Acquires(name string) bool {
	w, _ := firstOf([]string{name}, acquireWords)
	return w != "" && !Releases(name)
}

// Releases reports whether a function is named as one that gives a lock or claim
// up.
func Releases(name string) bool {
	w, _ := firstOf([]string{name}, setOf("release unlock free unclaim drop"))
	return w != ""
}

// Ends reports whether a function is named as one that ends what runs.
func Ends(name string) bool {
	w, _ := firstOf([]string{name}, setOf("close stop shutdown exit quit terminate"))
	return w != ""
}

// Taken reports whether the text of an error says that something is there
// already, or that another has it.
func Taken(texts []string) bool {
	return says(texts, "exists", "exist ", "already", "running", "locked", "held", "busy", "in use", "another", "taken", "claimed", "occupied",
		"owned", "conflict", "progress", "timeout", "timed out", "waiting", "duplicate", "file found", "errexist")
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

// Named reports whether the last part of a path says which of many files of a
// directory it is.
func Named(p *Term) bool {
	return p.Kind == Join && p.Last().Any(func(t *Term) bool {
		switch t.Kind {
		case Param, Elem, Unknown:
			return true
		case Field:
			return t.Type != ""
		}
		return false
	})
}

// makeWords are the verbs of functions that make something new.
var makeWords = setOf("new create make add allocate reserve register claim acquire")

// Makes reports whether a function is named as one that makes something new.
func Makes(name string) bool {
	words := Words(name)
	return len(words) > 0 && makeWords[words[0]]
}

// nameWords are the words of functions that look for a name of their own.
var nameWords = setOf("temp tmp unique free next available unused alloc allocate reserve pick")

// Chooses reports whether a function is named as one that finds a name which
// nobody else has.
func Chooses(name string) bool {
	w, _ := firstOf([]string{name}, nameWords)
	return w != ""
}

// storeWords are the verbs of functions that add to a store.
var storeWords = setOf("put store add save create register insert import reserve allocate")

// Stores reports whether a function is named as one that adds something to a
// store.
func Stores(name string) bool {
	words := Words(name)
	return len(words) > 0 && storeWords[words[0]]
}
