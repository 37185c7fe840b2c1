package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"
	"time"
)

// sumUp prints what the results say: a line for each module, the packages whose
// analysis takes longest, compared with their type-checking, and all that failed.
func sumUp(o options, out io.Writer) error {
	r, err := loadResults(o.out)
	if err != nil {
		return err
	}
	if err := writeModules(out, r); err != nil {
		return err
	}
	all := slices.Collect(maps.Values(r.packages))
	all = slices.DeleteFunc(all, func(p record) bool { return p.Analysis < o.min })
	slices.SortFunc(all, func(a, b record) int {
		return cmp.Or(-cmp.Compare(a.ratio(), b.ratio()), cmp.Compare(a.Package, b.Package))
	})
	slow := 0
	for _, p := range all {
		if p.ratio() > o.ratio {
			slow++
		}
	}
	fmt.Fprintf(out, "\nOf the %d packages whose analysis takes %v or more, %d take more than %v times their type-checking. The slowest:\n",
		len(all), o.min, slow, o.ratio)
	if err := writeSlowest(out, all[:min(len(all), max(slow, 5))]); err != nil {
		return err
	}
	writeFailures(out, r)
	return nil
}

// A sum is what is known of some packages together.
type sum struct {
	packages, broken, findings, errors, died, hung, gaveUp int
	typeCheck, analysis                                    time.Duration
}

func (s *sum) add(p record) {
	s.packages++
	s.typeCheck += p.TypeCheck
	s.analysis += p.Analysis
	s.findings += p.Findings
	for n, yes := range map[*int]bool{
		&s.broken: p.Broken != "", &s.errors: p.Error != "", &s.died: p.Died != "", &s.hung: p.Hung, &s.gaveUp: len(p.GaveUp) > 0,
	} {
		if yes {
			*n++
		}
	}
}

// writeModules prints a line for each module and one for all of them.
func writeModules(out io.Writer, r *results) error {
	tw := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tw, "module\tpackages\tdo not compile\ttype-check\tanalysis\tfindings\terrors\tdied\thung\tgave up\t")
	line := func(name string, s sum) {
		fmt.Fprintf(tw, "%s\t%d\t%d\t%.1f s\t%.1f s\t%d\t%d\t%d\t%d\t%d\t\n", name, s.packages, s.broken,
			s.typeCheck.Seconds(), s.analysis.Seconds(), s.findings, s.errors, s.died, s.hung, s.gaveUp)
	}
	var total sum
	for _, root := range r.roots() {
		var s sum
		for _, p := range r.of(root) {
			s.add(p)
			total.add(p)
		}
		line(root, s)
	}
	line("all", total)
	return tw.Flush()
}

// writeSlowest prints a line for each package.
func writeSlowest(out io.Writer, list []record) error {
	tw := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tw, "package\ttype-check\tanalysis\tratio\tsteps\t\t")
	for _, p := range list {
		measured := "once"
		if p.Alone {
			measured = "alone"
		}
		fmt.Fprintf(
			tw,
			"%s\t%d ms\t%d ms\t%.1f\t%d\t%s\t\n",
			p.Package,
			p.TypeCheck.Milliseconds(),
			p.Analysis.Milliseconds(),
			p.ratio(),
			p.Steps,
			measured,
		)
	}
	return tw.Flush()
}

// writeFailures prints what was given up, and what failed, in the order of the run.
func writeFailures(out io.Writer, r *results) {
	questions := map[string]int{}
	for _, id := range r.order {
		p := r.packages[id]
		for _, g := range p.GaveUp {
			questions[g.Question]++
			fmt.Fprintf(
				out,
				"%s gave up, after %d of %d steps: %s of %s\n",
				id,
				g.Steps,
				p.Steps,
				g.Question,
				cmp.Or(g.Func, "the package"),
			)
		}
		switch {
		case p.Hung:
			fmt.Fprintf(out, "\n%s hung\n", id)
		case p.Error+p.Died != "":
			fmt.Fprintf(out, "\n%s: %s%s\n", id, p.Error, p.Died)
		}
	}
	for _, q := range slices.Sorted(maps.Keys(questions)) {
		fmt.Fprintf(out, "given up %d times: %s\n", questions[q], q)
	}
}
