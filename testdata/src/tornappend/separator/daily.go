package separator

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

type ledger struct{ dir string }

// enter appends to the file of the day, which all processes of that day share.
func (l *ledger) enter(entry any) (err error) {
	path := filepath.Join(l.dir, fmt.Sprintf("ledger-%s.jsonl", time.Now().UTC().Format("2006-01-02")))
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	line, err := json.Marshal(entry)
	if err != nil {
		return err
	}
	if _, err = f.Write(line); err != nil { // want `\(\*ledger\)\.enter appends a record to l\.dir/ledger-`
		return err
	}
	if _, err = f.Write([]byte("\n")); err != nil {
		return err
	}
	return nil
}

// enterAt has a file for each moment.
func (l *ledger) enterAt(entry any) error {
	path := filepath.Join(l.dir, fmt.Sprintf("ledger-%s.jsonl", time.Now().Format("20060102-150405")))
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	line, err := json.Marshal(entry)
	if err != nil {
		return err
	}
	f.Write(line)
	_, err = f.Write([]byte("\n"))
	return err
}
