package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"time"
)

// A section is what the changelog says of a version.
type section struct{ version, date, text string }

var (
	heading   = regexp.MustCompile(`(?m)^## \[(.+?)\](?: - (.+))?\n`)
	reference = regexp.MustCompile(`(?m)^\[.+?\]: http.*\n`)
)

// changelog reads the sections of a changelog. There is one for what is not released, and
// then one for each version, the newest first; each has a link.
func changelog(text string) ([]section, error) {
	var all []section
	at := heading.FindAllStringSubmatchIndex(text, -1)
	for i, m := range at {
		end := len(text)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		s := section{version: text[m[2]:m[3]], text: strings.TrimSpace(reference.ReplaceAllString(text[m[1]:end], ""))}
		if m[4] >= 0 {
			s.date = text[m[4]:m[5]]
		}
		if !strings.Contains(text, "\n["+s.version+"]: https://") {
			return nil, fmt.Errorf("the version %s has no link", s.version)
		}
		all = append(all, s)
	}
	if len(all) < 2 || all[0].version != "Unreleased" {
		return nil, fmt.Errorf("there are %d sections, and the first is not [Unreleased]", len(all))
	}
	return all, nil
}

// notes are what a release says of a tag: its section of the changelog, which needs the day.
func notes(file, tag string) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	all, err := changelog(string(text))
	if err != nil {
		return "", fmt.Errorf("%s: %w", file, err)
	}
	for _, s := range all {
		if "v"+s.version != tag {
			continue
		}
		if _, err := time.Parse(time.DateOnly, s.date); err != nil {
			return "", fmt.Errorf("%s: the section of %s needs the day of the release in place of %q", file, tag, s.date)
		}
		if s.text == "" || all[0].text != "" {
			return "", fmt.Errorf("%s: the section of %s is empty, or that of what is not released is not", file, tag)
		}
		return s.text + "\n", nil
	}
	return "", fmt.Errorf("%s: there is no section for %s", file, tag)
}
