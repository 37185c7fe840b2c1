package pathexpr

import (
	"path"
	"slices"
	"strings"

	"github.com/lockvet/lockvet/internal/lexicon"
)

// claimWords are the words of files that one process makes to keep others out.
var claimWords = lexicon.SetOf("lock lck lockfile pid pidfile claim lease reservation cid cidfile semaphore mutex singleton")

// dependencies are lock files of another kind: they pin versions.
var dependencies = lexicon.SetOf("package chart gemfile yarn cargo composer poetry flake deps dependency modules " +
	"gopkg requirement version terraform")

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
		if w, _ := claimWords.In(n); w != "" && !pins(n) {
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
	return slices.ContainsFunc(
		lexicon.Words(name),
		func(w string) bool { return dependencies[w] || dependencies[strings.TrimSuffix(w, "s")] },
	)
}
