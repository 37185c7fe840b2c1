// Package truth has what the execution of schedules has shown of public programs, and the tables that sum it up.
package truth

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Results are those of programs, by their names.
type Results map[string]*Result

// A Result is what was executed of one program.
type Result struct {
	// Source is the module and version, or the repository and commit.
	Source string
	// Tests counts those that ran, LeftOut the tests and packages from which nothing was learned.
	Tests, LeftOut int
	// Took is the time of the analysis, the build and all runs.
	Took string
	// Losses counts the places at which tests have shown a loss, reported or not, by category.
	Losses map[string]int
	// Findings are those that can be executed, Seen the losses that no finding reports.
	Findings []Finding
	Seen     []Seen
}

// A Finding is one, with what became of it.
type Finding struct{ Category, Severity, File, Func, Verdict, Says string }

// Seen is a loss that no finding reports, and why.
type Seen struct{ Category, File, Func, Why string }

// Of reads the document of lockvet prove.
func Of(text []byte) (*Result, error) {
	type pos struct{ File string }
	var doc struct {
		Findings []struct {
			Category, Severity, Func string
			Pos                      pos
			Proof                    *struct{ Verdict, Says string }
		}
		Seen []struct {
			Category, Func, Why string
			Pos                 pos
		}
		Run *struct {
			Tests   int
			LeftOut []any
			Losses  map[string]int
		}
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil, err
	}
	if doc.Run == nil {
		return nil, errors.New("nothing was run")
	}
	r := &Result{Tests: doc.Run.Tests, LeftOut: len(doc.Run.LeftOut), Losses: doc.Run.Losses}
	for _, f := range doc.Findings {
		if f.Proof != nil {
			r.Findings = append(r.Findings, Finding{f.Category, f.Severity, f.Pos.File, f.Func, f.Proof.Verdict, f.Proof.Says})
		}
	}
	for _, s := range doc.Seen {
		r.Seen = append(r.Seen, Seen{s.Category, s.Pos.File, s.Func, s.Why})
	}
	return r, nil
}

// Programs are the names of the programs, sorted.
func (r Results) Programs() []string { return slices.Sorted(maps.Keys(r)) }

// A Count is how many findings of a kind there are, by what became of them.
type Count struct {
	Name                       string
	Proven, Refuted, Unreached int
}

func (c *Count) add(verdict string) {
	switch verdict {
	case "proven":
		c.Proven++
	case "refuted":
		c.Refuted++
	default:
		c.Unreached++
	}
}

// ByCheck counts the findings of each check, and all of them at the end.
func (r Results) ByCheck() []Count {
	counts := map[string]*Count{}
	all := Count{Name: "all"}
	for _, name := range r.Programs() {
		for _, f := range r[name].Findings {
			check, _, _ := strings.Cut(f.Category, "/")
			if counts[check] == nil {
				counts[check] = &Count{Name: check}
			}
			counts[check].add(f.Verdict)
			all.add(f.Verdict)
		}
	}
	var list []Count
	for _, check := range slices.Sorted(maps.Keys(counts)) {
		list = append(list, *counts[check])
	}
	return append(list, all)
}

// A Recall is how many of the losses of a category that tests show are reported.
type Recall struct {
	Category        string
	Shown, Reported int
}

// Recalls are those of all categories.
func (r Results) Recalls() []Recall {
	shown, missed := map[string]int{}, map[string]int{}
	for _, result := range r {
		for category, n := range result.Losses {
			shown[category] += n
		}
		for _, s := range result.Seen {
			missed[s.Category]++
		}
	}
	var list []Recall
	for _, c := range slices.Sorted(maps.Keys(shown)) {
		list = append(list, Recall{c, shown[c], max(shown[c]-missed[c], 0)})
	}
	return list
}

// A Cause is why losses are not reported, or what has prevented a loss.
type Cause struct {
	Text  string
	Count int
}

// Misses are the causes of the losses that no finding reports, the most frequent first.
func (r Results) Misses() []Cause {
	counts := map[string]int{}
	for _, result := range r {
		for _, s := range result.Seen {
			counts[s.Category+" "+causeOf(s.Why)]++
		}
	}
	return sorted(counts)
}

// causeOf is the rule that a reason names, or else what kind of reason it is.
func causeOf(why string) string {
	rule, ok := strings.CutPrefix(why, "rule ")
	switch {
	case ok:
		id, _, _ := strings.Cut(rule, ": ")
		return "`" + id + "`"
	case strings.Contains(why, ": nothing that it does"):
		return "nothing is known of what it calls"
	case strings.Contains(why, ": line "):
		return "the file is not followed, or nothing speaks for state"
	}
	return "no check has looked at it"
}

// Refuted lists what was refuted, and what has prevented the loss.
func (r Results) Refuted() []string {
	var list []string
	for _, name := range r.Programs() {
		for _, f := range r[name].Findings {
			if f.Verdict == "refuted" {
				list = append(list, fmt.Sprintf("%s %s %s (%s): %s", name, f.File, f.Func, f.Category, f.Says))
			}
		}
	}
	return list
}

func sorted(counts map[string]int) []Cause {
	var list []Cause
	for text, n := range counts {
		list = append(list, Cause{text, n})
	}
	slices.SortFunc(list, func(a, b Cause) int { return cmp.Or(b.Count-a.Count, strings.Compare(a.Text, b.Text)) })
	return list
}
