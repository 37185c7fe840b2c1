package separator

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

type agent struct{ Name string }

func register(dir string, a agent) error {
	b, err := json.Marshal(a)
	if err != nil {
		return err
	}
	return addLine(filepath.Join(dir, "registry.jsonl"), b)
}

// addLine must not write into what its caller has behind line.
func addLine(path string, line []byte) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Write(line); err != nil { // want `addLine appends a record to dir/registry\.jsonl`
		return err
	}
	_, err = f.Write([]byte("\n"))
	return err
}

// all appends many records, each in two writes.
func all(dir string, agents []agent) error {
	f, err := os.OpenFile(filepath.Join(dir, "registry.jsonl"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	for _, a := range agents {
		b, err := json.Marshal(a)
		if err != nil {
			return err
		}
		if _, err := f.Write(b); err != nil { // want `all appends a record to dir/registry\.jsonl`
			return fmt.Errorf("agent %s: %w", a.Name, err)
		}
		if _, err := f.WriteString("\n"); err != nil {
			return fmt.Errorf("line of %s: %w", a.Name, err)
		}
	}
	return nil
}

// counted wants to know how much was written.
func counted(dir string, a agent) (int, error) {
	b, err := json.Marshal(a)
	if err != nil {
		return 0, err
	}
	f, err := os.OpenFile(filepath.Join(dir, "registry.jsonl"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	n, err := f.Write(b) // want `counted appends a record to dir/registry\.jsonl .*no fix: the pieces have to become one write`
	if err != nil {
		return n, err
	}
	if _, err := f.WriteString("\n"); err != nil {
		return n, err
	}
	return n, nil
}

// halves leaves the newline to its caller.
func halves(dir string, a agent) error {
	f, err := os.OpenFile(filepath.Join(dir, "registry.jsonl"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := put(f, a); err != nil {
		return err
	}
	_, err = f.WriteString("\n")
	return err
}

func put(f *os.File, a agent) error {
	b, err := json.Marshal(a)
	if err != nil {
		return err
	}
	_, err = f.Write(b) // want `put appends a record to dir/registry\.jsonl .*no fix: the pieces have to become one write`
	return err
}
