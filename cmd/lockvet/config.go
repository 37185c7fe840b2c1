package main

import (
	"cmp"
	"errors"
	"fmt"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/analyse"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/report"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/supply"
	"github.com/lockvet/lockvet/internal/config"
)

// noConfig is the value of -config for none.
const noConfig = "off"

// configure reads the configuration, and completes the options with it. What the command
// line has given counts more.
func (c command) configure(o *options) (err error) {
	o.config = &config.File{}
	switch o.configFile {
	case noConfig:
	case "":
		o.config, err = config.Find(o.dir)
	default:
		o.config, err = config.Read(o.configFile)
	}
	if err != nil {
		return configurationError{err}
	}
	settings := slices.DeleteFunc(o.config.Settings(), func(s analyse.Setting) bool { return o.given[s.Name] })
	if !o.given["tests"] {
		o.tests = o.config.Tests
	}
	if o.tests {
		settings = append(settings, analyse.Setting{Name: "tests", Value: "true"})
	}
	o.settings = slices.Concat(settings, o.settings)
	o.safeio = cmp.Or(o.safeio, o.config.Safeio)
	if err := c.valid(o); err != nil {
		return configurationError{fmt.Errorf("%s: %w", o.config.Name, err)}
	}
	return nil
}

// A configurationError is what is wrong with the configuration, and not with the flags.
type configurationError struct{ error }

func (e configurationError) Unwrap() error { return e.error }

// valid is an error if the configuration names what does not exist. It gives the options
// its severities.
func (c command) valid(o *options) error {
	a := c.analyzer(nil)
	for _, s := range o.config.Settings() {
		if f := a.Flags.Lookup(s.Name); f != nil {
			if err := f.Value.Set(s.Value); err != nil {
				return fmt.Errorf("%s: %w", s.Name, err)
			}
		}
	}
	for _, e := range o.config.Exclude {
		if f := a.Flags.Lookup("disable"); f != nil && len(e.Checks) > 0 {
			if err := f.Value.Set(strings.Join(e.Checks, ",")); err != nil {
				return fmt.Errorf("exclude: %s: %w", e.Path, err)
			}
		}
	}
	for name, severity := range o.config.Severity {
		s, err := report.ParseSeverities(name + "=" + severity)
		if err != nil {
			return fmt.Errorf("severity: %w", err)
		}
		if o.severities == nil {
			o.severities = make(report.Severities)
		}
		if _, given := o.severities[name]; !given {
			o.severities[name] = s[name]
		}
	}
	return nil
}

// unwanted reports whether a finding does not count for the user: its place is excluded, or its score is too low.
func (s *session) unwanted(f *analyse.Found) bool {
	return s.config.Excludes(f.Position().Filename, f.Category()) != nil || f.Score < s.minScore && f.Verdict != nil
}

// quiet reports whether a finding is not reported, since it is a note, and not all was asked for.
func (s *session) quiet(f *analyse.Found) bool {
	return s.severities.Of(f.Finding) == report.Note && !s.all && s.failOn != string(report.Note)
}

// mayFix reports whether a finding that is not reported may be fixed: where somebody chooses, and where the user alone
// has said that it is a note.
func (s *session) mayFix(f *analyse.Found) bool {
	return s.gate.Chosen || s.fixes() && f.Severity != report.Note
}

// vetFlags prints the flags that tell go vet what the configuration says.
func (c command) vetFlags(args []string) (int, error) {
	o, err := c.parse(args)
	if err != nil {
		return 0, err
	}
	if len(o.patterns) != 1 || o.patterns[0] != "." {
		return 0, errors.New("usage: lockvet vet-flags [flags]")
	}
	a := c.analyzer(nil)
	for _, s := range o.settings {
		fmt.Fprintf(c.stdout, "-%s.%s=%s\n", a.Name, s.Name, bare(s))
	}
	if o.safeio != "" && o.safeio != supply.Bundle {
		fmt.Fprintf(c.stdout, "-%s.safeio=%s\n", a.Name, o.safeio)
	}
	if o.config.Name == "" {
		fmt.Fprintf(c.stderr, "there is no %s in %s or above it\n", config.Names[0], o.dir)
	} else {
		fmt.Fprintf(c.stderr, "go vet does not read %s: the go command caches results by flags, so pass these flags instead\n", o.config.Name)
	}
	if o.safeio == supply.Bundle {
		fmt.Fprintln(c.stderr, "safeio: bundle is not for go vet, which writes no copy: fix with lockvet -fix")
	}
	if len(o.config.Exclude)+len(o.severities) > 0 {
		fmt.Fprintln(c.stderr, "exclusions and severities are not for go vet: write //lockvet:ignore CHECK REASON at the places")
	}
	return exitClean, nil
}

// bare is a value as it can stand in a shell without quotes, behind a command that the
// shell replaces by its output, and splits at white space: a list needs none, and an
// expression, as package syntax writes it, has only blanks.
func bare(s analyse.Setting) string {
	if re, err := syntax.Parse(s.Value, syntax.Perl); s.Name == "state" && err == nil && strings.ContainsFunc(s.Value, unicode.IsSpace) {
		return strings.ReplaceAll(re.String(), " ", `\x{20}`)
	}
	return strings.Join(strings.Fields(s.Value), "")
}
