package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/analyse"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/report"
	"github.com/lockvet/lockvet/internal/config"
	"github.com/lockvet/lockvet/internal/nearest"
)

// options are the command line, understood.
type options struct {
	fix, diff, tests  bool
	diffAll           bool // also the copy of safeio
	commit            bool
	interactive       bool
	all               bool // what is not reported is told, too
	summary           string
	version, checks   bool
	verbose           bool
	timeline          bool
	outputs           outputs
	severities        report.Severities
	failOn            string // one of failLevels
	exec              string // the command that is run in place of tests
	minScore          float64
	top               int // 0 for all
	baseline, since   string
	baselineWrite     bool
	dir, tags, safeio string
	html              string // the file of the page, empty for none
	settings          []analyse.Setting
	patterns          []string
	args              []string        // the command line, as it was given
	given             map[string]bool // the flags in it, without the name of the analyzer
	configFile        string          // empty for the one that is found
	config            *config.File
	proving           *proving // nil where no schedule is executed
}

// An output is a format, and the file that it is written to.
type output struct {
	format string
	file   string // empty for standard output
}

// outputs are the formats that were asked for beside the text for people.
type outputs []output

// toStdout are those that are standard output, which then has nothing else.
func (o outputs) toStdout() outputs {
	return slices.DeleteFunc(slices.Clone(o), func(out output) bool { return out.file != "" })
}

// add asks for a format, as the last word on standard output or on that file.
func (o *outputs) add(out output) {
	*o = append(slices.DeleteFunc(*o, func(old output) bool { return old == out }), out)
}

// parse is what -format says: NAME, or NAME=FILE.
func (o *outputs) parse(text string) error {
	format, file, named := strings.Cut(text, "=")
	if _, err := nearest.Of("format", format, formats()); err != nil {
		return err
	}
	if named && file == "" {
		return fmt.Errorf("%q names no file", text)
	}
	o.add(output{format, file})
	return nil
}

// flag is what the flag of one format does: it can be given alone, for standard output,
// or with the name of a file.
func (o *outputs) flag(format string) func(value string) error {
	return func(value string) error {
		switch value {
		case "true":
			o.add(output{format, ""})
		case "false":
			*o = slices.DeleteFunc(*o, func(out output) bool { return out.format == format })
		case "":
			return errors.New("it names no file")
		default:
			o.add(output{format, value})
		}
		return nil
	}
}

// formats are the names of all formats.
func formats() []string {
	var names []string
	for _, f := range report.Formats {
		names = append(names, f.Name)
	}
	return names
}

// parse understands the command line. Every flag of the analyzer can be given
// by its own name and by the one that it has under go vet.
func (c command) parse(args []string) (*options, error) {
	o := options{args: args, given: make(map[string]bool)}
	fs := c.flagSet(&o)
	if err := fs.Parse(args); err != nil {
		return nil, meant(fs, err)
	}
	o.patterns = fs.Args()
	for _, p := range o.patterns {
		if strings.HasPrefix(p, "-") {
			return nil, c.misread(fmt.Errorf("the flag %s must come before the packages", p), o.patterns[0])
		}
		if format := strings.TrimPrefix(filepath.Ext(p), "."); slices.Contains([]string{"json", "sarif"}, format) {
			return nil, fmt.Errorf("%s is no package: the file for a format follows an equals sign, as in -%s=%s", p, format, p)
		}
	}
	if len(o.patterns) == 0 {
		o.patterns = []string{"."}
	}
	var err error
	fs.Visit(func(f *flag.Flag) {
		o.given[strings.TrimPrefix(f.Name, "lockvet.")] = true
		if f.Value.String() == "" && slices.Contains([]string{"html", "since", "baseline", "summary", "C", "config", "exec"}, f.Name) {
			err = cmp.Or(err, fmt.Errorf("-%s needs a value", f.Name))
		}
	})
	if err = cmp.Or(err, o.contradiction()); err != nil {
		return nil, err
	}
	if o.all && !o.fix && !o.diff || o.html != "" {
		o.settings = append(o.settings, keepCandidates)
	}
	if o.dir, err = directory(o.dir); err != nil {
		return nil, err
	}
	return &o, c.configure(&o)
}

// meant is the error of parsing flags, with the flag that may be meant where there is none
// of the name.
func meant(fs *flag.FlagSet, err error) error {
	given, undefined := strings.CutPrefix(err.Error(), "flag provided but not defined: -")
	if !undefined {
		return err
	}
	var names []string
	fs.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
	if name := nearest.Name(given, names); name != "" {
		return fmt.Errorf("there is no flag -%s; did you mean -%s?", given, name)
	}
	return fmt.Errorf("there is no flag -%s", given)
}

// failLevels are what makes a run fail: a finding of that severity or a higher one, or one that is proven.
var failLevels = []string{string(report.Error), string(report.Warning), string(report.Note), failOnProven}

const failOnProven = "proven"

// contradiction says which of the flags cannot be combined.
func (o *options) contradiction() error {
	switch {
	case o.interactive && (!o.fix || o.commit || len(o.outputs) > 0 || o.html != ""):
		return errors.New("-i asks for each fix of -fix: it needs that, and no -commit, -html or other format than text")
	case (o.commit || o.summary != "") && (!o.fix || o.diff):
		return errors.New("-commit and -summary tell of what -fix has fixed: they need -fix, and no -diff")
	case o.all && o.baselineWrite:
		return errors.New("-all tells of what is not reported: it cannot be combined with -baseline-write")
	case o.fix && o.diff:
		return errors.New("-fix writes the patch that -diff prints: give one of them")
	case len(o.outputs) > 0 && o.diff:
		return fmt.Errorf("-diff prints a patch, and no findings: it cannot be combined with the format %s", o.outputs[0].format)
	case o.html != "" && o.diff:
		return errors.New("-html and -diff cannot be combined: the page shows the patch of each finding")
	case o.baselineWrite && o.baseline == "":
		return errors.New("-baseline-write needs -baseline FILE, the file to write")
	case o.baselineWrite && (o.fix || o.diff || o.since != ""):
		return errors.New("-baseline-write records all that is found: it cannot be combined with -fix, -diff or -since")
	case o.since != "" && (o.fix || o.diff):
		return errors.New("-since chooses among reports: -fix and -diff fix all that is found")
	}
	if out := o.outputs.toStdout(); len(out) > 1 {
		return fmt.Errorf("%s and %s cannot both be standard output: name a file, as in -format %s=FILE", out[0].format, out[1].format, out[1].format)
	}
	return nil
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
	a := c.analyzer(nil)
	fs := flag.NewFlagSet("lockvet", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.BoolVar(&o.fix, "fix", false, "fix what can be fixed, and report the rest")
	fs.BoolVar(&o.interactive, "i", false, "with -fix: show each finding with its patch, and ask whether to make the fix, or to ignore the finding for a reason")
	fs.BoolVar(&o.commit, "commit", false, "with -fix: commit what is fixed to git, one commit for each check")
	fs.StringVar(&o.summary, "summary", "", "with -fix: write to `file`, as Markdown, what was fixed, what to review and what is left")
	fs.BoolFunc("diff", "print the patch that -fix would make, and change nothing; with -diff=`all`, print the copy of safeio, too, which is one line otherwise", func(value string) (err error) {
		if o.diffAll = value == "all"; o.diffAll {
			o.diff = true
			return nil
		}
		o.diff, err = strconv.ParseBool(value)
		return err
	})
	fs.Func("format", "write the findings in a `format`, "+strings.Join(formats(), ", ")+", to standard output or, as FORMAT=FILE, beside the text; may be given several times (default: text)", o.outputs.parse)
	fs.BoolFunc("json", "write the findings as one JSON document, to standard output or, as -json=`FILE`, beside the text", o.outputs.flag("json"))
	fs.BoolFunc("sarif", "write the findings as SARIF 2.1.0, for code scanning, to standard output or, as -sarif=`FILE`, beside the text", o.outputs.flag("sarif"))
	fs.StringVar(&o.html, "html", "", "write a page with the findings, their schedules and patches to `FILE`, for a browser")
	fs.BoolVar(&o.timeline, "explain", false, "draw the schedule of each finding as a timeline where the width allows it (default on a terminal)")
	fs.BoolVar(&o.checks, "checks", false, "list the checks and their severities")
	fs.Func("severity", "`list` such as latelock=warning,tornwrite/nosync=note: only errors make the run fail (default: error, unless a rule lowers it)", func(text string) (err error) {
		o.severities, err = report.ParseSeverities(text)
		return err
	})
	o.failOn = string(report.Error)
	fs.Func("fail-on", "`level` of a finding that makes the run fail: error, warning or note, or proven with lockvet prove (default: error)", func(text string) (err error) {
		o.failOn, err = nearest.Of("level", text, failLevels)
		return err
	})
	fs.Func("min-score", "report only findings of at least this `score`, from 0 to 1: how likely a maintainer wants them fixed", func(text string) (err error) {
		o.minScore, err = strconv.ParseFloat(text, 64)
		if err == nil && (o.minScore < 0 || o.minScore > 1) {
			err = errors.New("it is not between 0 and 1")
		}
		return err
	})
	fs.IntVar(&o.top, "top", 0, "report only the `N` findings of the highest scores, the surest first")
	fs.StringVar(&o.exec, "exec", "", "with prove: run `command` with the named main packages in PATH, in a copy of the directory, in place of the tests")
	fs.StringVar(&o.baseline, "baseline", "", "do not report the findings that are in `file`")
	fs.BoolVar(&o.baselineWrite, "baseline-write", false, "write what is found to the file of -baseline, and report nothing")
	fs.StringVar(&o.since, "since", "", "report only findings on lines that are newer than `revision`, which git must know")
	fs.BoolVar(&o.all, "all", false, "also show notes, and what the checks looked at and did not report, with the rules that decided; with -fix or -diff: all fixes that are offered, as if -i were answered by yes")
	fs.StringVar(&o.dir, "C", "", "work in `dir`")
	fs.StringVar(&o.configFile, "config", "", "read the configuration from `file`, or none with \"off\" (default: .lockvet.yaml in the directory of the run or the nearest one above it in the repository)")
	fs.StringVar(&o.tags, "tags", "", "build tags, as for go build")
	fs.BoolVar(&o.verbose, "v", false, "say on standard error what a run uses, and what takes how long")
	fs.BoolVar(&o.version, "version", false, "print the version")
	o.analyzerFlags(fs, a)
	return fs
}

// analyzerFlags are the flags of the analyzer, by their own names and by those that they have under go vet.
func (o *options) analyzerFlags(fs *flag.FlagSet, a *analysis.Analyzer) {
	for _, prefix := range []string{"", a.Name + "."} {
		fs.BoolVar(&o.tests, prefix+"tests", false, "report findings in _test.go files too")
		fs.StringVar(&o.safeio, prefix+"safeio", "", "`package` that fixed code imports: an import path, at which a copy is made where the module has no such package, or \"bundle\" for a copy in internal/safeio (default: github.com/lockvet/lockvet/safeio, which go.mod then requires, or a copy where the go command cannot get that)")
	}
	a.Flags.VisitAll(func(f *flag.Flag) {
		if f.Name == "tests" || f.Name == "safeio" || f.Name == keepCandidates.Name {
			return
		}
		set := func(value string) error { // so that a bad value is an error of the command line
			o.settings = append(o.settings, analyse.Setting{Name: f.Name, Value: value})
			return f.Value.Set(value)
		}
		for _, prefix := range []string{"", a.Name + "."} {
			fs.Func(prefix+f.Name, f.Usage, set)
		}
	})
}

// isSwitch reports whether a flag can be given without a value.
func isSwitch(f *flag.Flag) bool {
	b, ok := f.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
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
