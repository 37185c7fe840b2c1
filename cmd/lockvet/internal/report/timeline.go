package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/clipperhouse/displaywidth"
)

// lanes draws the schedule, and reports whether there is room for it: time runs downwards, each process or goroutine has
// a lane, and the last lanes are memory and the file. An x marks the step that
// ends in the loss.
//
//	   | process A           | process B           | the file holds
//	1  o truncates it        |                     | nothing
//	   | index.go:119        |                     |
//	2  |                     x reads it            |
func (t *texter) lanes(f *Finding) bool {
	actors := Actors(f.Schedule)
	columns, bands := slices.Clone(actors), Bands(f.Schedule)
	for _, b := range bands {
		columns = append(columns, b.Head)
	}
	room := (t.width-margin)/len(columns) - 3
	heads := make([][]string, len(columns))
	for i, name := range columns {
		heads[i] = Wrap(name, room)
	}
	steps := make([][][]string, len(f.Schedule))
	for i, step := range f.Schedule {
		steps[i] = make([][]string, len(columns))
		lane := slices.Index(actors, step.Actor)
		steps[i][lane] = Wrap(step.Does, room)
		if at := Near(f, step.Pos); at != "" {
			steps[i][lane] = append(steps[i][lane], Wrap(at, room)...)
		}
		for j, b := range bands {
			if b.After[i] != "" {
				steps[i][len(actors)+j] = Wrap(b.After[i], room)
			}
		}
	}
	if !fit(heads, room) || slices.ContainsFunc(steps, func(cells [][]string) bool { return !fit(cells, room) }) {
		return false
	}
	t.out.WriteString("  " + t.place("how it is lost:") + "\n")
	t.rows("", heads, nil, room)
	for i, cells := range steps {
		marks := make([]string, len(columns))
		lane := slices.Index(actors, f.Schedule[i].Actor)
		marks[lane] = t.line.step
		if i == len(steps)-1 {
			marks[lane] = t.bad(t.line.loss)
		}
		t.rows(strconv.Itoa(i+1), cells, marks, room)
	}
	return true
}

// fit reports whether no word sticks out of its lane.
func fit(cells [][]string, room int) bool {
	return !slices.ContainsFunc(cells, func(lines []string) bool {
		return slices.ContainsFunc(lines, func(line string) bool { return displaywidth.String(line) > room })
	})
}

// margin is what stands to the left of the lanes.
const margin = 7

// rows writes a step, or the heads, in as many lines as the longest cell needs: a margin, and in each lane its mark, or
// the line that goes on, and a text.
func (t *texter) rows(number string, cells [][]string, marks []string, room int) {
	height := 1
	for _, c := range cells {
		height = max(height, len(c))
	}
	head := fmt.Sprintf("%*s  ", margin-2, number)
	for n := range height {
		line := head
		for i, c := range cells {
			mark, text := t.faint(t.line.vertical), ""
			if marks != nil && marks[i] != "" {
				mark = marks[i]
			}
			if n < len(c) {
				text = c[n]
			}
			line += mark + " " + padded(text, room) + " "
		}
		t.out.WriteString(strings.TrimRight(line, " ") + "\n")
		head, marks = strings.Repeat(" ", margin), nil
	}
}

// Actors are those who act in a schedule, in the order in which they come up.
func Actors(schedule []Step) []string {
	var actors []string
	for _, s := range schedule {
		if !slices.Contains(actors, s.Actor) {
			actors = append(actors, s.Actor)
		}
	}
	return actors
}
