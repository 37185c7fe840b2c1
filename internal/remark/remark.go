// Package remark tells what a comment on code that goes speaks of: of nothing but that, or also of
// what stays. It knows nothing of where the comment stands.
package remark

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lockvet/lockvet/internal/directive"
	"github.com/lockvet/lockvet/internal/pattern"
)

// A comment that stands right above code which goes, in it, or beside it, goes along if
// it speaks of nothing but that: it has words of the topic that the code was about, it
// is no longer than two lines, and none of its words makes it one to keep. It is kept, too,
// if it gives a reason for what the fixed code still does: who may read the file, and why. A word to
// another tool about the line goes with the line. Every other comment stays where it
// was: above what follows, or with a line to itself.

// A Topic is what code that goes was about, and the comments on it.
type Topic struct {
	words   *pattern.Pattern
	lasting *pattern.Pattern // words of comments that stay all the same
}

// The topics.
var (
	// Replacing are the steps of a replacement that is made by hand.
	Replacing = Topic{pattern.New(`(?i)\b(te?mp|temporary|renam(e[sd]?|ing)|clean(s|ed|ing)?[ -]?up|best[ -]effort|fsync(s|ed)?|(syncs?( the| it)?|written|flush(ed)?) to (the )?disk|durab(le|ly|ility)|CreateTemp|TempFile)\b`), lasting}
	// Locking is a lock that is taken and let go of.
	Locking = Topic{pattern.New(`(?i)\bf?(un)?lock(s|ed|ing)?\b|\bflock|\bexclusive`), lasting}
	// Closing is the call that closes a file, where one takes its place that also replaces another.
	Closing = Topic{pattern.New(`(?i)\bclos(e[sd]?|ing)\b`), unfinished}
	// Removing is the removal of a file.
	Removing = Topic{pattern.New(`(?i)\b(remov(e|es|ed|al|ing)|delet(e|es|ed|ing)|unlink(s|ed|ing)?|clean(s|ed|ing)?[ -]?up|tid(y|ies|ying))\b`), lasting}
)

var (
	// lasting are words of what a fixed function still is for, of work to be done, of
	// a place to read on.
	lasting = pattern.New(`(?i)\batomic|\btorn\b|\bcrash|\bpartial|\b(todo|fixme|hack|xxx|bug|note|see|because)\b|://|#\d|\blint:|nolint|#nosec`)
	// unfinished are words of work to be done, and for other tools.
	unfinished = pattern.New(`(?i)\b(todo|fixme|hack|xxx|bug)\b|://|#\d|\blint:|nolint|#nosec`)
	// gone are calls of a replacement by hand, as sources have them, and their order: what is said of
	// these goes with them.
	gone = pattern.New(`\bos\.(Rename|Remove|CreateTemp|Link)\b|\b(?i:before (the |we |it is )?renam(e|ing|ed))\b`)
	// wished asks for what a fix does, and for nothing else.
	wished = pattern.New(`(?i)\A//\s*(todo|fixme|xxx)\b[^.:;]*[:)]?\s*[^.:;]*\b(atomic(ally)?|write [+&] rename|write( to a temp(orary)? file)?,? (and|then) rename( it)?)\b[^.,:;]{0,12}\.?\z`)
	// steps begin a comment on a replacement by hand: they stand in its first sentence, behind its
	// number.
	steps = Topic{
		pattern.New(`(?i)\A(?://\s*)?(?:(?:step\s*)?\d+[.):]\s*)?(?:[^.]|\.\S)*\b(te?mp|temporary|renam(e[sd]?|ing)|CreateTemp|TempFile|staging file)\b`),
		unfinished,
	}
	// reason and remains are words of a comment that says why the file is as it is, however it comes to
	// be there.
	reason  = pattern.New(`(?i)\b(because|so that|since|otherwise|to avoid|in case)\b`)
	remains = pattern.New(`(?i)\b(0o?[0-7]{3}|mode|perm(ission)?s?|umask|chmod|owner(ship)?|readable|secrets?|tokens?|credentials?|passwords?|private|newline|indent(ed)?|sorted)\b`)
	// toTool begins a word to another tool about the line that it stands on.
	toTool = pattern.New(`^(//)?\s*(nolint|#nosec|lint:ignore)`)
)

// About reports of comments whether they go along with code that goes and was about the topics.
func About(topics ...Topic) func(comment string) bool {
	return func(comment string) bool {
		return toTool.MatchString(comment) || slices.ContainsFunc(topics, func(t Topic) bool { return t.covers(comment) })
	}
}

// Above is [About], for comments on code in whose place there is nothing: those of a language that is not
// read here go along, too. Where they stand says what they are about.
func Above(topics ...Topic) func(comment string) bool {
	about := About(topics...)
	return func(comment string) bool {
		return about(comment) || unread(comment) && strings.Count(strings.TrimSpace(comment), "\n") < 2 && !unfinished.MatchString(comment)
	}
}

// unread reports whether a comment is of a language whose words no topic has: most of its letters are not
// Latin.
func unread(comment string) bool {
	latin, others := 0, 0
	for _, r := range comment {
		switch {
		case unicode.Is(unicode.Latin, r):
			latin++
		case unicode.IsLetter(r):
			others++
		}
	}
	return others > latin
}

// Steps tells the comments on statements that replaced a file by hand, and that stay and do so at
// once: those that begin with how it was done, however long they are.
func Steps(comment string) bool {
	return toTool.MatchString(comment) || steps.In(comment) && !steps.lasting.MatchString(comment) && !reasons(comment)
}

// Untold are the lines of a comment on statements that replaced a file by hand, and that stay and
// do so at once, without the sentences that speak of nothing but the steps.
func Untold(lines []string) []string {
	if Steps(strings.Join(lines, "\n")) {
		_, left := Purpose(lines)
		return left
	}
	said, width, ok := directive.Prose(lines)
	if !ok {
		return lines
	}
	stays := sentence.ReplaceAllStringFunc(said, func(s string) string {
		if Replacing.In(s) && !Lasting(s) {
			return ""
		}
		return s
	})
	if stays == said || strings.TrimSpace(stays) == "" {
		return lines
	}
	return directive.Wrapped(stays, width)
}

// Purpose parts a comment of one sentence that says how a file is replaced by hand, and what must not become of it:
// the first, and the lines of what is as true of a fixed function. Both are empty for any other.
func Purpose(lines []string) (steps string, left []string) {
	said, width, ok := directive.Prose(lines)
	if !ok {
		return "", nil
	}
	at := against.FindStringIndex(said)
	if at == nil || len(sentence.FindAllString(said)) > 1 {
		return "", nil
	}
	steps, stays := said[:at[0]], said[at[1]:]
	if !Replacing.In(steps) || Replacing.In(stays) || !lost.MatchString(stays) {
		return "", nil
	}
	if strings.Contains(said[at[0]:at[1]], " so ") {
		stays = "replaced as a whole, so that " + stays
	}
	first, size := utf8.DecodeRuneInString(stays)
	return steps, directive.Wrapped(string(unicode.ToUpper(first))+stays[size:], width)
}

// against parts how a file is replaced from what that is to prevent, and lost has words of that.
var (
	against = pattern.New(`: |[,;]? so (?:that )?|[,;] | (?:—|–|-) `)
	lost    = pattern.New(`(?i)\b(half[- ]written|torn|truncated?|corrupt(s|ed)?|interrupt(s|ed)?|crash(es|ed)?|partial(ly)?)\b`)
)

// sentence is one that ends in a point, and what follows the last.
var sentence = pattern.New(`(?:[^.]|\.\S)+(?:\.\s+|\.?$)`)

// covers reports whether a comment speaks of nothing but the topic. One that names a call which goes
// may give reasons for that.
func (t Topic) covers(comment string) bool {
	lasting := t.lasting
	if gone.MatchString(comment) {
		lasting = unfinished
	}
	return strings.Count(strings.TrimSpace(comment), "\n") < 2 && t.In(comment) && !lasting.MatchString(comment) && !reasons(comment)
}

// Wished reports whether a comment, with its marks, asks for no more than that a file is replaced at once.
func Wished(comment string) bool { return wished.MatchString(comment) }

// Unclosed are the lines of a comment on a call that closes a file, where another takes its place: none
// of one that speaks of nothing but that.
func Unclosed(lines []string) []string {
	if Closing.covers(strings.Join(lines, "\n")) {
		return nil
	}
	return lines
}

// In reports whether a comment has words of the topic.
func (t Topic) In(comment string) bool { return t.words.MatchString(comment) }

// Lasting reports whether a comment is one to keep whatever it is about.
func Lasting(comment string) bool { return lasting.MatchString(comment) || reasons(comment) }

// reasons reports whether a comment says why the file is as it is.
func reasons(comment string) bool {
	return reason.MatchString(comment) && remains.MatchString(comment)
}
