package directive

import "github.com/lockvet/lockvet/internal/pattern"

// gosec begins a word to gosec alone about the line that it stands on, and ofFiles is a rule of it
// on how a file is made and named, to which no call of another function is held.
var (
	gosec   = pattern.New(`^//\s*(nolint:\s*gosec(\s|$)|#nosec\b)`)
	rule    = pattern.New(`\bG\d{3}\b`)
	ofFiles = pattern.New(`\bG30[12467]\b`)
)

// Unasked reports whether a comment tells gosec, and no other tool, to be silent on a call that
// makes a file: where another function is called, it has nothing to say.
func Unasked(comment string) bool {
	return gosec.MatchString(comment) && !rule.MatchString(ofFiles.ReplaceAllString(comment, ""))
}

// Reason is what a comment to gosec says of the file itself, as a comment; empty for nothing.
func Reason(comment string) string {
	if m := must.FindStringSubmatch(comment); m != nil {
		return "// " + m[1]
	}
	return ""
}

// must is the end of a comment to gosec that says what the file has to be.
var must = pattern.New(`(?:--|// G\d{3}:)\s*(\S.*\b(?:must|needs?|required?|because|since)\b.*)$`)
