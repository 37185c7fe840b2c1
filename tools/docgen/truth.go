package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/lockvet/lockvet/tools/internal/truth"
)

//go:embed truth.json
var truthData []byte

// writeTruth writes what the execution of schedules has shown of public programs.
func writeTruth(b *bytes.Buffer) error {
	var r truth.Results
	if err := json.Unmarshal(truthData, &r); err != nil {
		return fmt.Errorf("tools/docgen/truth.json: %w", err)
	}
	tests := 0
	for _, result := range r {
		tests += result.Tests
	}
	fmt.Fprintf(b, "## What runs show\n\n`go run ./tools/truth` runs [lockvet prove](prove.md) over %d programs, which "+
		"have %d tests in the packages that it runs. Notes are counted, too. *Reached*: a passing test reaches the line of the finding. "+
		"*Proven*: the schedule was executed, and the file lost something. *Refuted*: it was executed, and nothing was lost.\n\n"+
		"| findings of | reached | proven | refuted | not reached |\n|---|---|---|---|---|\n", len(r), tests)
	for _, c := range r.ByCheck() {
		fmt.Fprintf(b, "| %s | %d | %d | %d | %d |\n", c.Name, c.Proven+c.Refuted, c.Proven, c.Refuted, c.Unreached)
	}
	b.WriteString("\nThe tests also show losses independently of any finding: a file that the program reads is truncated before it is written, " +
		"or replaced by content that was not synced, or is loaded and saved with no lock around both. The table counts these places, and how many of them are reported:\n\n" +
		"| shown | places | reported |\n|---|---|---|\n")
	for _, c := range r.Recalls() {
		fmt.Fprintf(b, "| `%s` | %d | %d |\n", c.Category, c.Shown, c.Reported)
	}
	b.WriteString("\nWhy the others are not reported: the [rule](rules.md) that decided, the most frequent first. Some of these rules were removed after the measurement.\n\n| not reported | places | by |\n|---|---|---|\n")
	for _, c := range r.Misses() {
		category, cause, _ := strings.Cut(c.Text, " ")
		fmt.Fprintf(b, "| `%s` | %d | %s |\n", category, c.Count, cause)
	}
	if refuted := r.Refuted(); len(refuted) > 0 {
		b.WriteString("\nWhat was refuted, and what prevented the loss:\n\n")
		for _, text := range refuted {
			fmt.Fprintf(b, "- %s\n", text)
		}
	}
	b.WriteString("\nThe programs: ")
	for i, name := range r.Programs() {
		if i > 0 {
			b.WriteString(", ")
		}
		source, version, _ := strings.Cut(r[name].Source, "@")
		fmt.Fprintf(b, "%s@%s", source, version[:min(len(version), 12)])
	}
	b.WriteString(".\n\n")
	return nil
}
