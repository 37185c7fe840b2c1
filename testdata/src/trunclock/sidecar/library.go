package sidecar

import (
	"encoding/json"
	"os"

	"github.com/gofrs/flock"
)

// SaveHeld takes the lock of a library beside the file.
func (l *Ledger) SaveHeld() error {
	f, err := os.Create(l.path + ".json") // want `\(\*Ledger\)\.SaveHeld empties l\.path\.json before the lock on the file beside it is held`
	if err != nil {
		return err
	}
	defer f.Close()
	held := flock.New(l.path + ".json.lock")
	if err := held.Lock(); err != nil {
		return err
	}
	defer held.Unlock()
	return json.NewEncoder(f).Encode(l.Rows)
}

// SaveItself locks the file that it has just emptied, by its name.
func (l *Ledger) SaveItself() error {
	f, err := os.Create(l.path + ".yaml") // want `\(\*Ledger\)\.SaveItself empties l\.path\.yaml before the lock on it is held: .* the lock is on the file itself`
	if err != nil {
		return err
	}
	defer f.Close()
	held := flock.New(l.path + ".yaml")
	if err := held.Lock(); err != nil {
		return err
	}
	defer held.Unlock()
	return json.NewEncoder(f).Encode(l.Rows)
}
