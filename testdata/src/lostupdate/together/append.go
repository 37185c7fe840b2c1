package together

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
)

func ledger(dir string) string { return filepath.Join(dir, "state", "ledger.jsonl") }

// record adds a line, and would be lost by strike without the lock.
func record(dir string, line []byte) error {
	f, err := os.OpenFile(ledger(dir), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("open ledger: %w", err)
	}
	defer f.Close()
	if _, err := f.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("write ledger: %w", err)
	}
	return nil
}

// strike takes lines out.
func strike(dir string, line []byte) error {
	data, err := os.ReadFile(ledger(dir))
	if err != nil {
		return fmt.Errorf("read ledger: %w", err)
	}
	data = bytes.ReplaceAll(data, append(line, '\n'), nil)
	return replace(ledger(dir), data) // want `strike loads dir/state/ledger.jsonl`
}
