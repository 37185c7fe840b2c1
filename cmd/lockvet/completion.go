package main

import (
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/lockvet/lockvet/analyzer"
)

// shells are the shells for which there is a completion script, and what makes
// it.
var shells = map[string]func(io.Writer, completion){
	"bash": bashCompletion,
	"fish": fishCompletion,
	"zsh":  zshCompletion,
}

// A completion is what can be completed.
type completion struct {
	flags    []*flag.Flag
	commands []string
	checks   []string
}

// complete prints the completion script of a shell.
func (c command) complete(args []string) int {
	if len(args) != 1 || shells[args[0]] == nil {
		c.complain("usage: lockvet completion bash|fish|zsh")
		return exitFailed
	}
	what := completion{commands: []string{"completion", "explain", "help"}, checks: analyzer.Checks()}
	var o options
	c.flagSet(&o).VisitAll(func(f *flag.Flag) {
		if !strings.Contains(f.Name, ".") {
			what.flags = append(what.flags, f)
		}
	})
	shells[args[0]](c.stdout, what)
	return exitClean
}

// names are the flags as they are typed.
func (c completion) names() []string {
	var all []string
	for _, f := range c.flags {
		all = append(all, "-"+f.Name)
	}
	return all
}

// listsChecks reports whether the value of a flag is a list of checks.
func listsChecks(name string) bool {
	return slices.Contains([]string{"enable", "disable", "mend"}, name)
}

// isFile reports whether the value of a flag is the name of a file.
func isFile(f *flag.Flag) bool {
	value, _ := flag.UnquoteUsage(f)
	return slices.Contains([]string{"file", "FILE", "dir"}, value)
}

func bashCompletion(w io.Writer, c completion) {
	fmt.Fprintf(w, `# bash completion of lockvet: source <(lockvet completion bash)
_lockvet() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
	case $prev in
	-enable|-disable|-mend|explain)
		COMPREPLY=($(compgen -W "%s" -- "$cur"))
		return ;;
	completion)
		COMPREPLY=($(compgen -W "bash fish zsh" -- "$cur"))
		return ;;
	esac
	case $cur in
	-*) COMPREPLY=($(compgen -W "%s" -- "$cur")) ;;
	*)
		COMPREPLY=($(compgen -d -f -- "$cur"))
		[ "$COMP_CWORD" -eq 1 ] && COMPREPLY+=($(compgen -W "%s" -- "$cur")) ;;
	esac
}
complete -o filenames -F _lockvet lockvet
`, strings.Join(c.checks, " "), strings.Join(c.names(), " "), strings.Join(c.commands, " "))
}

func fishCompletion(w io.Writer, c completion) {
	fmt.Fprintln(w, "# fish completion of lockvet: lockvet completion fish | source")
	fmt.Fprintf(w, "complete -c lockvet -n __fish_use_subcommand -a '%s'\n", strings.Join(c.commands, " "))
	fmt.Fprintf(w, "complete -c lockvet -n '__fish_seen_subcommand_from explain' -f -a '%s'\n", strings.Join(c.checks, " "))
	fmt.Fprintln(w, "complete -c lockvet -n '__fish_seen_subcommand_from completion' -f -a 'bash fish zsh'")
	for _, f := range c.flags {
		_, usage := flag.UnquoteUsage(f)
		line := fmt.Sprintf("complete -c lockvet -o %s -d '%s'", f.Name, strings.ReplaceAll(usage, "'", `\'`))
		switch {
		case listsChecks(f.Name):
			line += fmt.Sprintf(" -x -a '%s'", strings.Join(c.checks, " "))
		case isFile(f):
			line += " -r -F"
		}
		fmt.Fprintln(w, line)
	}
}

func zshCompletion(w io.Writer, c completion) {
	fmt.Fprintln(w, "#compdef lockvet\n# zsh completion of lockvet: lockvet completion zsh > a directory of $fpath/_lockvet")
	fmt.Fprintln(w, "_arguments -s \\")
	for _, f := range c.flags {
		_, usage := flag.UnquoteUsage(f)
		usage = strings.NewReplacer("'", `'\''`, "[", `\[`, "]", `\]`, ":", `\:`).Replace(usage)
		value := ""
		switch {
		case listsChecks(f.Name):
			value = fmt.Sprintf(":check:(%s)", strings.Join(c.checks, " "))
		case isFile(f):
			value = ":file:_files"
		}
		fmt.Fprintf(w, "  '-%s[%s]%s' \\\n", f.Name, usage, value)
	}
	fmt.Fprintf(w, "  '1:package or command:(%s)' '*:package:_files -/'\n", strings.Join(c.commands, " "))
}
