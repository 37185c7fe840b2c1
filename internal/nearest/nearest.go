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

// Name is the name that is spelled most like one that was given, empty where more than a
// third of it would have to change.
func Name(given string, names []string) string {
	best, least := "", max(1, len(given)/3)+1
	for _, name := range names {
		if d := levenshtein.ComputeDistance(strings.ToLower(given), strings.ToLower(name)); d < least {
			best, least = name, d
		}
	}
	return best
}
