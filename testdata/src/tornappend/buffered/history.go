package buffered

import (
	"bufio"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

func loadHistory(dir string) ([]byte, error) {
	return os.ReadFile(filepath.Join(dir, "history"))
}

// saveHistory appends what the shell has seen.
func saveHistory(dir string, lines []string) error {
	f, err := os.OpenFile(filepath.Join(dir, "history"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	for _, line := range lines {
		fmt.Fprintln(w, line) // want `saveHistory appends to dir/history through a bufio writer`
	}
	if err := w.Flush(); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// addHistory asks for each error, and returns that of the flush.
func addHistory(dir string, lines []string) error {
	f, err := os.OpenFile(filepath.Join(dir, "history"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()

	// A buffer for speed.
	w := bufio.NewWriterSize(f, 1<<16)
	for _, line := range lines {
		if _, err := w.WriteString(line + "\n"); err != nil { // want `addHistory appends to dir/history through a bufio writer`
			return err
		}
	}
	return w.Flush()
}

type event struct{ Kind string }

// emit encodes one record in front of the buffer.
func emit(dir string, e *event) (string, error) {
	f, err := os.OpenFile(filepath.Join(dir, "events.jsonl"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return "", fmt.Errorf("open events: %w", err)
	}
	defer func() { _ = f.Close() }() // after the flush

	w := bufio.NewWriter(f)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(e); err != nil { // want `emit appends to dir/events\.jsonl through a bufio writer`
		return "", fmt.Errorf("write event: %w", err)
	}
	if err := w.Flush(); err != nil {
		return "", fmt.Errorf("flush events: %w", err)
	}
	return e.Kind, nil
}

// pair makes one record of two writes to the buffer.
func pair(dir string, e *event) error {
	f, err := os.OpenFile(filepath.Join(dir, "events.jsonl"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	data, err := json.Marshal(e)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	w.Write(data) // want `pair appends to dir/events\.jsonl through a bufio writer`
	w.WriteByte('\n')
	return w.Flush()
}

// table appends rows.
func table(dir string, rows [][]string) error {
	f, err := os.OpenFile(filepath.Join(dir, "inventory.db"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	w := csv.NewWriter(f)
	for _, row := range rows {
		if err := w.Write(row); err != nil { // want `table appends to dir/inventory\.db through a csv writer.*no fix: what the csv writer writes has to be collected first`
			return err
		}
	}
	w.Flush()
	return w.Error()
}

// packed appends a member to a compressed journal.
func packed(dir string, e *event) error {
	f, err := os.OpenFile(filepath.Join(dir, "journal.jsonl"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	z := gzip.NewWriter(f)
	if err := json.NewEncoder(z).Encode(e); err != nil { // want `packed appends to dir/journal\.jsonl through a gzip writer.*no fix: what the gzip writer`
		return err
	}
	return z.Close()
}
