// Package locks takes a mutex.
package locks

import (
	"encoding/json"
	"os"
	"sync"

	"github.com/lockvet/lockvet/safeio"
)

func load(path string) (m map[string]string, err error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return m, json.Unmarshal(b, &m)
}

func save(path string, m map[string]string) error {
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return safeio.WriteFile(path, b, 0o600)
}

const file = "/var/lib/agentd/members.json"

var mu sync.Mutex

func enter(name string) error {
	mu.Lock()
	delete(seen, name)
	mu.Unlock()

	m, err := load(file)
	if err != nil {
		return err
	}
	m[name] = "seen"
	return save(file, m) // want `enter`
}

var seen = map[string]bool{}

var _ = enter
