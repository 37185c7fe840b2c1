package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/analyse"
	"github.com/lockvet/lockvet/internal/flow"
)

// A GaveUp is a question about a package that its analysis did not answer.
type GaveUp struct {
	Package  string `json:"package"`
	Question string `json:"question"`
	// Func is the function that it was about, empty where it was about none.
	Func string `json:"func"`
	// Steps are those that the analysis of the package had taken by then.
	Steps int `json:"steps"`
	// Bound is what ended the analysis: "steps", "rounds" or "size". A larger -budget
	// has more steps, and moves no other bound.
	Bound string `json:"bound"`
}

// String is what was given up as a sentence.
func (g GaveUp) String() string {
	in := ""
	if g.Func != "" {
		in = " in " + g.Func
	}
	return fmt.Sprintf("package %s: gave up on %s%s after %s; findings there may be missing", g.Package, g.Question, in, Plural(g.Steps, "step"))
}

func describeGaveUp(all []analyse.GaveUp) []GaveUp {
	var list []GaveUp
	for _, g := range all {
		list = append(list, GaveUp{g.Package, g.Question, g.Func, g.Steps, string(g.Bound)})
	}
	return list
}

// fewGaveUp is how many functions of a package are named that met one bound.
const fewGaveUp = 3

// bounds say of each bound what it ended, and whether -budget moves it.
var bounds = []struct {
	by           flow.Bound
	ended, moves string
}{
	{flow.Steps, "the steps ended in ", "a larger -budget helps"},
	{flow.Rounds, "functions that call each other had no answer after the most rounds: ", "-budget does not help"},
	{flow.Size, "there is more to follow than is followed in ", "-budget does not help"},
}

// GaveUpLines says for people what was given up: a line for each package, which says
// what bounds the analysis met, in which functions, and whether -budget moves them.
func (d *Document) GaveUpLines() []string {
	var lines []string
	for start := 0; start < len(d.GaveUp); {
		end := start
		for end < len(d.GaveUp) && d.GaveUp[end].Package == d.GaveUp[start].Package {
			end++
		}
		lines = append(lines, fmt.Sprintf("package %s: findings may be missing: %s",
			d.GaveUp[start].Package, boundsMet(d.GaveUp[start:end])))
		start = end
	}
	return lines
}

// boundsMet are the bounds that the analysis of a package met, as a part of a sentence.
func boundsMet(all []GaveUp) string {
	var met []string
	for _, b := range bounds {
		var funcs []string
		is := false
		for _, g := range all {
			is = is || g.Bound == string(b.by)
			if g.Bound == string(b.by) && g.Func != "" && !slices.Contains(funcs, g.Func) {
				funcs = append(funcs, g.Func)
			}
		}
		if is {
			met = append(met, fmt.Sprintf("%s%s (%s)", b.ended, cmp.Or(few(funcs), "the package"), b.moves))
		}
	}
	return strings.Join(met, "; ")
}

// few names the first of a list, and counts the others.
func few(names []string) string {
	more := len(names) - fewGaveUp
	if more <= 0 {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %s", strings.Join(names[:fewGaveUp], ", "), Plural(more, "other"))
}
