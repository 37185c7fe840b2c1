package main

import (
	"embed"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/lockvet/lockvet/analyzer"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/report"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/supply"
	"github.com/lockvet/lockvet/internal/verdict"
)

// scripts are the completion scripts, named after their shells. Each asks the command what can stand at the cursor,
// which is then the part of a word behind its last equals sign: bash breaks words there, and the others put the rest in
// front again.
//
//go:embed completion
var scripts embed.FS

// What a shell completes by itself.
const (
	files   = ":files"
	folders = ":folders"
)

var shellNames = []string{"bash", "fish", "powershell", "zsh"}

// complete prints the completion script of a shell.
func (c command) complete(args []string) (int, error) {
	if len(args) != 1 || !slices.Contains(shellNames, args[0]) {
		return 0, fmt.Errorf("usage: lockvet completion %s", strings.Join(shellNames, "|"))
	}
	script, err := scripts.ReadFile("completion/" + args[0])
	if err != nil {
		return 0, err
	}
	_, err = c.stdout.Write(script)
	return exitClean, err
}

// completed prints, for such a script, what can stand in place of the last of the words of a command line.
func (c command) completed(args []string) (int, error) {
	var words []string
	for i, w := range args { // of bash, an equals sign is a word
		if n := len(words); n > 0 && (w == "=" || i > 0 && args[i-1] == "=") {
			words[n-1] += w
		} else {
			words = append(words, w)
		}
	}
	if len(words) == 0 {
		return 0, errors.New("no words to complete: the usage is lockvet __complete WORD... [WORD]")
	}
	last := len(words) - 1
	for _, text := range c.following(words[:last], words[last]) {
		fmt.Fprintln(c.stdout, text)
	}
	return exitClean, nil
}

// following are the candidates for a word that follows others.
func (c command) following(before []string, word string) []string {
	name, value, attached := strings.Cut(strings.TrimLeft(word, "-"), "=")
	previous := ""
	if len(before) > 0 {
		previous = before[len(before)-1]
	}
	flags := c.flagSet(new(options))
	valued := flags.Lookup(strings.TrimLeft(previous, "-"))
	switch {
	case strings.HasPrefix(word, "-") && attached:
		return valuesOf(flags.Lookup(name), value)
	case strings.HasPrefix(word, "-"):
		var all []string
		for _, f := range c.documented() {
			_, usage := flag.UnquoteUsage(f)
			all = append(all, word[:len(word)-len(name)]+f.Name+"\t"+usage)
		}
		return beginning(word, all)
	case strings.HasPrefix(previous, "-") && valued != nil && !isSwitch(valued):
		return valuesOf(valued, word)
	case len(before) == 0:
		return append([]string{folders}, beginning(word, commandNames())...)
	case len(before) > 1:
	case previous == "explain" && strings.Contains(word, "/"):
		return append(named(word), ruled(word)...)
	case previous == "explain":
		return named(word)
	case previous == "cache":
		return []string{"clean"}
	case previous == "completion":
		return beginning(word, shellNames)
	}
	return []string{folders}
}

// valuesOf are the candidates for the value of a flag, nil for none: the part behind its last equals sign.
func valuesOf(f *flag.Flag, value string) []string {
	if f == nil {
		return nil
	}
	comma := strings.LastIndexByte(value, ',') + 1
	head, item := value[:comma], value[comma:]
	var items []string
	switch kind, _ := flag.UnquoteUsage(f); {
	case slices.Contains([]string{"enable", "disable", "fix-only"}, f.Name):
		items = named(item)
	case f.Name == "without":
		items = ruled(item)
	case f.Name == "severity":
		if _, severity, ok := strings.Cut(item, "="); ok {
			return beginning(severity, severityNames)
		}
		head = head[strings.LastIndexByte(head, '=')+1:]
		for _, check := range beginning(item, analyzer.Checks()) {
			items = append(items, check+"=")
		}
	case f.Name == "format" && strings.Contains(value, "="), strings.EqualFold(kind, "file"):
		return []string{files}
	case f.Name == "format":
		return beginning(value, formats())
	case f.Name == "fail-on":
		return beginning(value, failLevels)
	case f.Name == "safeio":
		return beginning(value, []string{supply.Bundle})
	case kind == "dir":
		return []string{folders}
	}
	for i := range items {
		items[i] = head + items[i]
	}
	return items
}

var severityNames = []string{string(report.Error), string(report.Warning), string(report.Note)}

// named are the checks that begin with a text, and their variants where it is longer than a check.
func named(text string) []string {
	if strings.Contains(text, "/") {
		return beginning(text, analyzer.Names())
	}
	return beginning(text, analyzer.Checks())
}

// ruled are the rules whose IDs begin with a text.
func ruled(text string) (all []string) {
	for _, r := range verdict.Rules() {
		all = append(all, r.ID)
	}
	return beginning(text, all)
}

func beginning(with string, words []string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(w string) bool { return !strings.HasPrefix(w, with) })
}
