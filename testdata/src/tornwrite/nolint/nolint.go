// Package nolint has golangci-lint drop some of what is said of its writes.
package nolint

import (
	"encoding/json"
	"os"
	"path/filepath"
)

type ledger struct {
	dir   string
	Lines []string
}

func (l *ledger) saveIndex() error {
	data, err := json.Marshal(l)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(l.dir, "index.json"), data, 0o600) //nolint:lockvet // want `\(\*ledger\)\.saveIndex truncates .*\(no fix: the line has a nolint comment\)`
}

func (l *ledger) saveConfig() error {
	data, err := json.Marshal(l)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(l.dir, "config.json"), data, 0o600) //nolint: errcheck, Lockvet // want `\(no fix: the line has a nolint comment\)`
}

// The comment speaks of the whole function.
//
//nolint:gosec,lockvet
func (l *ledger) saveState() error {
	data, err := json.Marshal(l)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(l.dir, "state.json"), data, 0o600) // want `\(no fix: the line has a nolint comment\)`
}

func (l *ledger) saveJournal() error {
	data, err := json.Marshal(l)
	if err != nil {
		return err
	}
	//nolint:all
	return os.WriteFile(filepath.Join(l.dir, "journal.json"), data, 0o600) // want `\(no fix: the line has a nolint comment\)`
}

func (l *ledger) saveHistory() error {
	data, err := json.Marshal(l)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(l.dir, "history.json"), data, 0o600) //nolint:errcheck,gosec // want `\(\*ledger\)\.saveHistory truncates`
}

// A comment in another column says nothing of the line below it.
func (l *ledger) saveQueue() error {
	data, err := json.Marshal(l) //nolint:lockvet
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(l.dir, "queue.json"), data, 0o600) // want `\(\*ledger\)\.saveQueue truncates`
}
