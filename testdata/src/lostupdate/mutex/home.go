package mutex

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
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

// A register is made with a path, or stands in the user's home.
type register struct {
	path string
	mu   sync.Mutex
}

type options struct{ path string }

func registerPath() (string, error) {
	home, err := os.UserHomeDir()
	return filepath.Join(home, ".agent", "register.json"), err
}

func newRegister(o options) (*register, error) {
	path := strings.TrimSpace(o.path)
	if path == "" {
		var err error
		if path, err = registerPath(); err != nil {
			return nil, err
		}
	}
	return &register{path: filepath.Clean(path)}, nil
}

func (r *register) load() (map[string]bool, error) {
	entries := map[string]bool{}
	data, err := os.ReadFile(r.path)
	if err != nil {
		return nil, err
	}
	return entries, json.Unmarshal(data, &entries)
}

func (r *register) save(entries map[string]bool) error {
	data, err := json.Marshal(entries)
	if err != nil {
		return err
	}
	return replace(r.path, data)
}

func (r *register) grant(name string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	entries, err := r.load()
	if err != nil {
		return err
	}
	entries[name] = true
	return r.save(entries) // want `\(\*register\).grant loads r.path, changes it and saves it under a mutex of this process alone`
}
