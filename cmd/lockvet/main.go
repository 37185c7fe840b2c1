// Lockvet finds code that writes session and state files so that a crash, a
// reader or a second process can lose them, explains each place as the
// schedule that loses the data, and rewrites it.
//
//	lockvet [flags] [packages]              report
//	lockvet -diff [packages]                print the patch that mends them
//	lockvet -fix [packages]                 mend them
//	lockvet explain CHECK                   say what a check sees
//	go vet -vettool=$(which lockvet) [packages]
//
// The exit code is 0 if there is nothing to say, 1 for findings (with -diff,
// for a patch; with -fix, for findings that are left), and 2 if the command
// could not do its work.
//
// With -json, standard output is one document. Names of files are relative to
// the directory of the run, start and end count bytes, a place that does not
// exist is null, and so is the fix of a finding that has none:
//
//	{"version": 1,
//	 "findings": [{
//	   "check": "tornwrite", "category": "tornwrite/inplace",
//	   "pos": {"file": "f.go", "line": 1, "column": 1}, "end": {…},
//	   "func": "save", "message": "…",
//	   "evidence": [{"pos": {…}, "text": "…"}],
//	   "schedule": [{"actor": "process A", "pos": {…}, "does": "…", "file": "what it holds then"}],
//	   "fix": {"message": "…", "edits": [{"file": "f.go", "start": 0, "end": 2, "new": "…"}]},
//	   "noFix": "why fix is null"}],
//	 "mended": [findings that -fix removed; only with -fix]}
//
// The named packages are analysed together. What they import is known by its
// types only, so a pattern that leaves out half of a module also leaves out
// what that half would have told about the other: name ./... where possible.
package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/lockvet/lockvet/analyzer"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/repair"
	"github.com/lockvet/lockvet/safeio"
)

// The exit codes.
const (
	exitClean    = 0
	exitFindings = 1
	exitFailed   = 2
)

// A command is what the program works with.
type command struct {
	analyzer       func() *analysis.Analyzer
	write          repair.WriteFile
	stdout, stderr io.Writer
}

func main() {
	c := command{
		analyzer: analyzer.New,
		write:    safeio.WriteFile,
		stdout:   os.Stdout,
		stderr:   os.Stderr,
	}
	os.Exit(c.run(os.Args[1:]))
}

// run does what the arguments ask for and returns the exit code.
func (c command) run(args []string) int {
	if spokenToByVet(args) {
		growFirst(firstGoal)
		unitchecker.Main(c.analyzer()) // exits
	}
	if len(args) > 0 {
		switch args[0] {
		case "help":
			return c.help()
		case "explain":
			return c.explain(args[1:])
		}
	}
	o, err := c.parse(args)
	if err != nil {
		c.complain("%v", err)
		fmt.Fprintln(c.stderr, "run 'lockvet help' for the flags")
		return exitFailed
	}
	switch {
	case o.help:
		return c.help()
	case o.version:
		fmt.Fprintf(c.stdout, "lockvet %s\n", version())
		return exitClean
	}
	code, err := c.check(o)
	if err != nil {
		c.complain("%v", err)
		return exitFailed
	}
	return code
}

// spokenToByVet reports whether the arguments are those of the protocol that
// go vet -vettool speaks.
func spokenToByVet(args []string) bool {
	if len(args) == 0 {
		return false
	}
	return strings.HasSuffix(args[len(args)-1], ".cfg") ||
		slices.Contains(args, "-V=full") || slices.Contains(args, "-flags")
}

func (c command) complain(format string, args ...any) {
	fmt.Fprintf(c.stderr, "lockvet: "+format+"\n", args...)
}

func (c command) explain(args []string) int {
	if len(args) != 1 {
		c.complain("usage: lockvet explain CHECK")
		return exitFailed
	}
	text, err := analyzer.Explain(args[0])
	if err != nil {
		c.complain("%v", err)
		return exitFailed
	}
	fmt.Fprintln(c.stdout, strings.TrimSpace(text))
	return exitClean
}
