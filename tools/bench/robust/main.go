// Robust runs lockvet over other people's code and tells where that crashes, hangs
// or takes long:
//
//	go run ./tools/bench/robust [-out dir] [module@version ...]
//
// Without modules it takes those in modules.txt. A module is downloaded and copied
// out of the module cache, so that it is the main module, and all packages in the
// closure of its imports are analysed as if they were of main modules: lockvet
// leaves out dependencies at a version. A package that was analysed as part of
// another closure, at the same version, is not analysed again. Cgo is switched off,
// tests are left out.
//
// For each package it writes a line of JSON into results.jsonl in the directory of
// -out; a run that is started again goes on where the last one ended. With -summary
// nothing is run, and what is there is summed up.
//
// A second process does all this for one module. It has the types of what a package
// imports from source, without the bodies of functions, so that nothing is compiled,
// and it lets go of everything else. The first process watches over it: if it dies, needs
// more than -memory, or works at one package longer than -hang, that is noted for the
// package, and another process goes on with the next one.
//
// The module cache grows by some 15 GB. To have that apart, and writable, set
// GOMODCACHE to another directory, and GOFLAGS to -modcacherw.
//
// Times are those of a wall clock, while the machine may have other things to do. So
// a package that seems to take more than half of -ratio times its type-checking, and
// -min altogether, is measured again: alone, five times, of which the shortest times
// count. Type-checking is that of the package without what it imports, and without
// parsing.
package main

import (
	"bufio"
	"context"
	_ "embed"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

//go:embed modules.txt
var modules string

type options struct {
	out    string
	hang   time.Duration
	min    time.Duration
	ratio  float64
	memory uint64 // MB
	enough int    // packages; 0 for all
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var o options
	flag.StringVar(&o.out, "out", "robust", "keep results in this `directory`")
	flag.DurationVar(&o.hang, "hang", 3*time.Minute, "an analysis that takes longer hangs")
	flag.DurationVar(&o.min, "min", 100*time.Millisecond, "an analysis that takes less is never slow")
	flag.Float64Var(&o.ratio, "ratio", 10, "an analysis that takes so many `times` the type-checking is slow")
	flag.Uint64Var(&o.memory, "memory", 5000, "a process that needs more than `N` MB is ended")
	flag.IntVar(&o.enough, "n", 0, "begin with no further module after `N` packages; 0 for all modules")
	summary := flag.Bool("summary", false, "only sum up the results")
	work := flag.String("work", "", "internal: analyse the module in this `directory`")
	version := flag.String("version", "", "internal: the version of that module")
	flag.Parse()
	var err error
	switch {
	case *work != "":
		limit(o.memory)
		err = newWorker(o, *work, *version, os.Stdout).run(flag.Args())
	case *summary:
		err = sumUp(o, os.Stdout)
	default:
		if err = all(ctx, o, flag.Args()); err == nil {
			err = sumUp(o, os.Stdout)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "robust:", err)
		stop()
		os.Exit(1)
	}
}

// all analyses the modules, one after the other. One that cannot be had is told of and
// left out.
func all(ctx context.Context, o options, named []string) error {
	list, err := parseModules(modules)
	if len(named) > 0 {
		list, err = parseModules(strings.Join(named, "\n"))
	}
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(o.out, "facts"), 0o777); err != nil {
		return err
	}
	r, err := openResults(o.out)
	if err != nil {
		return err
	}
	defer r.close()
	for _, m := range list {
		if r.finished[m.String()] {
			continue
		}
		if o.enough > 0 && len(r.packages) >= o.enough {
			fmt.Fprintf(os.Stderr, "%d packages are done: that is enough\n", len(r.packages))
			return nil
		}
		fmt.Fprintf(os.Stderr, "%s %s, %d packages so far\n", time.Now().Format(time.TimeOnly), m, len(r.packages))
		if err := analyse(ctx, o, r, m); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			fmt.Fprintf(os.Stderr, "%s is left out: %v\n", m, err)
		}
	}
	return nil
}

// analyse does one module, in a copy of it.
func analyse(ctx context.Context, o options, r *results, m module) error {
	dir, err := os.MkdirTemp("", "lockvet-robust-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := m.copyTo(ctx, dir); err != nil {
		return err
	}
	s := &supervisor{options: o, results: r, module: m, dir: dir}
	if err := s.finish(ctx); err != nil {
		return err
	}
	if slow := r.suspects(m, o); len(slow) > 0 {
		if err := s.watch(ctx, slow...); err != nil {
			return err
		}
	}
	return r.add(record{Root: m.String(), Finished: true})
}

// parseModules reads a module a line; what follows a # is a comment.
func parseModules(text string) ([]module, error) {
	var list []module
	lines := bufio.NewScanner(strings.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		line, _, _ := strings.Cut(lines.Text(), "#")
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		path, version, ok := strings.Cut(fields[0], "@")
		if !ok {
			return nil, fmt.Errorf("module %d, %q, is not of the form path@version", n, line)
		}
		m := module{path: path, version: version, instead: map[string]string{}}
		for _, f := range fields[1:] {
			nominal, real, ok := strings.Cut(f, "=")
			if !ok {
				return nil, fmt.Errorf("%q, behind module %s, is not of the form version=version", f, path)
			}
			m.instead[nominal] = real
		}
		list = append(list, m)
	}
	return list, lines.Err()
}
