package main

import (
	"cmp"
	"fmt"
	"go/format"
	"io"
	"math"
	"slices"
	"strings"

	_ "github.com/lockvet/lockvet/analyzer" // which declares the features
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/state"
	"github.com/lockvet/lockvet/internal/verdict"
)

// least is in how many repositories a feature must speak to have a weight.
const least = 3

// penalty is that of the weights. The cross-validated log loss is nearly the same from 0.2 to 1.6.
const penalty = 0.4

// fieldWeight is how many labels the report of somebody counts for who has lost data.
const fieldWeight = 1.5

// A lesson is a model with what it was learned from.
type lesson struct {
	*problem
	rows             []Row    // those of the samples
	features         []string // by their indices
	groups           []string
	folds            []string // of the samples: repositories
	model            *model
	chances          []float64 // of the samples, cross-validated
	errors, warnings float64   // from which chance on a finding is one
	fails            float64   // from which chance on it fails a build
}

// learn fits a model to the rows that lockvet reports.
func learn(all []Row) *lesson {
	sortRows(all)
	l := &lesson{problem: &problem{}}
	l.choose(all)
	l.encode()
	l.chances = l.crossValidate(l.folds, penalty)
	l.model = l.fit(penalty)
	l.thresholds()
	return l
}

// choose takes the rows that lockvet reports, and the features that speak in enough repositories or in a field report.
func (l *lesson) choose(all []Row) {
	spoke, inField := map[string]map[string]bool{}, map[string]bool{} // features: by repositories, in field reports
	for _, r := range all {
		if !r.Reported {
			continue
		}
		l.rows = append(l.rows, r)
		for _, f := range r.Features {
			if spoke[f] == nil {
				spoke[f] = map[string]bool{}
			}
			spoke[f][r.Repository] = true
			inField[f] = inField[f] || r.From == "field"
		}
		for _, g := range groupsOf(r) {
			if !slices.Contains(l.groups, g) {
				l.groups = append(l.groups, g)
			}
		}
	}
	slices.Sort(l.groups)
	l.problem.groups = len(l.groups)
	for _, r := range verdict.Rules() {
		sign := map[verdict.Effect]int{verdict.For: 1, verdict.Lowers: -1}[r.Effect]
		if sign != 0 && (len(spoke[r.ID]) >= least || inField[r.ID]) {
			l.features, l.signs = append(l.features, r.ID), append(l.signs, sign)
		}
	}
}

// encode makes samples of the rows. Each repository counts as the square root of its rows.
func (l *lesson) encode() {
	count := map[string]float64{}
	for _, r := range l.rows {
		count[r.Repository]++
	}
	for _, r := range l.rows {
		s := sample{wanted: r.Label == state.Wanted, weight: 1 / math.Sqrt(count[r.Repository])}
		if r.From == "field" {
			s.weight *= fieldWeight
		}
		for _, g := range groupsOf(r) {
			s.groups = append(s.groups, slices.Index(l.groups, g))
		}
		for _, g := range append(groupsOf(r)[:2], readers) {
			s.asRead = append(s.asRead, slices.Index(l.groups, g))
		}
		for _, f := range r.Features {
			if i := slices.Index(l.features, f); i >= 0 {
				s.features = append(s.features, i)
			}
		}
		l.samples, l.folds = append(l.samples, s), append(l.folds, r.Repository)
	}
}

// groupsOf are the groups of a row: the check, the category, and where the label comes from. Rows of fixes are all
// wanted, and readers are not of one strictness: what that makes of the odds says nothing of the finding.
func groupsOf(r Row) []string {
	check, _, _ := strings.Cut(r.Category, "/")
	source := "from " + r.From
	if r.From == "field" || r.From == "report" && r.Reader != "" {
		source = readers
	}
	return []string{check, r.Category, source}
}

// readers is the group of what two readers of one strictness have read, who did not see each other's labels.
const readers = "from readers"

// natural reports whether a row is one of what lockvet reports of a program, not picked for its label, and read by the
// readers.
func natural(r Row) bool { return r.From == "report" && r.Reader != "" }

// thresholds chooses from which chance on a finding is an error, and below which it is a note.
func (l *lesson) thresholds() {
	var order []int
	wanted, before := 0, 0
	for i, r := range l.rows {
		if l.judged(r) {
			order = append(order, i)
			if l.samples[i].wanted {
				wanted++
				if r.Before == string(finding.Error) {
					before++
				}
			}
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(l.chances[b], l.chances[a]) })
	l.errors, l.fails = 1, 0
	above := 0
	for k, i := range order {
		if l.samples[i].wanted {
			above++
		}
		if float64(above) <= errorShare*float64(before) {
			l.errors = l.chances[i]
		}
		if below, n := wanted-above, len(order)-k-1; n >= leastJudged && float64(below) > failShare*float64(n) {
			l.fails = l.chances[i]
		}
	}
	l.warnings = l.fixed()
}

// fixed is the chance that all but a few of the bugs have which their authors have fixed, of those that are reported.
func (l *lesson) fixed() float64 {
	var chances []float64
	for i, r := range l.rows {
		if r.From == "bug" {
			chances = append(chances, l.chances[i])
		}
	}
	if len(chances) == 0 {
		return 0
	}
	slices.Sort(chances)
	return min(l.errors, chances[int((1-bugShare)*float64(len(chances)))])
}

// What severities mean, for what lockvet reports of a program: errors are the surest findings, among which are
// nineteen in twenty as many wanted ones as among the errors that rules chose. Nine in ten of the bugs that are found,
// and that authors have fixed, are at least warnings: readers call half of these not worth it.
const (
	errorShare = 0.95
	bugShare   = 0.9
	// A build that knows no severities fails for what is above the score below which one in ten is wanted. A share of few
	// rows says nothing.
	failShare   = 0.1
	leastJudged = 20
)

// print prints what was learned.
func (l *lesson) print(out io.Writer) {
	repos := slices.Compact(slices.Sorted(slices.Values(l.folds)))
	n := 0
	for _, s := range l.samples {
		if s.wanted {
			n++
		}
	}
	fmt.Fprintf(out, "%d findings of %d repositories, %d wanted; AUC %.3f\n", len(l.rows), len(repos), n, l.auc(l.chances))
	rank := map[string]float64{"error": 1, "warning": 0.5}
	byRules := make([]float64, len(l.rows))
	for i, r := range l.rows {
		byRules[i] = rank[r.Before]
	}
	fmt.Fprintf(out, "AUC of the severities set by rules %.3f\n", l.auc(byRules))
	fmt.Fprintf(out, "\n%-30s %7.2f\n", "all", l.model.base)
	for i, g := range l.groups {
		fmt.Fprintf(out, "%-30s %7.2f\n", g, l.model.offsets[i])
	}
	for i, f := range l.features {
		if l.model.weights[i] != 0 {
			fmt.Fprintf(out, "%-30s %7.2f\n", f, l.model.weights[i])
		}
	}
	fmt.Fprintf(out, "\nerrors from %.3f, warnings from %.3f, builds fail from %.3f\n", l.errors, l.warnings, l.fails)
	l.printThresholds(out)
	l.printCategories(out)
}

// judged reports whether a row is one that readers read, of a category of which they have read enough.
func (l *lesson) judged(r Row) bool { return natural(r) && slices.Contains(l.learned(), r.Category) }

// A tally counts findings, and those of them that are wanted.
type tally struct{ all, wanted int }

func (t tally) String() string {
	return fmt.Sprintf("%4d %4d %4.2f", t.all, t.wanted, float64(t.wanted)/float64(max(1, t.all)))
}

// count counts the rows of which something is so.
func (l *lesson) count(is func(i int, r Row) bool) (t tally) {
	for i, r := range l.rows {
		if is(i, r) {
			t.all++
			if l.samples[i].wanted {
				t.wanted++
			}
		}
	}
	return t
}

// printThresholds prints how many findings there are, how many of them wanted, and which share that is: for the
// severities that rules set, for each threshold of the score, and for each tenth of it.
func (l *lesson) printThresholds(out io.Writer) {
	fmt.Fprintln(out, "\nread findings: all, wanted, share")
	for _, s := range []finding.Severity{finding.Error, finding.Warning, finding.Note} {
		before := func(_ int, r Row) bool { return l.judged(r) && r.Before == string(s) }
		now := func(i int, r Row) bool { return l.judged(r) && l.severity(i) == s }
		fmt.Fprintf(out, "%-8s by rules %v, by score %v\n", s, l.count(before), l.count(now))
	}
	for t := 0.1; t < 0.75; t += 0.05 {
		above := l.count(func(i int, r Row) bool { return l.judged(r) && l.chances[i] >= t })
		here := l.count(func(i int, r Row) bool { return l.judged(r) && t <= l.chances[i] && l.chances[i] < t+0.05 })
		fmt.Fprintf(out, "from %.2f %v, up to %.2f %v\n", t, above, t+0.05, here)
	}
}

// severity is what the cross-validated chance of a row means.
func (l *lesson) severity(i int) finding.Severity { return l.means(l.chances[i]) }

// means is what a chance means by the thresholds.
func (l *lesson) means(chance float64) finding.Severity {
	switch {
	case chance >= l.errors:
		return finding.Error
	case chance >= l.warnings:
		return finding.Warning
	}
	return finding.Note
}

// printCategories prints the same of the errors of each category: by rules, and by score.
func (l *lesson) printCategories(out io.Writer) {
	fmt.Fprintln(out, "\nread findings by category: all, errors by rules, errors by score")
	for _, c := range l.learned() {
		is := func(r Row) bool { return natural(r) && r.Category == c }
		fmt.Fprintf(out, "%-22s %v  %v  %v\n", c, l.count(func(_ int, r Row) bool { return is(r) }),
			l.count(func(_ int, r Row) bool { return is(r) && r.Before == string(finding.Error) }),
			l.count(func(i int, r Row) bool { return is(r) && l.chances[i] >= l.errors }))
	}
}

// learned are the categories of which readers have read enough, of enough repositories.
func (l *lesson) learned() (list []string) {
	count, of := map[string]int{}, map[string]map[string]bool{}
	for _, r := range l.rows {
		if !natural(r) {
			continue
		}
		if of[r.Category] == nil {
			of[r.Category] = map[string]bool{}
		}
		count[r.Category]++
		of[r.Category][r.Repository] = true
	}
	for c, n := range count {
		if n >= leastRows && len(of[c]) >= least {
			list = append(list, c)
		}
	}
	slices.Sort(list)
	return list
}

// leastRows is how many rows of a category readers must have read for its offset to be believed.
const leastRows = 5

// source is the Go source of the weights.
func (l *lesson) source() ([]byte, error) {
	var b strings.Builder
	b.WriteString("// Code generated by go run ./tools/learn. DO NOT EDIT.\n\npackage state\n\n")
	type entry struct {
		name  string
		value float64
	}
	write := func(name string, list []entry) {
		slices.SortFunc(list, func(a, b entry) int { return cmp.Compare(a.name, b.name) })
		fmt.Fprintf(&b, "var %s = map[string]float64{\n", name)
		for _, e := range list {
			fmt.Fprintf(&b, "%q: %.3f,\n", e.name, e.value)
		}
		b.WriteString("}\n\n")
	}
	base := l.model.base + l.model.offsets[slices.Index(l.groups, readers)]
	fmt.Fprintf(&b, "const base, errorFrom, failFrom, warningFrom = %.3f, %.3f, %.3f, %.3f\n\n", base, l.errors, l.fails, l.warnings)
	var groups, features []entry
	for _, c := range l.learned() {
		check, _, _ := strings.Cut(c, "/")
		offset := l.model.offsets[slices.Index(l.groups, check)] + l.model.offsets[slices.Index(l.groups, c)]
		groups = append(groups, entry{c, offset})
	}
	for i, f := range l.features {
		if l.model.weights[i] != 0 {
			features = append(features, entry{f, l.model.weights[i]})
		}
	}
	write("offsets", groups)
	write("weights", features)
	return format.Source([]byte(b.String()))
}

// score is what the weights say of a row, as package state says it of a finding.
func (l *lesson) score(r Row) float64 {
	odds := math.Log(l.errors/(1-l.errors)) + 0.1 // as of what is not learned
	if slices.Contains(l.learned(), r.Category) {
		odds = l.model.base
		for _, g := range append(groupsOf(r)[:2], readers) {
			odds += l.model.offsets[slices.Index(l.groups, g)]
		}
	}
	for _, f := range r.Features {
		if i := slices.Index(l.features, f); i >= 0 {
			odds += l.model.weights[i]
		}
	}
	return logistic(odds)
}

// printHeldOut prints how many findings there are of each severity, and how many of them wanted, in the programs that the
// weights are not fitted to.
func (l *lesson) printHeldOut(out io.Writer, rows []Row) {
	count := map[finding.Severity]tally{}
	for _, r := range rows {
		s := l.means(l.score(r))
		t := count[s]
		t.all++
		if r.Label == state.Wanted {
			t.wanted++
		}
		count[s] = t
	}
	fmt.Fprintln(out, "\nheld-out programs: all, wanted, share")
	for _, s := range []finding.Severity{finding.Error, finding.Warning, finding.Note} {
		fmt.Fprintf(out, "%-8s %v\n", s, count[s])
	}
}

// printRows prints the rows in the order of their chances.
func (l *lesson) printRows(out io.Writer) {
	order := make([]int, len(l.rows))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(l.chances[b], l.chances[a]) })
	for _, i := range order {
		r := l.rows[i]
		fmt.Fprintf(out, "%.2f %-12s %-8s %s %s:%d %s %s %s\n", l.chances[i], r.Label, r.Before,
			r.Repository, r.File, r.Line, r.Func, r.Category, strings.Join(r.Features, " "))
	}
}
