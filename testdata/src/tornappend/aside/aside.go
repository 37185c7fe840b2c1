// Package aside has reasons that are about something else than the file.
package aside

import (
	"encoding/json"
	"os"
	"path/filepath"
	"syscall"
)

const appending = os.O_APPEND | os.O_CREATE | os.O_WRONLY

func turnsFile(dir string) string { return filepath.Join(dir, "turns.jsonl") }

func flock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// printing has a lock of something else.
func printing(dir string, turn any) error {
	data, err := json.Marshal(turn)
	if err != nil {
		return err
	}
	l, err := flock("/run/lock/printer")
	if err != nil {
		return err
	}
	defer l.Close()
	f, err := os.OpenFile(turnsFile(dir), appending, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	f.Write(data) // want `printing appends a record to .*turns\.jsonl`
	_, err = f.WriteString("\n")
	return err
}

// beside has one that stands beside the file.
func beside(dir string, turn any) error {
	data, err := json.Marshal(turn)
	if err != nil {
		return err
	}
	l, err := flock(filepath.Join(dir, "turns.lock"))
	if err != nil {
		return err
	}
	defer l.Close()
	f, err := os.OpenFile(turnsFile(dir), appending, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	f.Write(data)
	_, err = f.WriteString("\n")
	return err
}

// rotated moves the file away only when it is full.
func rotated(dir string, turn any, full bool) error {
	data, err := json.Marshal(turn)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(turnsFile(dir), appending, 0o600)
	if err != nil {
		return err
	}
	f.Write(data) // want `rotated appends a record to .*turns\.jsonl`
	f.WriteString("\n")
	f.Close()
	if full {
		return os.Rename(turnsFile(dir), turnsFile(dir)+".1")
	}
	return nil
}

// A turns keeps its file open, and whoever opens it a lock of something else.
type turns struct{ file, printer *os.File }

func openTurns(dir string) (*turns, error) {
	l, err := flock("/run/lock/printer")
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(dir, "open-turns.jsonl"), appending, 0o600)
	if err != nil {
		l.Close()
		return nil, err
	}
	return &turns{file: f, printer: l}, nil
}

func (t *turns) add(turn any) error {
	data, err := json.Marshal(turn)
	if err != nil {
		return err
	}
	t.file.Write(data) // want `\(\*turns\)\.add appends a record to .*open-turns\.jsonl`
	_, err = t.file.WriteString("\n")
	return err
}

// closeTurns takes a lock when it has added the last.
func closeTurns(dir string, t *turns, turn any) error {
	if err := t.add(turn); err != nil {
		return err
	}
	l, err := flock(filepath.Join(dir, "turns.lock"))
	if err != nil {
		return err
	}
	defer l.Close()
	return t.file.Close()
}
