package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// lanes draws the schedule: time runs downwards, each process or goroutine has
// a lane, and the last lanes are memory and the file. An x marks the step that
// ends in the loss.
//
//	   | process A           | process B           | the file holds
//	1  o truncates it        |                     | nothing
//	   | index.go:119        |                     |
//	2  |                     x reads it            |
func (t *texter) lanes(f *Finding) {
	actors := Actors(f.Schedule)
	columns, bands := slices.Clone(actors), Bands(f.Schedule)
	for _, b := range bands {
		columns = append(columns, b.Head)
	}
	room := max((width-margin)/len(columns)-3, 10)
	t.out.WriteString("  " + t.place("how it is lost:") + "\n")
	heads := make([][]string, len(columns))
	for i, name := range columns {
		heads[i] = fold(name, room)
	}
	t.rows("", heads, nil, room)
	for i, step := range f.Schedule {
		lane := slices.Index(actors, step.Actor)
		cells := make([][]string, len(columns))
		cells[lane] = fold(step.Does, room)
		if at := Near(f, step.Pos); at != "" {
			cells[lane] = append(cells[lane], fold(at, room)...)
		}
		for j, b := range bands {
			if b.After[i] != "" {
				cells[len(actors)+j] = fold(b.After[i], room)
			}
		}
		marks := make([]string, len(columns))
		marks[lane] = "o"
		if i == len(f.Schedule)-1 {
			marks[lane] = t.bad("x")
		}
		t.rows(strconv.Itoa(i+1), cells, marks, room)
	}
}

// margin is what stands to the left of the lanes.
const margin = 7

// rows writes a step, or the heads, in as many lines as the longest cell needs.
func (t *texter) rows(number string, cells [][]string, marks []string, room int) {
	height := 1
	for _, c := range cells {
		height = max(height, len(c))
	}
	for line := range height {
		head, texts := strings.Repeat(" ", margin), make([]string, len(cells))
		for i, c := range cells {
			if line < len(c) {
				texts[i] = c[line]
			}
		}
		if line == 0 {
			head = fmt.Sprintf("%*s  ", margin-2, number)
		} else {
			marks = nil
		}
		t.laneRow(head, texts, marks, room)
	}
}

// laneRow writes one line: a margin, and in each lane its mark, or the line that
// goes on, and a text.
func (t *texter) laneRow(head string, texts, marks []string, room int) {
	line := head
	for i, text := range texts {
		mark := t.faint("|")
		if marks != nil && marks[i] != "" {
			mark = marks[i]
		}
		pad := max(room-len([]rune(text)), 0)
		line += mark + " " + text + strings.Repeat(" ", pad+1)
	}
	t.out.WriteString(strings.TrimRight(line, " ") + "\n")
}

// fold is Wrap for a lane, out of which no word may stick.
func fold(text string, room int) []string {
	var lines []string
	for _, line := range Wrap(text, room) {
		runes := []rune(line)
		for len(runes) > room {
			lines = append(lines, string(runes[:room]))
			runes = runes[room:]
		}
		lines = append(lines, string(runes))
	}
	return lines
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
