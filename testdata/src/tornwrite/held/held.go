// Package held has objects that keep a file open which they also rewrite.
package held

import (
	"encoding/json"
	"os"
)

// A ledger appends through the handle that it keeps.
type ledger struct {
	path string
	file *os.File
	rows []string
}

func open(path string) (*ledger, error) {
	l := &ledger{path: path}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(data, &l.rows); err != nil {
		return nil, err
	}
	l.file, err = os.OpenFile(path, os.O_RDWR|os.O_APPEND, 0o600)
	return l, err
}

func (l *ledger) add(row string) error {
	_, err := l.file.WriteString(row)
	return err
}

// A replaced file would not be the one that add writes to.
func (l *ledger) rewrite() error {
	data, err := json.Marshal(l.rows)
	if err != nil {
		return err
	}
	return os.WriteFile(l.path, data, 0o600) // want `\(\*ledger\).rewrite truncates l.path .*no fix: open keeps it open`
}

// A note keeps nothing open.
type note struct {
	path string
	text map[string]string
}

func (n *note) load() error {
	data, err := os.ReadFile(n.path)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, &n.text)
}

func (n *note) save() error {
	data, err := json.Marshal(n.text)
	if err != nil {
		return err
	}
	return os.WriteFile(n.path, data, 0o600) // want `\(\*note\).save truncates n.path`
}

// What the program keeps open is a package variable.
var journal struct {
	file *os.File
	rows []string
}

const journalFile = "journal.json"

func openJournal() error {
	f, err := os.OpenFile(journalFile, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	journal.file = f
	return json.NewDecoder(f).Decode(&journal.rows)
}

// add writes through the handle that openJournal has stored.
func add(row string) error {
	_, err := journal.file.WriteString(row)
	return err
}

func rewriteJournal() error {
	data, err := json.Marshal(journal.rows)
	if err != nil {
		return err
	}
	return os.WriteFile(journalFile, data, 0o600) // want `rewriteJournal truncates journal.json .*no fix: openJournal keeps it open`
}
