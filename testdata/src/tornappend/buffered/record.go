package buffered

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
)

// logUsage appends one record.
func logUsage(dir string, entry map[string]int) error {
	f, err := os.OpenFile(filepath.Join(dir, "history"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	data, err := json.Marshal(entry)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	if _, err := w.Write(data); err != nil { /* warning */ // want `logUsage appends to dir/history through a bufio writer`
		return err
	}
	if _, err := w.WriteString("\n"); err != nil {
		return err
	}
	return w.Flush()
}

// logAll appends all records, by a function that goes round.
func logAll(dir string, entries []map[string]int) error {
	f, err := os.OpenFile(filepath.Join(dir, "history"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	if err := writeAll(w, entries); err != nil {
		return err
	}
	return w.Flush()
}

func writeAll(w *bufio.Writer, entries []map[string]int) error {
	for _, entry := range entries {
		data, err := json.Marshal(entry)
		if err != nil {
			return err
		}
		if _, err := w.Write(data); err != nil { /* error */ // want `appends to dir/history through a bufio writer`
			return err
		}
		if _, err := w.WriteString("\n"); err != nil {
			return err
		}
	}
	return nil
}
