// Truth executes what lockvet claims of public programs, against the tests of these programs.
//
//	go run ./tools/truth [-checkouts DIR] [-lockvet FILE] [-timeout TIME] [-o FILE] [NAME …]
//
// It runs lockvet prove over each program of programs.txt, or those that are named, and writes what came out into a
// file, from which tools/docgen makes tables: of the findings that tests reach, how many are proven and how many
// refuted; of the losses that the tests show, how many are reported, and why the others are not. What the file has of
// other programs stays there, so that the programs can be run in portions: all of them take an hour or two, and each a
// few gigabytes of the build cache.
//
// A program of the list is a module and its version, which the go command downloads, or the name of a repository and
// a commit, of which -checkouts has a folder. The packages whose tests are run follow.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/lockvet/lockvet/tools/internal/program"
	"github.com/lockvet/lockvet/tools/internal/truth"
)

type options struct {
	checkouts, lockvet, out string
	timeout                 time.Duration
	names                   []string
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var o options
	flag.StringVar(&o.checkouts, "checkouts", "", "a `folder` with one for each repository that is no module")
	flag.StringVar(&o.lockvet, "lockvet", "", "run this `file` instead of building the command")
	flag.StringVar(&o.out, "o", "tools/docgen/truth.json", "the `file` with the results")
	flag.DurationVar(&o.timeout, "timeout", 20*time.Minute, "the `time` that a program may take")
	flag.Parse()
	o.names = flag.Args()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "truth:", err)
		os.Exit(1)
	}
}

// run runs the programs and adds what they show to the results.
func run(ctx context.Context, o options) error {
	list, err := programs("tools/truth/programs.txt")
	if err != nil {
		return fmt.Errorf("%w: run in the root of the repository", err)
	}
	results := truth.Results{}
	text, err := os.ReadFile(o.out)
	if err == nil {
		err = json.Unmarshal(text, &results)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	tmp, err := os.MkdirTemp("", "lockvet-truth-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	if o.lockvet == "" {
		o.lockvet = filepath.Join(tmp, "lockvet")
		if out, err := exec.CommandContext(ctx, "go", "build", "-o", o.lockvet, "./cmd/lockvet").CombinedOutput(); err != nil {
			return fmt.Errorf("building lockvet: %w\n%s", err, out)
		}
	}
	for _, p := range list {
		if len(o.names) > 0 && !slices.Contains(o.names, p.name) || ctx.Err() != nil {
			continue
		}
		r, err := p.prove(ctx, o, filepath.Join(tmp, p.name))
		if err != nil {
			fmt.Fprintf(os.Stderr, "truth: %s is left out: %v\n", p.name, err)
			continue
		}
		fmt.Printf("%s: %d tests, %v\n", p.name, r.Tests, r.Took)
		results[p.name] = r
		if err := write(o.out, results); err != nil {
			return err
		}
	}
	return ctx.Err()
}

func write(file string, results truth.Results) error {
	text, err := json.MarshalIndent(results, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o666)
}

// A listed program is one of the list.
type listed struct {
	name, source string
	patterns     []string
}

// programs reads the list.
func programs(file string) ([]listed, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var list []listed
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) == 0 || strings.HasPrefix(line, "#") {
			continue
		}
		path, _, ok := strings.Cut(fields[0], "@")
		if !ok {
			return nil, fmt.Errorf("%s: %q names no version: write MODULE@VERSION or OWNER/NAME@COMMIT", file, fields[0])
		}
		list = append(list, listed{program.Name(path), fields[0], fields[1:]})
	}
	return list, nil
}

// prove runs lockvet prove over a program in a folder that is not there yet.
func (p listed) prove(ctx context.Context, o options, dir string) (*truth.Result, error) {
	start, _, _ := strings.Cut(p.source, "/")
	if !strings.Contains(start, ".") { // a module begins with the name of a host
		dir = filepath.Join(o.checkouts, p.name)
		if _, err := os.Stat(dir); o.checkouts == "" || err != nil {
			return nil, fmt.Errorf("there is no checkout of %s", p.source)
		}
	} else {
		defer os.RemoveAll(dir)
		if err := program.Download(ctx, p.source, dir); err != nil {
			return nil, err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	began := time.Now()
	cmd := exec.CommandContext(ctx, o.lockvet, append([]string{"prove", "-all", "-json", "-config", "off"}, p.patterns...)...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	cmd.Env = append(os.Environ(), "GOWORK=off", "LOCKVET_CACHE=off", "GOFLAGS=-mod=mod")
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return nil, fmt.Errorf("it took more than %v", o.timeout)
	}
	var exit *exec.ExitError
	if err != nil && !(errors.As(err, &exit) && len(out) > 0) {
		return nil, err
	}
	r, err := truth.Of(out)
	if err != nil {
		return nil, err
	}
	r.Source, r.Took = p.source, time.Since(began).Round(time.Second).String()
	return r, nil
}
