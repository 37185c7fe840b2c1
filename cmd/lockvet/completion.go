package main

import (
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/lockvet/lockvet/analyzer"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/report"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/supply"
	"github.com/lockvet/lockvet/internal/verdict"
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
	names    []string // of checks and of variants
	rules    []string // their IDs
}

// complete prints the completion script of a shell.
func (c command) complete(args []string) (int, error) {
	if len(args) != 1 || shells[args[0]] == nil {
		return 0, fmt.Errorf("usage: lockvet completion %s", strings.Join(shellNames, "|"))
	}
	var rules []string
	for _, r := range verdict.Rules() {
		rules = append(rules, r.ID)
	}
	shells[args[0]](c.stdout, completion{c.documented(), commandNames(), analyzer.Checks(), analyzer.Names(), rules})
	return exitClean, nil
}

// flagged are the flags as they are typed, those that take such a value, or all where none is given.
func (c completion) flagged(such ...value) []string {
	var all []string
	for _, f := range c.flags {
		if len(such) == 0 || slices.Contains(such, valueOf(f)) {
			all = append(all, "-"+f.Name)
		}
	}
	return all
}

// A value is what a flag takes.
type value int

const (
	nothing    value = iota
	checks           // a list of checks and variants
	rules            // a list of rules
	severities       // a list such as latelock=warning
	format           // a format, or one and a file
	levels           // what makes a run fail
	supplied         // an import path, or bundle
	file             // the name of a file
	dir              // the name of a directory
	attached         // the name of a file behind an equals sign, or nothing
	text             // something that cannot be completed
)

func valueOf(f *flag.Flag) value {
	name, _ := flag.UnquoteUsage(f)
	b, ok := f.Value.(interface{ IsBoolFlag() bool })
	isSwitch := ok && b.IsBoolFlag()
	switch {
	case slices.Contains([]string{"enable", "disable", "fix-only"}, f.Name):
		return checks
	case f.Name == "without":
		return rules
	case f.Name == "severity":
		return severities
	case f.Name == "format":
		return format
	case f.Name == "fail-on":
		return levels
	case f.Name == "safeio":
		return supplied
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

// values are the words that a value can be made of, nil where they are not known.
func (c completion) values(v value) []string {
	switch v {
	case checks:
		return c.names
	case rules:
		return c.rules
	case severities:
		var all []string
		for _, check := range c.checks {
			for _, s := range severityNames {
				all = append(all, check+"="+s)
			}
		}
		return all
	case format:
		return formats()
	case levels:
		return failLevels
	case supplied:
		return []string{supply.Bundle}
	}
	return nil
}

var severityNames = []string{string(report.Error), string(report.Warning), string(report.Note)}

// bashCompletion: bash breaks words at equals signs, so that -json=a is three of them, and
// -severity a=note,b=note has six.
func bashCompletion(w io.Writer, c completion) {
	pattern := func(such value) string {
		var all []string
		for _, name := range c.flagged(such) {
			all = append(all, name, name+"=")
		}
		return strings.Join(all, "|")
	}
	fmt.Fprintf(w, `# bash completion of lockvet: source <(lockvet completion bash)
_lockvet() {
	local cur=${COMP_WORDS[COMP_CWORD]} at=$((COMP_CWORD - 1)) prev head= words=
	[ "$cur" = = ] && cur= at=$COMP_CWORD
	prev=${COMP_WORDS[at]}
	if [ "$prev" = = ]; then
		case ${COMP_WORDS[at-1]} in
		-*) prev=${COMP_WORDS[at-1]}= ;;
		*) # behind the name of a check, or of a format
			while [ "$at" -gt 0 ] && [[ ${COMP_WORDS[at]} != -* ]]; do at=$((at - 1)); done
			case ${COMP_WORDS[at]} in
			-severity | --severity)
				prev=severity
				[[ $cur == *,* ]] && prev=-severity ;;
			esac ;;
		esac
	fi
	[[ $prev == --* ]] && prev=${prev#-}
	[[ $cur == *,* ]] && head=${cur%%,*},
	case $prev in
	%[1]s)
		words="%[2]s"
		[[ ${cur##*,} == */* ]] && words="%[3]s"
		COMPREPLY=($(compgen -P "$head" -W "$words" -- "${cur##*,}"))
		return ;;
	%[4]s)
		COMPREPLY=($(compgen -P "$head" -W "%[5]s" -- "${cur##*,}"))
		return ;;
	%[6]s)
		COMPREPLY=($(compgen -P "$head" -S = -W "%[2]s" -- "${cur##*,}"))
		compopt -o nospace 2>/dev/null
		return ;;
	severity)
		COMPREPLY=($(compgen -W "%[7]s" -- "$cur"))
		return ;;
	%[8]s)
		COMPREPLY=($(compgen -W "%[9]s" -- "$cur"))
		return ;;
	%[10]s)
		COMPREPLY=($(compgen -W "bundle" -- "$cur"))
		return ;;
	%[16]s)
		COMPREPLY=($(compgen -W "%[17]s" -- "$cur"))
		return ;;
	=|%[11]s)
		COMPREPLY=($(compgen -f -- "$cur"))
		return ;;
	%[12]s)
		COMPREPLY=($(compgen -d -- "$cur"))
		return ;;
	%[13]s)
		return ;;
	esac
	if [ "$COMP_CWORD" -eq 2 ]; then
		case $prev in
		explain)
			words="%[2]s"
			[[ $cur == */* ]] && words="%[3]s %[5]s"
			COMPREPLY=($(compgen -W "$words" -- "$cur"))
			return ;;
		cache)
			COMPREPLY=($(compgen -W clean -- "$cur"))
			return ;;
		completion)
			COMPREPLY=($(compgen -W "bash fish powershell zsh" -- "$cur"))
			return ;;
		esac
	fi
	case $cur in
	--*) COMPREPLY=($(compgen -P - -W "%[14]s" -- "${cur#-}")) ;;
	-*) COMPREPLY=($(compgen -W "%[14]s" -- "$cur")) ;;
	*)
		COMPREPLY=($(compgen -d -- "$cur"))
		[ "$COMP_CWORD" -eq 1 ] && COMPREPLY+=($(compgen -W "%[15]s" -- "$cur")) ;;
	esac
}
complete -o filenames -F _lockvet lockvet
`, pattern(checks), strings.Join(c.checks, " "), strings.Join(c.names, " "), pattern(rules), strings.Join(c.rules, " "),
		pattern(severities), strings.Join(severityNames, " "), pattern(format), strings.Join(formats(), " "), pattern(supplied),
		pattern(file)+"|"+strings.Join(c.flagged(attached), "=|")+"=", pattern(dir), pattern(text),
		strings.Join(c.flagged(), " "), strings.Join(c.commands, " "), pattern(levels), strings.Join(failLevels, " "))
}

func fishCompletion(w io.Writer, c completion) {
	fmt.Fprintln(w, "# fish completion of lockvet: lockvet completion fish | source")
	fmt.Fprintf(w, "complete -c lockvet -f -n 'not __fish_seen_subcommand_from %s' -a '(__fish_complete_directories)'\n", strings.Join(c.commands, " "))
	fmt.Fprintf(w, "complete -c lockvet -n __fish_use_subcommand -a '%s'\n", strings.Join(c.commands, " "))
	fmt.Fprintf(w, "complete -c lockvet -n '__fish_seen_subcommand_from explain' -f -a '%s'\n", strings.Join(c.checks, " "))
	fmt.Fprintln(w, "complete -c lockvet -n '__fish_seen_subcommand_from cache' -f -a clean")
	fmt.Fprintln(w, "complete -c lockvet -n '__fish_seen_subcommand_from completion' -f -a 'bash fish powershell zsh'")
	for _, f := range c.flags {
		_, usage := flag.UnquoteUsage(f)
		line := fmt.Sprintf("complete -c lockvet -o %s -d '%s'", f.Name, strings.ReplaceAll(usage, "'", `\'`))
		switch valueOf(f) {
		case checks, rules, severities:
			line += fmt.Sprintf(" -x -a '(__fish_append , %s)'", strings.Join(c.values(valueOf(f)), " "))
		case format, supplied, levels:
			line += fmt.Sprintf(" -x -a '%s'", strings.Join(c.values(valueOf(f)), " "))
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
			action = fmt.Sprintf(":check:_values -s , check %s", strings.Join(c.names, " "))
		case rules:
			action = fmt.Sprintf(":rule:_values -s , rule %s", strings.Join(c.rules, " "))
		case severities:
			action = ":check=severity: "
		case format:
			action = fmt.Sprintf(":format:(%s)", strings.Join(formats(), " "))
		case levels:
			action = fmt.Sprintf(":level:(%s)", strings.Join(failLevels, " "))
		case supplied:
			action = ":package:(bundle)"
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
  cache:3) compadd clean ;;
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
	var lists []string
	for _, f := range c.flags {
		if words := c.values(valueOf(f)); words != nil {
			lists = append(lists, fmt.Sprintf("'-%s' = @(%s)", f.Name, quoted(words)))
		}
	}
	fmt.Fprintf(w, `# PowerShell completion of lockvet: lockvet completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName lockvet -ScriptBlock {
	param($word, $ast, $cursor)
	$words = @($ast.CommandElements | ForEach-Object { $_.ToString() })
	$previous = if ($word -eq '') { $words[-1] } elseif ($words.Count -gt 1) { $words[-2] } else { '' }
	$checks = @(%s)
	$lists = @{ %s }
	$candidates = if ($lists.ContainsKey($previous)) {
		$head = if ($word -match ',') { $word -replace '[^,]*$', '' } else { '' }
		$lists[$previous] | ForEach-Object { "$head$_" }
	} elseif ($previous -eq 'explain') {
		$checks
	} elseif ($previous -eq 'cache') {
		@('clean')
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
`, quoted(c.names), strings.Join(lists, "; "), quoted(shellNames), quoted(c.flagged()), quoted(c.commands))
}
