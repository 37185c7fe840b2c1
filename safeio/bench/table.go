//go:build linux

package main

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// A unit is what the figures of a contest count.
type unit struct {
	name string
	more bool // is better
}

var (
	microseconds = unit{name: "µs"}
	calls        = unit{name: "calls"}
	perSecond    = unit{name: "/s", more: true}
)

// print writes a line for each contender.
func (c contest) print(w io.Writer, all samples) error {
	fmt.Fprintf(w, "\n%s\n\n", c.title)
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for i, who := range c.contenders {
		fmt.Fprintf(tw, "  %s\t%s\t%s\t%s\n", who.name,
			c.unit.figure(median(all[i])), c.unit.ratio(ratio(all[i], all[0]), who.bound), who.lacks)
	}
	return tw.Flush()
}

// ratio is the median of the ratios inside each round, and not the ratio of the
// medians: what slows a round down slows down the floor with it.
func ratio(figures, floor []float64) float64 {
	var ratios []float64
	for i, f := range figures {
		ratios = append(ratios, f/floor[i])
	}
	return median(ratios)
}

func (u unit) figure(f float64) string {
	if f < 10 && u == microseconds {
		return fmt.Sprintf("%6.1f %s", f, u.name)
	}
	return fmt.Sprintf("%6.0f %s", f, u.name)
}

// ratio says whether a ratio keeps its bound, if it has one.
func (u unit) ratio(r, bound float64) string {
	switch {
	case bound == 0:
		return fmt.Sprintf("%.2f", r)
	case u.more && r >= bound:
		return fmt.Sprintf("%.2f ≥ %.2f", r, bound)
	case u.more:
		return fmt.Sprintf("%.2f < %.2f!", r, bound)
	case r <= bound:
		return fmt.Sprintf("%.2f ≤ %.2f", r, bound)
	}
	return fmt.Sprintf("%.2f > %.2f!", r, bound)
}
