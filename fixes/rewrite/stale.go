package rewrite

import (
	"strings"

	"github.com/lockvet/lockvet/internal/pattern"
)

var (
	// byHand are words of what a file was replaced, locked and removed by.
	byHand = pattern.New(
		`(?i)\b(te?mp|temporary|renam(e[sd]?|ing)|best[ -]effort|fsync(s|ed)?|(syncs?( the| it)?|written|flush(ed)?) to (the )?disk` +
			`|durab(le|ly|ility)|CreateTemp|TempFile|f?(un)?lock(s|ed|ing)?|flock|exclusive(ly)?` +
			`|remov(e|es|ed|al|ing)|delet(e|es|ed|ing)|unlink(s|ed|ing)?|clean(s|ed|ing)?[ -]?up|tid(y|ies|ying))\b`,
	)
	// byName are names of what goes as code writes them: the reason that is given with one is that of the fixed code.
	byName = pattern.New(`\.tmp\b|\bos\.(Rename|CreateTemp|Remove)\b|\bioutil\.TempFile\b`)
	// lasting are words of what the fixed code still is for, and of a reason.
	lasting = pattern.New(`(?i)\batomic|\btorn\b|\bcrash|\bpartial` +
		`|\b(because|so that|since|otherwise|to avoid|in case|0o?[0-7]{3}|mode|perm(ission)?s?)\b`)
	// elsewhere are words of work to be done, and of a place to read on.
	elsewhere = pattern.New(`(?i)://|#\d|\blint:|\b(todo|fixme|hack|xxx|bug|note|see)\b`)
	// toTool begins a word to another tool about the line that it stands on.
	toTool = pattern.New(`^(//)?\s*(nolint|#nosec|lint:ignore)`)
)

// Stale reports whether a comment on code that goes speaks of nothing that stays: of how a file was replaced,
// locked or removed by hand, in two lines at most, without a reason or by the names that go, or to a tool about the
// line.
func Stale(comment string) bool {
	if toTool.MatchString(comment) {
		return true
	}
	return strings.Count(strings.TrimSpace(comment), "\n") < 2 && !elsewhere.MatchString(comment) &&
		(byName.MatchString(comment) || byHand.MatchString(comment) && !lasting.MatchString(comment))
}
