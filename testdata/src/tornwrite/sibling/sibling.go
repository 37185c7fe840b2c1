// Package sibling learns from the method that reads what the one that writes
// leaves behind.
package sibling

import (
	"encoding/json"
	"os"
)

type board struct {
	file string
	raw  []byte
	Pins []string
}

func (b *board) open() error {
	data, err := os.ReadFile(b.file)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, b)
}

func (b *board) flushTo() error {
	data, err := json.Marshal(b.Pins)
	if err != nil {
		return err
	}
	return os.WriteFile(b.file, data, 0o644) // want `\(\*board\)\.flushTo truncates b\.file before it is written`
}

type easel struct {
	file string
	Pins []string
}

func (e *easel) paint() error {
	data, err := json.Marshal(e.Pins)
	if err != nil {
		return err
	}
	return os.WriteFile(e.file, data, 0o644) // ok: nobody reads it, and no name speaks of state
}

type spool struct{ Threads []string }

// loadFile is a plain function: what it returns says what it is the loader of.
func loadFile(path string) (*spool, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	s := new(spool)
	return s, json.Unmarshal(data, s)
}

func (s *spool) writeFile(to string) error {
	data, err := json.Marshal(s.Threads)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o644) // want `\(\*spool\)\.writeFile truncates the file at to before it is written`
}

type skein struct{ Threads []string }

func (s *skein) writeFile(to string) error {
	data, err := json.Marshal(s.Threads)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o644) // ok: nothing loads one of these
}
