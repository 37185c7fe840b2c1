package page

import (
	"slices"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/report"
)

// A schedule is drawn in lanes: one for each process or goroutine, and below
// them one for what the file holds. Lanes count from 0.
type schedule struct {
	Lanes []string
	Steps []step
	// HasFile says that there is a lane for the file, Before that the first steps
	// leave it as it was, so many of them.
	HasFile bool
	Before  int
}

// A step stands in the lane of who acts. Holds is what the file holds from then
// on, for Span steps.
type step struct {
	report.Step
	Number, Lane int
	Place        place
	Span         int
	// Last marks the step that ends in the loss.
	Last bool
}

// Rows is how many lanes there are in all.
func (s *schedule) Rows() int {
	if s.HasFile {
		return len(s.Lanes) + 1
	}
	return len(s.Lanes)
}

// newSchedule lays out a schedule, nil where there is none.
func newSchedule(steps []report.Step, at func(*report.Pos) place) *schedule {
	if len(steps) == 0 {
		return nil
	}
	s := &schedule{Lanes: report.Actors(steps), Before: len(steps)}
	for i, st := range steps {
		lane := slices.Index(s.Lanes, st.Actor)
		s.Steps = append(s.Steps, step{Step: st, Number: i + 1, Lane: lane, Place: at(st.Pos), Last: i == len(steps)-1})
	}
	until := len(steps) // the step behind which the content is another one
	for i := len(steps) - 1; i >= 0; i-- {
		if steps[i].File == "" {
			continue
		}
		s.HasFile = true
		s.Steps[i].Span = until - i
		until = i
		s.Before = i
	}
	return s
}
