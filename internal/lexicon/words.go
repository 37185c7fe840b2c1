// Package lexicon has the words that say something of a file, a function or a type, in
// lists that are rules. A word is matched as a whole word of a whole name.
package lexicon

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lockvet/lockvet/internal/verdict"
)

// Words splits an identifier or a file name into lower-case words: at case
// changes, digits and punctuation.
func Words(s string) []string {
	var words []string
	begin := -1 // of the word
	flush := func(end int) {
		if begin >= 0 {
			words, begin = append(words, strings.ToLower(s[begin:end])), -1
		}
	}
	var before rune
	for i, r := range s {
		switch {
		case !unicode.IsLetter(r):
			flush(i)
		case unicode.IsUpper(r) && (unicode.IsLower(before) || unicode.IsUpper(before) && lowerAt(s[i+utf8.RuneLen(r):])):
			flush(i)
			begin = i
		case begin < 0:
			begin = i
		}
		before = r
	}
	flush(len(s))
	return words
}

// lowerAt reports whether a text begins with a lower-case letter.
func lowerAt(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLower(r)
}

// A Set is a set of words.
type Set map[string]bool

// SetOf is the set of the words of texts, which are separated by spaces.
func SetOf(texts ...string) Set {
	set := Set{}
	for _, l := range texts {
		for w := range strings.FieldsSeq(l) {
			set[w] = true
		}
	}
	return set
}

// Has reports whether the set has a word as it is, or without an ending that says that it is
// a path, a file or many.
func (s Set) Has(w string) bool {
	return s[w] || s[strings.TrimSuffix(w, "s")] || s[strings.TrimSuffix(w, "path")] || s[strings.TrimSuffix(w, "file")]
}

// In is the first word of names that the set has, and the name it stands in.
func (s Set) In(names ...string) (word, name string) {
	for _, n := range names {
		for _, w := range Words(n) {
			if s.Has(w) {
				return w, n
			}
		}
	}
	return "", ""
}

// A List is words that say the same, as a rule.
type List struct {
	*verdict.Rule
	Words Set
}

// list declares a list of words.
func list(r verdict.Rule, words ...string) *List {
	return &List{verdict.Declare(r), SetOf(words...)}
}

// First is the first word of names that one of the lists has, and that list; the name it
// stands in. Lists that ask refuses are left out.
func First(lists []*List, ask func(*verdict.Rule) bool, names ...string) (l *List, word, name string) {
	for _, n := range names {
		for _, w := range Words(n) {
			if i := slices.IndexFunc(lists, func(l *List) bool { return l.Words.Has(w) && ask(l.Rule) }); i >= 0 {
				return lists[i], w, n
			}
		}
	}
	return nil, "", ""
}
