package directive

import (
	"slices"
	"strings"

	"github.com/lockvet/lockvet/internal/pattern"
)

// nosec begins a word to gosec about the line that it stands on, nolint one to the linters that it
// lists, and ofFiles is a rule of gosec on how a file is made and named, to which no call of another
// function is held.
var (
	nosec   = pattern.New(`^//\s*#nosec\b`)
	nolint  = pattern.New(`^(//\s*nolint:\s*)([\w-]+(?:,\s*[\w-]+)*)(\s.*)?$`)
	rule    = pattern.New(`\bG\d{3}\b`)
	ofFiles = pattern.New(`\bG30[12467]\b`)
)

// Unasked reports whether a comment tells gosec to be silent on a call that makes a file: where
// another function is called, gosec has nothing to say. What is left of the comment is what it tells
// other linters, or says of the file itself; empty for nothing.
func Unasked(comment string) (left string, ok bool) {
	if rule.MatchString(ofFiles.ReplaceAllString(comment, "")) {
		return "", false
	}
	if nosec.MatchString(comment) {
		return reason(comment), true
	}
	m := nolint.FindStringSubmatch(comment)
	if m == nil {
		return "", false
	}
	linters := strings.FieldsFunc(m[2], func(r rune) bool { return r == ',' || r == ' ' || r == '\t' })
	i := slices.Index(linters, "gosec")
	switch {
	case i < 0:
		return "", false
	case len(linters) == 1:
		return reason(comment), true
	case ofFiles.MatchString(m[3]):
		m[3] = "" // it is of gosec
	}
	by := ","
	if strings.Contains(m[2], ", ") {
		by = ", "
	}
	return m[1] + strings.Join(slices.Delete(linters, i, i+1), by) + m[3], true
}

// reason is what a comment to gosec says of the file itself, as a comment; empty for nothing.
func reason(comment string) string {
	if m := must.FindStringSubmatch(comment); m != nil {
		return "// " + m[1]
	}
	return ""
}

// must is the end of a comment to gosec that says what the file has to be.
var must = pattern.New(`(?:--|// G\d{3}:)\s*(\S.*\b(?:must|needs?|required?|because|since)\b.*)$`)
