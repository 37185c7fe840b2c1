// Command journal appends long records to a file that other processes append to
// at the same time:
//
//	journal WAY FILE WRITER COUNT
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// An event is one record. Some are longer than a buffer, and some are not.
type event struct {
	Writer string
	N      int
	Text   string
}

func main() {
	if len(os.Args) != 5 {
		log.Fatal("usage: journal WAY DIR WRITER COUNT")
	}
	way, dir := os.Args[1], os.Args[2]
	count, err := strconv.Atoi(os.Args[4])
	if err != nil {
		log.Fatal(err)
	}
	var events []event
	for n := range count {
		events = append(events, event{os.Args[3], n, strings.Repeat(os.Args[3], 300+n*7919%6000)})
	}
	ways := map[string]func(string, []event) error{"record": record, "batch": batch}
	if err := ways[way](dir, events); err != nil {
		log.Fatal(err)
	}
}

func journal(dir string) string { return filepath.Join(dir, "journal.jsonl") }

// record opens the file for each event.
func record(dir string, events []event) error {
	for _, e := range events {
		if err := add(journal(dir), e); err != nil {
			return err
		}
	}
	return nil
}

func add(path string, e event) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("open the journal: %w", err)
	}
	defer f.Close()
	data, err := json.Marshal(e)
	if err != nil {
		return err
	}
	if _, err := f.Write(data); err != nil {
		return fmt.Errorf("append to the journal: %w", err)
	}
	if _, err := f.WriteString("\n"); err != nil {
		return fmt.Errorf("append to the journal: %w", err)
	}
	return nil
}

// batch appends all events through one buffer.
func batch(dir string, events []event) error {
	f, err := os.OpenFile(journal(dir), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	enc := json.NewEncoder(w)
	for _, e := range events {
		if err := enc.Encode(e); err != nil {
			return err
		}
	}
	return w.Flush()
}
