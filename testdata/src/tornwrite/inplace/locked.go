package inplace

import (
	"encoding/json"
	"os"
	"sync"
	"syscall"
)

type ledger struct {
	mu   sync.Mutex
	path string
	rows []int
}

// A mutex keeps goroutines apart; it stops neither a crash nor another process.
func (l *ledger) save() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	data, err := json.Marshal(l.rows)
	if err != nil {
		return err
	}
	return os.WriteFile(l.path, data, 0o600) // want `\(\*ledger\)\.save truncates l\.path`
}

// A lock between processes stops no crash, and readers do not take it.
func (l *ledger) saveLocked(lock *os.File) error {
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	defer syscall.Flock(int(lock.Fd()), syscall.LOCK_UN)
	data, err := json.Marshal(l.rows)
	if err != nil {
		return err
	}
	return os.WriteFile(l.path, data, 0o600) // want `\(\*ledger\)\.saveLocked truncates l\.path`
}
