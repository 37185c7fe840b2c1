package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"
)

// A row is what the rounds say about one contestant in one phase.
type row struct {
	cpu  time.Duration
	peak int64
	// The ratios to the floor. They are the medians of the ratios inside each
	// round, and not the ratios of the medians: what slows a round down slows
	// down the floor with it.
	cpuRatio, peakRatio float64
}

// summarize makes the row of a contestant from its costs and those of the
// floor in the same rounds.
func summarize(costs, floor []cost) row {
	var cpus []time.Duration
	var peaks []int64
	var cpuRatios, peakRatios []float64
	for i, c := range costs {
		cpus = append(cpus, c.cpu)
		peaks = append(peaks, c.peak)
		cpuRatios = append(cpuRatios, float64(c.cpu)/float64(floor[i].cpu))
		peakRatios = append(peakRatios, float64(c.peak)/float64(floor[i].peak))
	}
	return row{median(cpus), median(peaks), median(cpuRatios), median(peakRatios)}
}

// median is the middle one of the values, or the mean of the middle two.
func median[T ~int64 | ~float64](values []T) T {
	s := slices.Sorted(slices.Values(values))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

// writeTable prints a line for each phase and contestant.
func writeTable(w io.Writer, contestants []contestant, all samples) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tw, "\t\tcpu\tratio\tpeak\tratio\t")
	for p, byContestant := range all {
		for i, c := range contestants {
			r := summarize(byContestant[i], byContestant[0])
			var b bounds
			if phase(p) == cold {
				b = c.bounds
			}
			fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\t%s\t\n", phase(p), c.name,
				formatCPU(r.cpu), formatRatio(r.cpuRatio, b.cpu),
				formatPeak(r.peak), formatRatio(r.peakRatio, b.peak))
		}
	}
	return tw.Flush()
}

func formatCPU(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }

func formatPeak(n int64) string { return fmt.Sprintf("%d MB", n>>20) }

// formatRatio says whether a ratio keeps its bound, if it has one.
func formatRatio(r, bound float64) string {
	switch {
	case bound == 0:
		return fmt.Sprintf("%.2f", r)
	case r > bound:
		return fmt.Sprintf("%.2f > %.2f!", r, bound)
	}
	return fmt.Sprintf("%.2f ≤ %.2f", r, bound)
}
