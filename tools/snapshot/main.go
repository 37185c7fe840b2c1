// Snapshot compares what lockvet finds with the findings that were committed before.
//
//	go run ./tools/snapshot [-local] [-update] [-lockvet FILE] [NAME …]
//
// A target is a tree of this repository (the fixtures, the programs that are hard to analyse,
// the seeds) or a public program of programs.txt, which is downloaded by module path and
// version. Each target has one file in testdata, with a sorted line for each finding: file,
// function, category, severity, and the fix or the reason why there is none. Lines hold no
// line numbers, so only a change of the findings changes them.
//
// Snapshot prints the lines that came (+) and went (-), and exits with 1 if there are any.
// With -local it leaves out the public programs, so it needs no network; with names it takes
// only these targets. With -update it writes the files instead of comparing them.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lockvet/lockvet/internal/linediff"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var o options
	flag.BoolVar(&o.local, "local", false, "leave out the public programs")
	flag.BoolVar(&o.update, "update", false, "write the files instead of comparing them")
	flag.StringVar(&o.lockvet, "lockvet", "", "run this `file` instead of building the command")
	flag.Parse()
	o.names = flag.Args()
	same, err := run(ctx, o)
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "snapshot:", err)
		os.Exit(2)
	case !same:
		os.Exit(1)
	}
}

type options struct {
	local, update bool
	lockvet       string   // the executable; empty to build it
	names         []string // of targets; empty for all
}

// run takes the snapshot of each target and says whether all are as committed.
func run(ctx context.Context, o options) (bool, error) {
	root, err := repository(ctx)
	if err != nil {
		return false, err
	}
	targets, err := choose(root, o)
	if err != nil {
		return false, err
	}
	tmp, err := os.MkdirTemp("", "lockvet-snapshot-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(tmp)
	if o.lockvet == "" {
		o.lockvet = filepath.Join(tmp, "lockvet")
		build := exec.CommandContext(ctx, "go", "build", "-o", o.lockvet, "./cmd/lockvet")
		build.Dir = root
		if out, err := build.CombinedOutput(); err != nil {
			return false, fmt.Errorf("building lockvet: %w\n%s", err, out)
		}
	}
	if o.lockvet, err = filepath.Abs(o.lockvet); err != nil {
		return false, err
	}
	same := true
	for _, t := range targets {
		text, err := t.findings(ctx, o.lockvet, tmp)
		if err != nil {
			return false, fmt.Errorf("%s: %w", t.name, err)
		}
		golden := filepath.Join(root, "tools", "snapshot", "testdata", t.name+".txt")
		equal, err := settle(golden, text, o.update)
		if err != nil {
			return false, err
		}
		same = same && equal
	}
	return same, nil
}

// settle writes the committed file, or prints how it differs from what was found and says
// whether it does not.
func settle(golden, text string, update bool) (bool, error) {
	if update {
		return true, os.WriteFile(golden, []byte(text), 0o666)
	}
	old, err := os.ReadFile(golden)
	if err != nil {
		return false, fmt.Errorf("reading the committed findings (write them with -update): %w", err)
	}
	name := strings.TrimSuffix(filepath.Base(golden), ".txt")
	diff := linediff.Unified(name+", as committed", name+", as found", string(old), text, 0)
	fmt.Print(diff)
	return diff == "", nil
}

// repository is the root of the checkout that the working directory is in.
func repository(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "git", "rev-parse", "--show-toplevel").Output()
	if err != nil {
		return "", fmt.Errorf("looking for the root of the repository with git: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// choose lists the targets that the options ask for.
func choose(root string, o options) ([]target, error) {
	targets := local(root)
	if !o.local {
		programs, err := public(filepath.Join(root, "tools", "snapshot", "programs.txt"))
		if err != nil {
			return nil, err
		}
		targets = append(targets, programs...)
	}
	if len(o.names) == 0 {
		return targets, nil
	}
	for _, name := range o.names {
		if !slices.ContainsFunc(targets, func(t target) bool { return t.name == name }) {
			return nil, fmt.Errorf("there is no target %q", name)
		}
	}
	return slices.DeleteFunc(targets, func(t target) bool { return !slices.Contains(o.names, t.name) }), nil
}
