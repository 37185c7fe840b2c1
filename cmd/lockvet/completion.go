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
	"bash":       bashCompletion,
	"fish":       fishCompletion,
	"powershell": powershellCompletion,
	"zsh":        zshCompletion,
}

// shellNames are their names.
var shellNames = []string{"bash", "fish", "powershell", "zsh"}

// A completion is what can be completed.
type completion struct {
	flags    []*flag.Flag
	commands []string
	checks   []string
}

// complete prints the completion script of a shell.
func (c command) complete(args []string) (int, error) {
	if len(args) != 1 || shells[args[0]] == nil {
		return 0, fmt.Errorf("usage: lockvet completion %s", strings.Join(shellNames, "|"))
	}
	shells[args[0]](c.stdout, completion{c.documented(), commandNames(), analyzer.Checks()})
	return exitClean, nil
}

// names are the flags as they are typed, those that take such a value.
func (c completion) names(such func(value) bool) []string {
	var all []string
	for _, f := range c.flags {
		if such(valueOf(f)) {
			all = append(all, "-"+f.Name)
		}
	}
	return all
}

// A value is what a flag takes.
type value int

const (
	nothing  value = iota
	checks         // a list of checks
	file           // the name of a file
	dir            // the name of a directory
	attached       // the name of a file behind an equals sign, or nothing
	text           // something that cannot be completed
)

func valueOf(f *flag.Flag) value {
	name, _ := flag.UnquoteUsage(f)
	b, ok := f.Value.(interface{ IsBoolFlag() bool })
	isSwitch := ok && b.IsBoolFlag()
	switch {
	case slices.Contains([]string{"enable", "disable", "fix-only"}, f.Name):
		return checks
	case isSwitch && name == "FILE":
		return attached
	case isSwitch:
		return nothing
	case strings.EqualFold(name, "file"):
		return file
	case name == "dir":
		return dir
	}
	return text
}

func is(wanted value) func(value) bool {
	return func(v value) bool { return v == wanted }
}

func every(value) bool { return true }

func bashCompletion(w io.Writer, c completion) {
	pattern := func(v value) string { return strings.Join(c.names(is(v)), "|") }
	fmt.Fprintf(w, `# bash completion of lockvet: source <(lockvet completion bash)
_lockvet() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} head=
	[ "$cur" = = ] && prev== cur=
	case $prev in
	%s)
		[[ $cur == *,* ]] && head=${cur%%,*},
		COMPREPLY=($(compgen -P "$head" -W "%s" -- "${cur##*,}"))
		return ;;
	=|%s)
		COMPREPLY=($(compgen -f -- "$cur"))
		return ;;
	%s)
		COMPREPLY=($(compgen -d -- "$cur"))
		return ;;
	%s)
		return ;;
	esac
	if [ "$COMP_CWORD" -eq 2 ]; then
		case $prev in
		explain)
			COMPREPLY=($(compgen -W "%s" -- "$cur"))
			return ;;
		completion)
			COMPREPLY=($(compgen -W "bash fish powershell zsh" -- "$cur"))
			return ;;
		esac
	fi
	case $cur in
	-*) COMPREPLY=($(compgen -W "%s" -- "$cur")) ;;
	*)
		COMPREPLY=($(compgen -d -- "$cur"))
		[ "$COMP_CWORD" -eq 1 ] && COMPREPLY+=($(compgen -W "%s" -- "$cur")) ;;
	esac
}
complete -o filenames -F _lockvet lockvet
`, pattern(checks), strings.Join(c.checks, " "), pattern(file), pattern(dir), pattern(text),
		strings.Join(c.checks, " "), strings.Join(c.names(every), " "), strings.Join(c.commands, " "))
}

func fishCompletion(w io.Writer, c completion) {
	fmt.Fprintln(w, "# fish completion of lockvet: lockvet completion fish | source")
	fmt.Fprintf(w, "complete -c lockvet -f -n 'not __fish_seen_subcommand_from %s' -a '(__fish_complete_directories)'\n", strings.Join(c.commands, " "))
	fmt.Fprintf(w, "complete -c lockvet -n __fish_use_subcommand -a '%s'\n", strings.Join(c.commands, " "))
	fmt.Fprintf(w, "complete -c lockvet -n '__fish_seen_subcommand_from explain' -f -a '%s'\n", strings.Join(c.checks, " "))
	fmt.Fprintln(w, "complete -c lockvet -n '__fish_seen_subcommand_from completion' -f -a 'bash fish powershell zsh'")
	for _, f := range c.flags {
		_, usage := flag.UnquoteUsage(f)
		line := fmt.Sprintf("complete -c lockvet -o %s -d '%s'", f.Name, strings.ReplaceAll(usage, "'", `\'`))
		switch valueOf(f) {
		case checks:
			line += fmt.Sprintf(" -x -a '(__fish_append , %s)'", strings.Join(c.checks, " "))
		case file:
			line += " -r -F"
		case dir:
			line += " -x -a '(__fish_complete_directories)'"
		case text:
			line += " -x"
		}
		fmt.Fprintln(w, line)
	}
}

func zshCompletion(w io.Writer, c completion) {
	fmt.Fprint(w, `#compdef lockvet
# zsh completion of lockvet: lockvet completion zsh > a directory of $fpath/_lockvet
_lockvet() {
  local state
  _arguments \
`)
	for _, f := range c.flags {
		_, usage := flag.UnquoteUsage(f)
		usage = strings.NewReplacer("'", `'\''`, "[", `\[`, "]", `\]`, ":", `\:`).Replace(usage)
		equals, action := "", ""
		switch valueOf(f) {
		case checks:
			action = fmt.Sprintf(":check:_values -s , check %s", strings.Join(c.checks, " "))
		case file:
			action = ":file:_files"
		case dir:
			action = ":directory:_files -/"
		case attached:
			equals, action = "=-", "::file:_files"
		case text:
			action = ":value: "
		}
		fmt.Fprintf(w, "    '-%s%s[%s]%s' \\\n", f.Name, equals, usage, action)
	}
	fmt.Fprintf(w, `    '*:package:->rest'
  [[ $state == rest ]] || return
  case $words[2]:$CURRENT in
  explain:3) compadd %s ;;
  completion:3) compadd bash fish powershell zsh ;;
  *:2) compadd %s; _files -/ ;;
  *) _files -/ ;;
  esac
}
_lockvet "$@"
`, strings.Join(c.checks, " "), strings.Join(c.commands, " "))
}

func powershellCompletion(w io.Writer, c completion) {
	quoted := func(words []string) string { return "'" + strings.Join(words, "', '") + "'" }
	fmt.Fprintf(w, `# PowerShell completion of lockvet: lockvet completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName lockvet -ScriptBlock {
	param($word, $ast, $cursor)
	$words = @($ast.CommandElements | ForEach-Object { $_.ToString() })
	$previous = if ($word -eq '') { $words[-1] } elseif ($words.Count -gt 1) { $words[-2] } else { '' }
	$checks = @(%s)
	$candidates = if ($previous -in @(%s)) {
		$head = if ($word -match ',') { $word -replace '[^,]*$', '' } else { '' }
		$checks | ForEach-Object { "$head$_" }
	} elseif ($previous -eq 'explain') {
		$checks
	} elseif ($previous -eq 'completion') {
		@(%s)
	} elseif ($word.StartsWith('-')) {
		@(%s)
	} elseif ($words.Count -le 2) {
		@(%s)
	}
	$candidates | Where-Object { $_ -like "$word*" } | ForEach-Object {
		[System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
	}
}
`, quoted(c.checks), quoted(c.names(is(checks))), quoted(shellNames), quoted(c.names(every)), quoted(c.commands))
}
