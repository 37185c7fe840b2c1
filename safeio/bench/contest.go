//go:build linux

package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// A contest is between ways to do the same to a file.
type contest struct {
	title string
	unit  unit
	turn  int // operations in each turn
	// contenders begin with the floor, to which the others are compared.
	contenders []contender
	// check fails unless the file at path is as n operations should leave it.
	check func(path string, n int) error
	// measure returns the figure of one turn, in the contest's unit.
	measure func(c contest, who contender, path string, o options) (float64, error)
	// rounds is the most that make sense.
	rounds int
}

// A contender is one way to do it.
type contender struct {
	name  string
	lacks string  // what it does not do of what the floor does
	bound float64 // what its ratio to the floor has to keep; 0 is none
	op    func(path string) error
}

// samples holds the figures by contender, one for each round.
type samples [][]float64

// hold holds the rounds. Each contender has a directory of its own in dir.
func (c contest) hold(dir string, o options) (samples, error) {
	var paths []string
	for i := range c.contenders {
		home := filepath.Join(dir, fmt.Sprint(i))
		if err := os.Mkdir(home, 0o755); err != nil {
			return nil, err
		}
		paths = append(paths, filepath.Join(home, "state"))
	}
	all := make(samples, len(c.contenders))
	for range min(o.rounds, c.rounds) {
		for _, i := range rand.Perm(len(c.contenders)) {
			figure, err := c.measure(c, c.contenders[i], paths[i], o)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", c.contenders[i].name, err)
			}
			all[i] = append(all[i], figure)
		}
	}
	return all, nil
}

// timed is the median time of an operation in one turn, in microseconds.
func timed(c contest, who contender, path string, o options) (float64, error) {
	var took []float64
	for n := range c.turn + 1 {
		start := time.Now()
		if err := who.op(path); err != nil {
			return 0, err
		}
		if n > 0 {
			took = append(took, float64(time.Since(start).Nanoseconds())/1e3)
		}
	}
	return median(took), nil
}

// median is the middle one of the values, or the mean of the middle two.
func median(values []float64) float64 {
	s := slices.Sorted(slices.Values(values))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}
