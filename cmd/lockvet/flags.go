package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/analyse"
)

// options are the command line, understood.
type options struct {
	fix, diff, json, tests bool
	help, version          bool
	dir, tags, safeio      string
	settings               []analyse.Setting
	patterns               []string
}

// parse understands the command line. Every flag of the analyzer can be given
// by its own name and by the one that it has under go vet.
func (c command) parse(args []string) (*options, error) {
	var o options
	fs := c.flagSet(&o)
	switch err := fs.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return &options{help: true}, nil
	case err != nil:
		return nil, err
	}
	o.patterns = fs.Args()
	for _, p := range o.patterns {
		if strings.HasPrefix(p, "-") {
			return nil, fmt.Errorf("the flag %s must come before the packages", p)
		}
	}
	if len(o.patterns) == 0 {
		o.patterns = []string{"."}
	}
	if o.json && o.diff {
		return nil, errors.New("-json and -diff cannot be combined: the edits are in the JSON document")
	}
	if o.tests {
		o.settings = append(o.settings, analyse.Setting{Name: "tests", Value: "true"})
	}
	var err error
	o.dir, err = directory(o.dir)
	return &o, err
}

// directory is the absolute name of the directory to work in.
func directory(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(abs)
	if err != nil {
		return "", fmt.Errorf("-C: %w", err)
	}
	if !info.IsDir() {
		return "", fmt.Errorf("-C: %s is not a directory", dir)
	}
	return abs, nil
}

func (c command) flagSet(o *options) *flag.FlagSet {
	a := c.analyzer()
	fs := flag.NewFlagSet("lockvet", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.BoolVar(&o.fix, "fix", false, "mend what can be mended, and report the rest")
	fs.BoolVar(&o.diff, "diff", false, "print the patch that -fix would make, and change nothing")
	fs.BoolVar(&o.json, "json", false, "write the findings as one JSON document")
	fs.StringVar(&o.dir, "C", "", "work in `dir`")
	fs.StringVar(&o.tags, "tags", "", "build tags, as for go build")
	fs.BoolVar(&o.version, "version", false, "print the version")
	for _, prefix := range []string{"", a.Name + "."} {
		fs.BoolVar(&o.tests, prefix+"tests", false, "report findings in _test.go files too")
		fs.StringVar(&o.safeio, prefix+"safeio", "", "`package` that mended code imports: an import path, or \"bundle\" for a copy in internal/safeio (default: github.com/lockvet/lockvet/safeio where go.mod requires it, or else a copy)")
	}
	a.Flags.VisitAll(func(f *flag.Flag) {
		if f.Name == "tests" || f.Name == "safeio" {
			return
		}
		for _, prefix := range []string{"", a.Name + "."} {
			fs.Var(recorder{f, &o.settings}, prefix+f.Name, f.Usage)
		}
	})
	return fs
}

// A recorder sets a flag of one analyzer, so that a bad value is an error of
// the command line, and keeps the value for the others.
type recorder struct {
	*flag.Flag
	settings *[]analyse.Setting
}

func (r recorder) String() string { return "" }

func (r recorder) IsBoolFlag() bool {
	b, ok := r.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}

func (r recorder) Set(value string) error {
	if err := r.Value.Set(value); err != nil {
		return err
	}
	*r.settings = append(*r.settings, analyse.Setting{Name: r.Name, Value: value})
	return nil
}

func (c command) help() int {
	fmt.Fprint(c.stdout, `Lockvet reports unsafe writes of session and state files, and mends them.

usage:
	lockvet [flags] [packages]              report (default package: .)
	lockvet -diff [flags] [packages]        print the patch that mends them
	lockvet -fix [flags] [packages]         mend them
	lockvet explain CHECK                   say what a check sees
	go vet -vettool=$(which lockvet) [packages]

exit code:
	0  nothing to say
	1  findings; with -diff a patch; with -fix findings that are left
	2  could not run

flags:
`)
	var o options
	fs := c.flagSet(&o)
	var names []string
	fs.VisitAll(func(f *flag.Flag) {
		if !strings.Contains(f.Name, ".") {
			names = append(names, f.Name)
		}
	})
	slices.SortFunc(names, func(a, b string) int {
		return strings.Compare(strings.ToLower(a), strings.ToLower(b))
	})
	for _, name := range names {
		value, usage := flag.UnquoteUsage(fs.Lookup(name))
		fmt.Fprintf(c.stdout, "\t-%s\n\t\t%s\n", strings.TrimSpace(name+" "+value), usage)
	}
	return exitClean
}

// version is the module version that the program was built from, as far as
// the build recorded it, and what it was built with.
func version() string {
	return fmt.Sprintf("%s (%s %s/%s)", moduleVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

func moduleVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
