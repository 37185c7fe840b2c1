package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// A contest runs contestants on the same packages, in turns.
type contest struct {
	title string
	dir   string
	// contestants begin with the floor, to which the others are compared.
	contestants []contestant
}

// A contestant is a program that takes part.
type contestant struct {
	name string
	// fresh returns a way to run the program for which no cache holds results.
	fresh  func() (invocation, error)
	bounds bounds
}

// bounds are the ratios to the floor that a contestant must not exceed in a
// cold run; zero is no bound.
type bounds struct{ cpu, peak float64 }

// An invocation is a command line that can be run more than once.
type invocation struct {
	args   []string
	env    []string // in addition to that of the bench
	remove string   // file or directory that is of no use afterwards; may be empty
}

// A cost is what one run of a program took.
type cost struct {
	cpu  time.Duration
	peak int64 // bytes
}

// A phase says which caches a run finds filled; see the package comment.
type phase int

const (
	cold phase = iota
	warm
	phases // how many there are
)

func (p phase) String() string { return [...]string{"cold", "warm"}[p] }

// samples holds the costs by phase and contestant, one for each round.
type samples [phases][][]cost

// run holds the rounds, after one run of the floor that is not measured: it
// compiles what must be compiled and brings the sources into memory.
func (c contest) run(ctx context.Context, rounds int, log io.Writer) (samples, error) {
	var all samples
	for p := range all {
		all[p] = make([][]cost, len(c.contestants))
	}
	fmt.Fprintf(log, "%s: filling the build cache\n", c.title)
	if err := c.warmUp(ctx); err != nil {
		return all, err
	}
	for round := range rounds {
		if err := c.round(ctx, &all, fmt.Sprintf("%s: round %d", c.title, round+1), log); err != nil {
			return all, err
		}
	}
	return all, nil
}

func (c contest) warmUp(ctx context.Context) error {
	inv, err := c.contestants[0].fresh()
	if err != nil {
		return err
	}
	defer inv.discard()
	_, err = inv.measure(ctx, c.dir)
	return err
}

// round runs every contestant cold, and then every contestant warm.
func (c contest) round(ctx context.Context, all *samples, title string, log io.Writer) error {
	invs := make([]invocation, len(c.contestants))
	for i, x := range c.contestants {
		inv, err := x.fresh()
		if err != nil {
			return err
		}
		defer inv.discard()
		invs[i] = inv
	}
	for p := range all {
		for i, x := range c.contestants {
			took, err := invs[i].measure(ctx, c.dir)
			if err != nil {
				return err
			}
			all[p][i] = append(all[p][i], took)
			fmt.Fprintf(log, "%s, %s, %s: %s, %s\n", title, phase(p), x.name, formatCPU(took.cpu), formatPeak(took.peak))
		}
	}
	return nil
}

func (inv invocation) discard() {
	if inv.remove != "" {
		os.RemoveAll(inv.remove)
	}
}

// measure runs the command in a directory. That it has something to report is
// no error; that it did not do its work is.
func (inv invocation) measure(ctx context.Context, dir string) (cost, error) {
	cmd := exec.CommandContext(ctx, inv.args[0], inv.args[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), inv.env...)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	err := cmd.Run()
	if ctx.Err() != nil {
		return cost{}, ctx.Err()
	}
	if cmd.ProcessState == nil || !cmd.ProcessState.Exited() || cmd.ProcessState.ExitCode() > 1 || crashed(said.Bytes()) {
		return cost{}, fmt.Errorf("%q: %v\n%s", inv.args, err, said.Bytes())
	}
	return costOf(cmd.ProcessState)
}

// crashed finds the last words of a vettool: go vet exits with 1 for those as
// it does for findings.
func crashed(said []byte) bool {
	return bytes.Contains(said, []byte("panic:")) || bytes.Contains(said, []byte("fatal error:"))
}
