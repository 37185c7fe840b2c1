package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
)

//go:embed field.json
var fieldData []byte

// A field is what was measured on public repositories: docs/field.md says it.
type field struct {
	// Read are the reports that somebody has read who did not write the rule.
	Read []struct {
		What                           string
		Reports, Wanted, Either, False int
		First                          string // what was wrong before rules were made of it
	}
	// Found are the known bugs of each class that are reported at the commit before their
	// fix, where that type-checks: on the repositories on which rules were made, and on
	// others, drawn by lot.
	Found []struct {
		Class              string
		Made, OfMade       int
		Unseen, OfUnseen   int
		PerMade, PerUnseen int // percent, each repository counting the same
	}
	// Fixed are the trees to which all fixes were applied, with the tests of the changed
	// packages that passed before and after.
	Fixed []struct {
		What                 string
		Fixes, Passed, After int
	}
	// Hunks are those of patches that somebody has read who did not write the fixes.
	Hunks []struct {
		What                    string
		Hunks, Merge, Shrug, No int
	}
	// Misses are shapes of code that are not found; Tried what was given up.
	Misses []string
	Tried  []struct{ What, Why string }
}

// fieldPage is docs/field.md.
func fieldPage() ([]byte, error) {
	var f field
	dec := json.NewDecoder(bytes.NewReader(fieldData))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&f); err != nil {
		return nil, fmt.Errorf("tools/docgen/field.json: %w", err)
	}
	var b bytes.Buffer
	b.WriteString("<!-- Made by go run ./tools/docgen from tools/docgen/field.json and truth.json. -->\n\n" +
		"# What lockvet finds in public repositories\n\n")
	if err := writeTruth(&b); err != nil {
		return nil, err
	}
	b.WriteString(
		"## How often it is right\n\n" +
			"Each report was read and compared with the function, its callers and the code that reads the file. The " +
			"people who read them had not written the rules, unless the table says so. " +
			"*Wanted*: a good reviewer wants it fixed. *Not worth it*: true, but most would leave it, because the file is " +
			"recreated automatically, two writers at once are unlikely, or every reader " +
			"can do without it. *False*: it cannot happen. Where false reports led to new rules, the table counts the " +
			"reports with these rules; the last column says what was false at first.\n\n" +
			"| read | reports | wanted | not worth it | false | at first |\n|---|---|---|---|---|---|\n",
	)
	for _, r := range f.Read {
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | %s |\n", r.What, r.Reports, r.Wanted, r.Either, r.False, r.First)
	}
	if len(f.Found) > 0 {
		b.WriteString("\n## How much of it is found\n\n" +
			"The table counts bugs that their authors have fixed, each at the commit before the fix, if that type-checks. The first " +
			"two columns are repositories that were used to make the rules. The last two are others, " +
			"collected without knowledge of lockvet, and evaluated once, with the rules of an earlier version, one " +
			"package at a time. In an older set of 37, an older version found 12. In a later set of " +
			"41, with only locks, races and lost updates, 13 were found. In a set of 47, from 35 repositories, 25 were found: 18 of " +
			"20 files that are written in place or through a temporary file, and 7 of 27 others. In the latest set of 53, " +
			"from 32 repositories, 31 were found: 18 of 24 and 13 of 29; of 22 correct places there, one was reported. " +
			"After half of the rules were removed, 44 of 57 bugs from 35 repositories were found, " +
			"one fewer than before. A bug can be of two classes, or of none of these; `all` counts each once. Per cent: each repository counts the same.\n\n" +
			"| class | found | per cent | found, other repositories | per cent |\n|---|---|---|---|---|\n")
		for _, r := range f.Found {
			fmt.Fprintf(
				&b,
				"| %s | %d of %d | %d | %d of %d | %d |\n",
				r.Class,
				r.Made,
				r.OfMade,
				r.PerMade,
				r.Unseen,
				r.OfUnseen,
				r.PerUnseen,
			)
		}
	}
	b.WriteString(
		"\n## What the fixes do to a program\n\n`lockvet -fix ./...` was run on copies, with an earlier version. All copies compiled afterwards, and a second run changed nothing. " +
			"Two tests passed before and failed afterwards; the data do not say why.\n\n" +
			"| trees | fixes | tests that passed before | of these, after |\n|---|---|---|---|\n",
	)
	for _, r := range f.Fixed {
		fmt.Fprintf(&b, "| %s | %d | %d | %d |\n", r.What, r.Fixes, r.Passed, r.After)
	}
	b.WriteString("\nA reader who had not written the fixes reviewed each hunk that changes more than imports, as a " +
		"maintainer reviews a pull request. *Merged*: without comment. " +
		"*Not needed*: correct, but without benefit. *Refused*: it needs changes, or breaks something.\n\n" +
		"| read | hunks | merged | not needed | refused |\n|---|---|---|---|---|\n")
	for _, r := range f.Hunks {
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d |\n", r.What, r.Hunks, r.Merge, r.Shrug, r.No)
	}
	if len(f.Misses) > 0 {
		b.WriteString("\n## What it misses\n\n")
		for _, m := range f.Misses {
			fmt.Fprintf(&b, "- %s\n", m)
		}
	}
	b.WriteString("\n## What was tried, and given up\n\n| tried | why not |\n|---|---|\n")
	for _, r := range f.Tried {
		fmt.Fprintf(&b, "| %s | %s |\n", r.What, r.Why)
	}
	return b.Bytes(), nil
}
