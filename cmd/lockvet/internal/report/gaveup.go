package report

import (
	"fmt"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/analyse"
)

// A GaveUp is a question about a package that its analysis did not answer.
type GaveUp struct {
	Package  string `json:"package"`
	Question string `json:"question"`
	// Func is the function that it was about, empty where it was about none.
	Func string `json:"func"`
	// Steps are those that the analysis of the package had taken by then.
	Steps int `json:"steps"`
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
		list = append(list, GaveUp{g.Package, g.Question, g.Func, g.Steps})
	}
	return list
}

// fewGaveUp is how many questions of one package are told one by one.
const fewGaveUp = 10

// GaveUpLines says for people what was given up, a line for each question; the
// questions of a package beyond the first few are counted.
func (d *Document) GaveUpLines() []string {
	var lines []string
	for start := 0; start < len(d.GaveUp); {
		end := start
		for end < len(d.GaveUp) && d.GaveUp[end].Package == d.GaveUp[start].Package {
			if end-start < fewGaveUp {
				lines = append(lines, d.GaveUp[end].String())
			}
			end++
		}
		if more := end - start - fewGaveUp; more > 0 {
			lines = append(lines, fmt.Sprintf("package %s: and %d more", d.GaveUp[start].Package, more))
		}
		start = end
	}
	return lines
}
