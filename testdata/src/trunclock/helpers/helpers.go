// Package helpers locks by functions of its own.
package helpers

import (
	"encoding/json"
	"os"
	"syscall"
)

type deck struct {
	dir   string
	Cards map[string]int
}

func take(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX) }

func drop(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }

// save lets go in a literal that also closes.
func (d *deck) save() (err error) {
	f, err := os.OpenFile(d.dir+"/deck.json", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600) // want `\(\*deck\)\.save empties d\.dir/deck\.json before the lock on it is held`
	if err != nil {
		return err
	}
	defer func() {
		// Others may have the lock now.
		_ = drop(f)
		f.Close() // nothing is lost
	}()
	err = take(f)
	if err != nil {
		return err
	}
	if err := json.NewEncoder(f).Encode(d.Cards); err != nil {
		return err
	}
	return nil
}

// load reads under the lock.
func (d *deck) load() error {
	f, err := os.Open(d.dir + "/deck.json")
	if err != nil {
		return err
	}
	defer f.Close()
	if err := take(f); err != nil {
		return err
	}
	defer drop(f)
	return json.NewDecoder(f).Decode(&d.Cards)
}

// saveHand is one of two that change the file under its lock: the other would
// go on with a file that is no longer there.
func (d *deck) saveHand() error {
	f, err := os.Create(d.dir + "/hand.json") // want `\(\*deck\)\.saveHand empties .* \(\*deck\)\.change locks such a file for more than to read it`
	if err != nil {
		return err
	}
	defer f.Close()
	if err := take(f); err != nil {
		return err
	}
	return json.NewEncoder(f).Encode(d.Cards)
}

// change reads and writes under one lock.
func (d *deck) change() error {
	f, err := os.OpenFile(d.dir+"/hand.json", os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := take(f); err != nil {
		return err
	}
	if err := json.NewDecoder(f).Decode(&d.Cards); err != nil {
		return err
	}
	d.Cards["joker"]++
	if _, err := f.Seek(0, 0); err != nil {
		return err
	}
	return json.NewEncoder(f).Encode(d.Cards)
}

// saveBoth changes another file under the same lock.
func (d *deck) saveBoth() error {
	f, err := os.Create(d.dir + "/both.json") // want `\(\*deck\)\.saveBoth empties .* other files change under the same lock`
	if err != nil {
		return err
	}
	defer f.Close()
	if err := take(f); err != nil {
		return err
	}
	if err := os.Remove(d.dir + "/stale.json"); err != nil {
		return err
	}
	return json.NewEncoder(f).Encode(d.Cards)
}
