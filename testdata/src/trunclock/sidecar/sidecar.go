// Package sidecar empties files before it takes the lock beside them.
package sidecar

import (
	"encoding/json"
	"os"
	"syscall"
)

type Ledger struct {
	path string
	Rows []string
}

// Save takes its lock when the file is empty already.
func (l *Ledger) Save() error {
	f, err := os.Create(l.path) // want `\(\*Ledger\)\.Save empties l\.path before the lock on the file beside it is held`
	if err != nil {
		return err
	}
	defer f.Close()
	lock, err := os.OpenFile(l.path+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	return json.NewEncoder(f).Encode(l.Rows)
}

// Load reads it under the same lock.
func (l *Ledger) Load() error {
	data, err := os.ReadFile(l.path)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, &l.Rows)
}
