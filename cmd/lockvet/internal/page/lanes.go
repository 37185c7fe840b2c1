package page

import (
	"slices"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/report"
)

// A schedule is drawn in lanes: one for each process or goroutine, and below
// them a band for what memory holds and one for what the file does. Lanes and
// bands count from 0.
type schedule struct {
	Lanes []string
	Bands []band
	Steps []step
}

// A band begins with what it holds before any step changes it: Before, for Until
// steps.
type band struct {
	Head, Before string
	Until        int
}

// A step stands in the lane of who acts.
type step struct {
	report.Step
	Number, Lane int
	Place        place
	Holds        []holding
	// Last marks the step that ends in the loss.
	Last bool
}

// A holding is what a band holds from a step on, for Span steps.
type holding struct {
	Band       int
	Head, Text string
	Span       int
}

// Rows is how many lanes and bands there are.
func (s *schedule) Rows() int { return len(s.Lanes) + len(s.Bands) }

// newSchedule lays out a schedule, nil where there is none.
func newSchedule(steps []report.Step, at func(*report.Pos) place) *schedule {
	if len(steps) == 0 {
		return nil
	}
	s := &schedule{Lanes: report.Actors(steps)}
	for i, st := range steps {
		lane := slices.Index(s.Lanes, st.Actor)
		s.Steps = append(s.Steps, step{Step: st, Number: i + 1, Lane: lane, Place: at(st.Pos), Last: i == len(steps)-1})
	}
	for _, b := range report.Bands(steps) {
		s.add(b)
	}
	return s
}

// add draws a band.
func (s *schedule) add(b report.Band) {
	until := len(b.After) // the step behind which it holds something else
	for i, text := range slices.Backward(b.After) {
		if text == "" {
			continue
		}
		s.Steps[i].Holds = append(s.Steps[i].Holds, holding{len(s.Bands), b.Head, text, until - i})
		until = i
	}
	s.Bands = append(s.Bands, band{b.Head, b.Before, until})
}
