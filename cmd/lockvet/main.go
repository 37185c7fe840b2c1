// Lockvet finds code that writes session and state files so that a crash, a
// reader or a second process can lose them, explains each place as the
// schedule that loses the data, and rewrites it.
//
//	lockvet [flags] [packages]      report
//	lockvet -fix [packages]         fix them
//	lockvet prove [packages]        execute the schedules against the tests
//	lockvet help                    the other commands, the flags and the exit codes
//	go vet -vettool=$(which lockvet) [packages]
//
// Packages are analysed one at a time, after what they import. Of the main modules
// that is analysed, too, for what it tells of itself, and so it is of modules that a
// folder replaces, or that have the owner of a main module; what imports the named
// packages is not looked at, and could tell more of them: name ./... where
// possible. What no program comes to is not reported: code of a command that it does
// not call, and internal code that no command and no public package leads to. Its
// callers in packages that are not named are looked for by name.
//
// docs/usage.md has the rest.
package main

import (
	"errors"
	"flag"
	"fmt"
	"go/types"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/tools/go/analysis"

	"github.com/lockvet/lockvet/analyzer"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/repair"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/report"
	"github.com/lockvet/lockvet/internal/nearest"
	"github.com/lockvet/lockvet/internal/printable"
	"github.com/lockvet/lockvet/internal/verdict"
)

// The exit codes.
const (
	exitClean    = 0
	exitFindings = 1
	exitFailed   = 2
)

// A command is what the program works with.
type command struct {
	analyzer       func(helper *types.Func) *analysis.Analyzer
	step           repair.Step // of writing what is fixed
	stdout, stderr io.Writer
	notice         time.Duration // after which a run says what it is doing, without a terminal; zero for never
}

func main() { start(10 * time.Second) }

// start runs the program, with that notice.
func start(notice time.Duration) {
	c := command{
		analyzer: analyzer.NewWithHelper,
		stdout:   os.Stdout,
		stderr:   os.Stderr,
		notice:   notice,
	}
	garbage := ofModule
	if spokenToByVet(os.Args[1:]) {
		garbage = ofVettool
	}
	garbage.keep()
	os.Exit(c.run(os.Args[1:]))
}

// run does what the arguments ask for and returns the exit code.
func (c command) run(args []string) int {
	if spokenToByVet(args) {
		return c.vettool(args)
	}
	if args = directoryLast(args); len(args) > 0 {
		for _, s := range subcommands() {
			if s.name == args[0] {
				return c.exit(s.do(c, args[1:]))
			}
		}
	}
	o, err := c.parse(args)
	if err != nil {
		return c.exit(exitFailed, hinted(err))
	}
	switch {
	case o.version:
		fmt.Fprintf(c.stdout, "lockvet %s\n", version())
		return exitClean
	case o.checks:
		c.list(o.severities)
		return exitClean
	}
	code, err := c.check(o)
	if err != nil {
		err = c.misread(err, o.patterns[0])
	}
	return c.exit(code, err)
}

// hinted is what is wrong with a command line, with where that is looked up.
func hinted(err error) error {
	switch {
	case errors.Is(err, flag.ErrHelp):
		return err
	case errors.As(err, new(configurationError)):
		return fmt.Errorf("%w\nwhat it can say: %s", err, report.Page("configuration"))
	}
	return fmt.Errorf("%w\nrun 'lockvet help' for the flags", err)
}

// directoryLast moves the flag -C, with which a command line can begin as one of the go command does, behind the
// subcommand.
func directoryLast(args []string) []string {
	if len(args) > 2 && (args[0] == "-C" || args[0] == "--C") && slices.Contains(commandNames(), args[2]) {
		return append([]string{args[2], args[0], args[1]}, args[3:]...)
	}
	return args
}

// misread is the error of a run with what may have been meant by the first word that it took
// for packages: a subcommand, or a flag.
func (c command) misread(err error, word string) error {
	for _, s := range subcommands() {
		if s.name == word {
			return fmt.Errorf("%w; the subcommand comes first: %s", err, s.usage)
		}
	}
	if meant := nearest.Name(word, commandNames()); meant != "" {
		return fmt.Errorf("%w; did you mean lockvet %s?", err, meant)
	}
	if c.flagSet(new(options)).Lookup(word) != nil {
		return fmt.Errorf("%w; did you mean lockvet -%s?", err, word)
	}
	return err
}

// exit is the exit code of a run: that of failures where there is an error, which it prints.
// Of several, each is a message of its own.
func (c command) exit(code int, err error) int {
	switch {
	case err == nil:
		return code
	case errors.Is(err, flag.ErrHelp):
		return c.exit(c.help(nil))
	}
	joined, several := err.(interface{ Unwrap() []error })
	if !several {
		c.complain("%v", err)
		return exitFailed
	}
	for _, err := range joined.Unwrap() {
		c.exit(code, err)
	}
	return exitFailed
}

func (c command) complain(format string, args ...any) {
	fmt.Fprintln(c.stderr, printable.Lines("lockvet: "+fmt.Sprintf(format, args...)))
}

// list prints the checks, their variants and what they count.
func (c command) list(severities report.Severities) {
	var out strings.Builder
	for i, check := range analyzer.Catalogue() {
		if i > 0 {
			out.WriteString("\n")
		}
		out.WriteString(report.Fold(check.Name+": "+check.Title+"\n", c.columns(), 2))
		for _, v := range check.Variants {
			fmt.Fprintf(&out, "\t%-8s%s\n", severities.OfCategory(v.Category), v.Category)
		}
	}
	fmt.Fprint(c.stdout, out.String())
}

func (c command) explain(args []string) (int, error) {
	if len(args) != 1 {
		return 0, errors.New("usage: lockvet explain CHECK, or the ID of a rule; lockvet -checks lists the checks")
	}
	text, err := explanation(args[0])
	if err != nil {
		return 0, err
	}
	fmt.Fprint(c.stdout, report.Fold(strings.TrimSpace(text)+"\n", c.columns(), 0))
	return exitClean, nil
}

// explanation is what is said of a check, a category or a rule: of both where a category and a rule have one name.
func explanation(name string) (string, error) {
	id, ruled := strings.CutPrefix(name, "rule:")
	rule, ruleErr := verdict.Find(id)
	text, err := "", ruleErr
	if !ruled {
		text, err = analyzer.Explain(name)
	}
	seen := report.ExplainSeen(name)
	switch {
	case seen != "":
		return seen, nil
	case ruleErr == nil:
		why, source := strings.TrimSuffix(rule.Why, "."), strings.TrimSuffix(rule.Source, ".")
		text += fmt.Sprintf("\nrule %s (%s)\n\n%s.\n\nSource: %s.", rule.ID, rule.Effect, why, source)
		return strings.TrimSpace(text), nil
	case err != nil && !ruled && strings.Contains(name, "/"):
		return "", misnamed(name)
	}
	return text, err
}

// misnamed says what may be meant by the name of a variant or a rule that does not exist.
func misnamed(name string) error {
	names := analyzer.Names()
	for _, r := range verdict.Rules() {
		names = append(names, r.ID)
	}
	if meant := nearest.Name(name, names); meant != "" {
		return fmt.Errorf("there is no variant or rule %q; did you mean %q?", name, meant)
	}
	return fmt.Errorf("there is no variant or rule %q: lockvet -checks lists the variants, and docs/rules.md has the rules", name)
}
