package directive

import "strings"

// Prose is the text of a comment of lines that are sentences, and how wide it is: false for any other.
func Prose(lines []string) (text string, width int, ok bool) {
	var words []string
	for _, line := range lines {
		text, prose := strings.CutPrefix(line, "// ")
		if !prose || strings.HasPrefix(text, " ") {
			return "", 0, false
		}
		words, width = append(words, strings.Fields(text)...), max(width, len(line))
	}
	return strings.Join(words, " "), width, true
}

// Wrapped are the lines of a comment as wide as given.
func Wrapped(text string, width int) []string {
	list := []string{"//"}
	for _, word := range strings.Fields(text) {
		if last := len(list) - 1; list[last] == "//" || len(list[last])+1+len(word) <= width {
			list[last] += " " + word
		} else {
			list = append(list, "// "+word)
		}
	}
	return list
}
