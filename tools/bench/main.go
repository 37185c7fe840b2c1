// Bench measures what lockvet costs, as ratios to the least that its drivers
// can cost:
//
//	go run ./tools/bench [-n runs] [-module dir]
//
// Under go vet the floor is a vettool that does nothing (tools/bench/noop),
// standalone it is loading the packages and looking at none of them
// (tools/bench/bareload). The vet that comes with Go and staticcheck run
// beside them. All take turns in each of the -n rounds, so that whatever else
// the machine does meets them alike; a ratio is taken inside a round, and the
// medians over the rounds are printed.
//
// Cpu is user and system time of the whole tree of processes. Peak is the
// memory of the largest process of the tree: under go vet that is the run of
// the tool on the largest package, as long as the go command itself stays
// smaller; the warm figures show what the go command needs by itself.
//
// Cold means that every package is analysed, and no package is compiled. The
// go command keeps the results of a vettool in the build cache, under the
// identity that the tool claims for itself, next to the export data, which it
// keeps under that of the compiler. So an unmeasured run fills the build cache,
// and each cold run uses a copy of the tool with a name and content of its own:
// the export data is found, no result is. Warm is the same command again.
// Standalone, lockvet and staticcheck get an empty cache of their own for each
// cold run. The bare load remembers nothing between runs, so that its warm
// figures are a second sample of the cold ones.
//
// The build cache is that of the go command; set GOCACHE to use another.
// With two cores to itself a round takes about a quarter of an hour.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var o options
	flag.IntVar(&o.rounds, "n", 3, "measure this many `rounds`")
	flag.StringVar(&o.std, "std", "std cmd", "`packages` of the standard library to measure on; empty for none")
	flag.StringVar(&o.module, "module", "", "measure on the module in this `directory` too")
	flag.Parse()
	if err := bench(ctx, o, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		stop()
		os.Exit(1)
	}
}

type options struct {
	rounds      int
	std, module string
}

// bench builds the programs and holds two contests for each set of packages.
// Tables go to out as soon as they are known, progress to log.
func bench(ctx context.Context, o options, out, log io.Writer) error {
	if o.rounds < 1 {
		return errors.New("-n must be at least 1")
	}
	targets, err := o.targets(ctx)
	if err != nil {
		return err
	}
	tmp, err := os.MkdirTemp("", "lockvet-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)

	fmt.Fprintln(log, "building")
	p, err := buildPrograms(ctx, tmp)
	if err != nil {
		return err
	}
	if p.staticcheck == "" {
		fmt.Fprintln(out, "staticcheck is left out:", p.noStaticcheck)
	}
	fmt.Fprintf(out, "%s %s/%s, %d cores, medians of %d\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), o.rounds)
	for _, t := range targets {
		for _, c := range []contest{p.vettools(t), p.standalone(t)} {
			samples, err := c.run(ctx, o.rounds, log)
			if err != nil {
				return err
			}
			fmt.Fprintf(out, "\n%s\n", c.title)
			if err := writeTable(out, c.contestants, samples); err != nil {
				return err
			}
		}
	}
	return nil
}

// A target is a set of packages to measure on.
type target struct {
	name     string
	dir      string
	patterns []string
}

func (o options) targets(ctx context.Context) ([]target, error) {
	var list []target
	if o.std != "" {
		goroot, err := output(ctx, "go", "env", "GOROOT")
		if err != nil {
			return nil, err
		}
		list = append(list, target{o.std, filepath.Join(goroot, "src"), strings.Fields(o.std)})
	}
	if o.module != "" {
		dir, err := filepath.Abs(o.module)
		if err != nil {
			return nil, err
		}
		list = append(list, target{filepath.Base(dir), dir, []string{"./..."}})
	}
	if list == nil {
		return nil, errors.New("nothing to measure on: -std is empty and -module not given")
	}
	return list, nil
}
