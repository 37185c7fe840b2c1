package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// collect makes the labelled rows from a corpus and from what lockvet says of the source. Rows of commits that lockvet has
// not looked at stay as they are, if they were collected before.
func collect(dir, reports, rules string, out io.Writer) error {
	rows, asked, err := corpus(dir)
	if err != nil {
		return err
	}
	docs := map[string]reportOf{}
	read := func(name string) (doc reportOf, err error) {
		if doc, ok := docs[name]; ok {
			return doc, nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return doc, err
		}
		if err := json.Unmarshal(text, &doc); err != nil {
			return doc, fmt.Errorf("%s: %w: run lockvet again", name, err)
		}
		docs[name] = doc
		return doc, nil
	}
	var kept []Row
	absent := map[string]bool{}
	for i := range rows {
		r := &rows[i]
		key := keyOf(*r)
		names, err := filepath.Glob(filepath.Join(reports, key+"+*.json"))
		if err != nil {
			return err
		}
		if len(names) == 0 {
			absent[key] = true
			continue
		}
		for _, name := range names {
			doc, err := read(name)
			if err != nil {
				return err
			}
			module := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(name), key+"+"), ".json")
			if module == "root" {
				module = ""
			}
			dir := strings.ReplaceAll(module, "_", "/")
			before := *r
			if rules != "" {
				old, err := read(filepath.Join(rules, filepath.Base(name)))
				if err != nil {
					return err
				}
				match(&before, old, dir, asked[i])
			}
			match(r, doc, dir, asked[i])
			if rules != "" {
				r.Before = before.Before
			}
		}
		kept = append(kept, *r)
	}
	before, err := readRows(labelled)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	made := len(kept)
	for _, r := range before {
		if absent[keyOf(r)] {
			kept = append(kept, r)
		}
	}
	fmt.Fprintf(out, "%d rows, %d of them as they were: %d commits were not analysed\n", len(kept), len(kept)-made, len(absent))
	if err := os.MkdirAll(filepath.Dir(labelled), 0o755); err != nil {
		return err
	}
	return writeRows(labelled, kept)
}

// keyOf is how the reports of a row's commit are named.
func keyOf(r Row) string { return strings.ReplaceAll(r.Repository, "/", "+") + "@" + r.Commit[:10] }
