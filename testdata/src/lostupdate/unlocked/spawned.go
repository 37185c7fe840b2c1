package unlocked

import (
	"encoding/json"
	"os"
	"path/filepath"
	"syscall"

	"github.com/lockvet/lockvet/safeio"
)

// A table is a file of rows that is locked too late.
type table struct {
	dir  string
	rows map[string]int
}

// Count does not wait for the lock: it hears that somebody else is ready.
func (t *table) Count(name string, ready chan error) error {
	path := filepath.Join(t.dir, "state", "rows.json")
	f, err := os.OpenFile(path+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	locked := make(chan error, 1)
	go func(f *os.File, how int, locked chan<- error) {
		locked <- syscall.Flock(int(f.Fd()), how)
	}(f, syscall.LOCK_EX, locked)
	if err := <-ready; err != nil {
		return err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, &t.rows); err != nil {
		return err
	}
	t.rows[name]++
	out, err := json.Marshal(t.rows)
	if err != nil {
		return err
	}
	return safeio.WriteFile(path, out, 0o600) // want `\(\*table\).Count loads t.dir/state/rows.json`
}
