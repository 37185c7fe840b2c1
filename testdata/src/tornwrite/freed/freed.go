// Package freed lets go of a mutex after it has written a file, which must be in
// its place by then.
package freed

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
)

type roster struct {
	mu    sync.Mutex
	dir   string
	Names []string
}

func (r *roster) file() string { return filepath.Join(r.dir, "roster.json") }

func (r *roster) load() error {
	data, err := os.ReadFile(r.file())
	if err != nil {
		return err
	}
	return json.Unmarshal(data, &r.Names)
}

// save returns the error behind the unlock.
func (r *roster) save() error {
	r.mu.Lock()
	f, err := os.Create(r.file()) // want `\(\*roster\)\.save truncates r\.dir/roster\.json`
	if err != nil {
		r.mu.Unlock()
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	if err := json.NewEncoder(w).Encode(r.Names); err != nil {
		r.mu.Unlock()
		return err
	}
	err = w.Flush()
	r.mu.Unlock()
	return err
}

// reset has nothing to return behind the unlock.
func (r *roster) reset() error {
	r.mu.Lock()
	f, err := os.Create(r.file()) // want `\(\*roster\)\.reset truncates r\.dir/roster\.json.*no fix: a mutex is released before the file could be published`
	if err != nil {
		r.mu.Unlock()
		return err
	}
	defer f.Close()
	if err := json.NewEncoder(f).Encode([]string{}); err != nil {
		r.mu.Unlock()
		return err
	}
	r.mu.Unlock()
	return nil
}

// put has the mutex until it returns.
func (r *roster) put(names []string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	f, err := os.Create(r.file()) // want `\(\*roster\)\.put truncates r\.dir/roster\.json`
	if err != nil {
		return err
	}
	defer f.Close()
	return json.NewEncoder(f).Encode(names)
}
