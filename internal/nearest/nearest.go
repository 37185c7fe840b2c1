// Package nearest says which name was meant where one is given that does not exist.
package nearest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Of returns the name if it is one of the names. If not, the error says so in terms of
// what the names are of ("format", "check"), and which of them is spelled most like it,
// or all of them where none is.
func Of(what, name string, names []string) (string, error) {
	if slices.Contains(names, name) {
		return name, nil
	}
	if meant := Name(name, names); meant != "" {
		return "", fmt.Errorf("there is no %s %q; did you mean %q?", what, name, meant)
	}
	return "", fmt.Errorf("there is no %s %q; there are: %s", what, name, strings.Join(names, ", "))
}

// Name is the name that one that was given begins, or else that is spelled most like it:
// empty where more than a third of it would have to change.
func Name(given string, names []string) string {
	if name := completed(given, names); name != "" {
		return name
	}
	best, least := "", max(1, len(given)/3)+1
	for _, name := range names {
		if d := distance(strings.ToLower(given), strings.ToLower(name)); d < least {
			best, least = name, d
		}
	}
	return best
}

// distance counts the letters to change, add or remove. Two that stand the wrong way
// around are one slip.
func distance(given, name string) int {
	least := levenshtein.ComputeDistance(given, name)
	for i := range len(given) - 1 {
		if swapped := given[:i] + given[i+1:i+2] + given[i:i+1] + given[i+2:]; swapped != given {
			least = min(least, 1+levenshtein.ComputeDistance(swapped, name))
		}
	}
	return least
}

// completed is the one name that begins with what was given, if that has a few letters.
func completed(given string, names []string) string {
	const few = 3
	found := ""
	for _, name := range names {
		if len(given) < few || !strings.HasPrefix(name, given) {
			continue
		}
		if found != "" {
			return ""
		}
		found = name
	}
	return found
}
