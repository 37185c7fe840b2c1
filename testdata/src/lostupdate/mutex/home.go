package mutex

import (
	"encoding/json"
	"os"
	"sync"

	"github.com/mitchellh/go-homedir"
)

// A ledger stands where every process of the user finds it.
type ledger struct {
	mu   sync.Mutex
	path string
}

func openLedger() (*ledger, error) {
	path, err := homedir.Expand("~/.agent/ledger.json")
	return &ledger{path: path}, err
}

func (l *ledger) add(name string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	data, err := os.ReadFile(l.path)
	if err != nil {
		return err
	}
	entries := map[string]bool{}
	if err := json.Unmarshal(data, &entries); err != nil {
		return err
	}
	entries[name] = true
	if data, err = json.Marshal(entries); err != nil {
		return err
	}
	return replace(l.path, data) // want `\(\*ledger\).add loads l.path, changes it and saves it under a mutex of this process alone`
}
