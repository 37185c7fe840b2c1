//go:build linux

// Bench measures what package safeio costs, as ratios to the system calls that
// cannot be done without, and beside other packages:
//
//	go run -C safeio/bench . [-rounds n] [-dir directory] [-crowd time] [-only text]
//
// It is a module of its own, so that none of those packages becomes a
// dependency of whoever imports safeio.
//
// All contenders take turns in each round, in a new random order, so that
// whatever else the machine does meets them alike. A turn is a few operations in
// a row; the first of them, which also pays for what others have left unsynced,
// does not count, and the median of the rest is the figure of the turn. A ratio
// is taken inside a round. The medians over the rounds are printed. The floor
// takes part twice: how far its second ratio is from 1 says how far any other can
// be trusted.
//
// With -powercuts, it says instead what is lost by whom when the power is cut, and with
// -crashstates what each operation of safeio loses on a disk with a volatile write cache.
//
// A bound stands beside the ratio that it is for, with "!" where it is not
// kept. Bounds are for a quiet machine with a real disk under -dir.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == errand {
		exit(runErrand(os.Args[2:], os.Stdout))
	}
	var o options
	flag.IntVar(&o.rounds, "rounds", 101, "measure this many `rounds`")
	flag.StringVar(&o.dir, "dir", os.TempDir(), "write below this `directory`, which should be on a disk")
	flag.StringVar(&o.memory, "memory", "/dev/shm", "and below this `directory`, which should be in memory; empty for none")
	flag.DurationVar(
		&o.crowd,
		"crowd",
		500*time.Millisecond,
		"let each crowd run for this `time` in each of its rounds, at most 21; 0 for no crowds",
	)
	flag.StringVar(&o.only, "only", "", "hold only the contests whose title contains this `text`")
	flag.IntVar(
		&o.cuts,
		"powercuts",
		0,
		"measure nothing, but cut the power of each file system this `number` of times, as root, with its image below -memory",
	)
	flag.IntVar(
		&o.states,
		"crashstates",
		0,
		"measure nothing, but look at crash states of each file system on a disk with a volatile write cache, of this `number` of snapshots, as root, with its image below -memory; needs FUSE",
	)
	flag.Parse()
	if o.states > 0 {
		exit(lookAtStates(o, os.Stdout))
	}
	if o.cuts > 0 {
		exit(cutAll(o, os.Stdout))
	}
	exit(bench(o, os.Stdout))
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

type options struct {
	rounds      int
	dir, memory string
	crowd       time.Duration
	only        string
	cuts        int
	states      int
}

// bench holds all contests and prints a table for each as soon as it is over.
func bench(o options, out io.Writer) error {
	if o.rounds < 1 {
		return errors.New("-rounds must be at least 1")
	}
	for _, h := range o.halls() {
		err := h.in(func(dir string) error { return o.holdAll(h, dir, out) })
		if err != nil {
			return err
		}
	}
	return nil
}

func (o options) holdAll(h hall, dir string, out io.Writer) error {
	for i, c := range h.contests {
		c.title += ", on " + fileSystem(dir)
		if !strings.Contains(c.title, o.only) {
			continue
		}
		here := filepath.Join(dir, fmt.Sprint(i))
		if err := os.Mkdir(here, 0o755); err != nil {
			return err
		}
		all, err := c.hold(here, o)
		if err != nil {
			return fmt.Errorf("%s: %w", c.title, err)
		}
		if err := c.print(out, all); err != nil {
			return err
		}
	}
	return nil
}

// A hall is a directory in which contests are held.
type hall struct {
	below    string
	contests []contest
}

func (o options) halls() []hall {
	disk := hall{o.dir, []contest{
		writes(200, onDisk), writes(64<<10, onDisk), locks(), updates(), appends(),
	}}
	if canTrace() {
		disk.contests = append(disk.contests, systemCalls())
	}
	if o.crowd > 0 {
		disk.contests = append(disk.contests, crowds())
	}
	halls := []hall{disk}
	if o.memory != "" && fileSystem(o.memory) == "tmpfs" {
		memory := hall{o.memory, []contest{writes(200, inMemory), writes(64<<10, inMemory)}}
		halls = append(halls, memory)
	}
	return halls
}

// in makes a directory, and removes it after do.
func (h hall) in(do func(dir string) error) error {
	dir, err := os.MkdirTemp(h.below, "safeio-bench-")
	if err != nil {
		return err
	}
	err = do(dir)
	return errors.Join(err, os.RemoveAll(dir))
}
