package separator

import (
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
)

// An audit keeps its file open. The mutex is of this process alone.
type audit struct {
	mu   sync.Mutex
	file *os.File
}

func newAudit(home string) (*audit, error) {
	f, err := os.OpenFile(filepath.Join(home, "audit.jsonl"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	return &audit{file: f}, nil
}

func (a *audit) record(event any) {
	data, err := json.Marshal(event)
	if err != nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.file.Write(data) // want `\(\*audit\)\.record appends a record to .*audit\.jsonl and ends it by another write`
	a.file.WriteString("\n")
}

// pretty has lines in its records.
func (a *audit) pretty(event any) error {
	data, err := json.MarshalIndent(event, "", "  ")
	if err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, err := a.file.Write(data); err != nil { // want `\(\*audit\)\.pretty appends a record`
		return err
	}
	if _, err := a.file.Write([]byte("\r\n")); err != nil {
		return err
	}
	return a.file.Sync()
}
