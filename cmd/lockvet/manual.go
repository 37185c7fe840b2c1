package main

import (
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/muesli/mango"
	"github.com/muesli/roff"

	"github.com/lockvet/lockvet/analyzer"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/report"
)

// A subcommand is one way to call the command. The help text, the man page and the
// completions of shells are made of the list.
type subcommand struct {
	name  string // empty for the command without one
	usage string // empty for what scripts call
	does  string
	do    func(c command, args []string) (int, error)
}

func subcommands() []subcommand {
	return []subcommand{
		{"", "lockvet [flags] [packages]", "report (default package: .)", nil},
		{"", "lockvet -diff [flags] [packages]", "print the patch that fixes them", nil},
		{"", "lockvet -fix [flags] [packages]", "fix them", nil},
		{"prove", proveUsage, "execute the schedules of the findings against the tests", command.prove},
		{"why", "lockvet why [flags] FILE:LINE", "say what was looked at in a function, and why it is reported or not", command.why},
		{"label", "lockvet label [flags] FILE:LINE LABEL [REASON]",
			"note in " + labelsFile + " what you think of a finding: " + strings.Join(labelNames, ", "), command.label},
		{"lsp", "lockvet lsp [flags]", "speak to an editor: a language server on standard input and output", command.lsp},
		{"explain", "lockvet explain NAME", "say what a check or a variant sees, or what a rule is", command.explain},
		{"init", "lockvet init", "write a .lockvet.yaml with every option and its default", command.initialize},
		{"cache", "lockvet cache [clean]", "say where results are kept, and how large that is; clean removes them", command.cache},
		{"vet-flags", "lockvet vet-flags", "print the flags that tell go vet what .lockvet.yaml says", command.vetFlags},
		{"completion", "lockvet completion SHELL", "print a completion script: " + strings.Join(shellNames, ", "), command.complete},
		{"man", "lockvet man", "print the man page", command.manual},
		{"help", "lockvet help", "print this text", command.help},
		{"", "go vet -vettool=$(which lockvet) [packages]", "", nil},
		{"__complete", "", "", command.completed},
	}
}

// commandNames are the words that can stand in place of packages.
func commandNames() []string {
	var names []string
	for _, s := range subcommands() {
		if s.name != "" && s.usage != "" {
			names = append(names, s.name)
		}
	}
	slices.Sort(names)
	return names
}

// exitCodes says what the exit codes mean, by code.
var exitCodes = []string{
	"no errors; there may be warnings",
	"at least one error, or finding of the level of -fail-on; with -diff, there is a patch; with -fix, such a finding is left",
	"lockvet could not run: a flag, the configuration or a package is wrong; packages that compile are reported and fixed all the same",
}

const (
	whatItDoes = "Lockvet reports unsafe writes of session and state files, and fixes them."
	cacheUsage = "the directory in which results are kept for later runs, or \"off\" (default: lockvet in the user's cache directory); it also holds the lock files by which runs of -fix over one module take turns"
)

// documented are the flags of the command, in the order of their names.
func (c command) documented() []*flag.Flag {
	var o options
	var all []*flag.Flag
	c.flagSet(&o).VisitAll(func(f *flag.Flag) {
		if !strings.Contains(f.Name, ".") {
			all = append(all, f)
		}
	})
	slices.SortFunc(all, func(a, b *flag.Flag) int { return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)) })
	return all
}

// help prints how the command is used.
func (c command) help(args []string) (int, error) {
	if len(args) > 0 {
		return 0, errors.New("usage: lockvet help, or lockvet explain CHECK for a check")
	}
	var out strings.Builder
	fmt.Fprintf(&out, "%s\n\nusage:\n", whatItDoes)
	for _, s := range subcommands() {
		if s.usage != "" {
			fmt.Fprintln(&out, strings.TrimRight(fmt.Sprintf("\t%-39s %s", s.usage, s.does), " "))
		}
	}
	fmt.Fprint(&out, "\nexit code:\n")
	for code, means := range exitCodes {
		fmt.Fprintf(&out, "\t%d  %s\n", code, means)
	}
	fmt.Fprintf(&out, "\nenvironment:\n\t%s\n\t\t%s\n\nflags:\n", cacheVariable, cacheUsage)
	for _, f := range c.documented() {
		spelled, usage := spelled(f)
		fmt.Fprintf(&out, "\t-%s\n\t\t%s\n", spelled, usage)
	}
	fmt.Fprint(c.stdout, report.Fold(out.String(), c.columns(), 0))
	return exitClean, nil
}

// spelled is a flag as it is given: one that can be given without its value takes it behind
// an equals sign only.
func spelled(f *flag.Flag) (name, usage string) {
	value, usage := flag.UnquoteUsage(f)
	switch {
	case value == "":
		return f.Name, usage
	case isSwitch(f):
		return f.Name + "[=" + value + "]", usage
	default:
		return f.Name + " " + value, usage
	}
}

// manual prints the man page.
func (c command) manual(args []string) (int, error) {
	if len(args) > 0 {
		return 0, errors.New("usage: lockvet man")
	}
	page := mango.NewManPage(1, "lockvet", "find unsafe writes of session and state files").
		WithLongDescription(whatItDoes + " It explains each place as the schedule that loses the data, and rewrites it.")
	for _, f := range c.documented() {
		spelled, usage := spelled(f)
		if err := page.Root.AddFlag(mango.Flag{Name: spelled, Usage: usage}); err != nil {
			return 0, fmt.Errorf("the man page: %w", err)
		}
	}
	var usage, codes, checks []string
	for _, s := range subcommands() {
		usage = append(usage, strings.TrimSpace(s.usage+"\n"+s.does))
	}
	for code, means := range exitCodes {
		codes = append(codes, fmt.Sprintf("%d  %s", code, means))
	}
	for _, check := range analyzer.Catalogue() {
		checks = append(checks, check.Name+"\n"+check.Title)
	}
	page.WithSection("Usage", strings.Join(usage, "\n\n")).
		WithSection("Exit status", strings.Join(codes, "\n\n")).
		WithSection("Environment", cacheVariable+"\n"+cacheUsage).
		WithSection("Files", ".lockvet.yaml\nwhat a team has agreed on, in the directory of the run or the nearest one above it in the repository").
		WithSection("Checks", strings.Join(checks, "\n\n")).
		WithSection("See also", "https://github.com/lockvet/lockvet")
	fmt.Fprintln(c.stdout, page.Build(roff.NewDocument()))
	return exitClean, nil
}
