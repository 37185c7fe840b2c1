package pattern

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Path compiles a pattern of names of files, with slashes: * and ? stand for letters of one element,
// [a-z] and [^a-z] for one letter, {a,b} for a or b, ** as an element for any number of elements, and a
// backslash for the character behind it. The pattern matches a directory's files, too. Matching takes
// time in proportion to the lengths of the pattern and the name, since package regexp never backtracks.
func Path(text string) (*regexp.Regexp, error) {
	var re strings.Builder
	braces, start := 0, true // start: an element begins here
	for rest := text; rest != ""; {
		part, expr := rest[:1], ""
		switch c := rest[0]; {
		case start && strings.HasPrefix(rest, "**/"):
			part, expr = rest[:3], `(?:.*/)?`
		case start && rest == "**":
			part, expr = rest, `.*`
		case c == '*':
			expr = `[^/]*`
		case c == '?':
			expr = `[^/]`
		case c == '[':
			part, expr = class(rest)
		case c == '{':
			braces, expr = braces+1, `(?:`
		case c == ',' && braces > 0:
			expr = `|`
		case c == '}' && braces > 0:
			braces, expr = braces-1, `)`
		default:
			part, expr = literal(rest)
		}
		if expr == "" {
			return nil, fmt.Errorf("%s is not a pattern: nothing ends %q", text, part)
		}
		start = strings.HasSuffix(part, "/") || expr == `(?:` || expr == `|`
		rest = rest[len(part):]
		re.WriteString(expr)
	}
	if braces > 0 {
		return nil, fmt.Errorf("%s is not a pattern: there is no } for a {", text)
	}
	compiled, err := regexp.Compile(`(?s)\A(?:` + re.String() + `)(?:/.*)?\z`)
	if err != nil {
		return nil, fmt.Errorf("%s is not a pattern: %w", text, err)
	}
	return compiled, nil
}

// class is the set of letters that a pattern begins with, and its expression; that is empty where the
// set does not end.
func class(rest string) (part, expr string) {
	body, negated := strings.TrimLeft(rest[1:], "^!"), ""
	if len(body) < len(rest)-1 {
		negated = "^/"
	}
	end := strings.IndexByte(body, ']')
	if end < 1 {
		return rest, ""
	}
	quoted := strings.NewReplacer(`\`, ``, `[`, `\[`, `^`, `\^`, `/`, ``).Replace(body[:end])
	return rest[:len(rest)-len(body)+end+1], "[" + negated + quoted + "]"
}

// literal is the letter that a pattern begins with, and its expression; that is empty for a backslash
// with nothing behind it.
func literal(rest string) (part, expr string) {
	quote := 0
	if rest[0] == '\\' {
		quote = 1
	}
	_, size := utf8.DecodeRuneInString(rest[quote:])
	return rest[:quote+size], regexp.QuoteMeta(rest[quote : quote+size])
}
