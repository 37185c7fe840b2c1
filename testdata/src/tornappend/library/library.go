// Package library appends to files that its callers name: that each line is a
// record is all that is known of them.
package library

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
)

// Add appends v to the file at path.
func Add(path string, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	if _, err := f.Write(b); err != nil { // want `Add appends a record to path and ends it by another write`
		_ = f.Close()
		return err
	}
	if _, err := f.Write([]byte("\n")); err != nil {
		_ = f.Close()
		return err
	}
	return f.Close()
}

// A Sink has one file open.
type Sink struct{ f *os.File }

// Open makes a Sink.
func Open(name string) (*Sink, error) {
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, fmt.Errorf("sink: %w", err)
	}
	return &Sink{f}, nil
}

// Put appends v.
func (s *Sink) Put(v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if _, err := s.f.Write(b); err != nil { // want `\(\*Sink\)\.Put appends a record to name and ends it by another write`
		return fmt.Errorf("sink: %w", err)
	}
	if _, err := s.f.WriteString("\n"); err != nil {
		return fmt.Errorf("sink: %w", err)
	}
	return nil
}

// Say appends any text: nobody reads it but people.
func Say(path, text string) {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return
	}
	defer f.Close()
	f.WriteString(text)
	f.WriteString("\n")
}

// Report appends to what it calls a log.
func Report(logPath string, v any) {
	b, _ := json.Marshal(v)
	f, err := os.OpenFile(logPath, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return
	}
	defer f.Close()
	f.Write(b)
	f.WriteString("\n")
}

// Trial appends to where it is run.
func Trial(v any) {
	b, _ := json.Marshal(v)
	f, err := os.OpenFile("trial", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return
	}
	defer f.Close()
	f.Write(b)
	f.WriteString("\n")
}

var to = flag.String("to", "", "where the answers go")

// Answer appends to what the user names.
func Answer(v any) { write(*to, v) }

func write(path string, v any) {
	b, _ := json.Marshal(v)
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return
	}
	defer f.Close()
	f.Write(b)
	f.WriteString("\n")
}
