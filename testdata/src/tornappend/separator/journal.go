package separator

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

// appendEntry adds one entry to the journal.
func appendEntry(path string, entry any) error {
	// Open for appending.
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644) //nolint:gosec // readable by all
	if err != nil {
		return fmt.Errorf("open journal %s: %w", path, err)
	}
	defer f.Close()

	line, err := json.Marshal(entry)
	if err != nil {
		return fmt.Errorf("encode entry: %w", err)
	}
	// The entry goes last.
	if _, err := f.Write(line); err != nil { // want `appendEntry appends a record to path and ends it by another write`
		return fmt.Errorf("append to %s: %w", path, err)
	}
	if _, err := f.WriteString("\n"); err != nil {
		return fmt.Errorf("end the line of %s: %w", path, err)
	}
	return nil
}

func readEntry(path string) ([]map[string]any, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var list []map[string]any
	for in := bufio.NewScanner(f); in.Scan(); {
		var entry map[string]any
		if err := json.Unmarshal(in.Bytes(), &entry); err != nil {
			return nil, err
		}
		list = append(list, entry)
	}
	return list, nil
}
