// Package opens empties files by opening them, and locks them then.
package opens

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

type board struct {
	dir   string
	Cards map[string]int
}

// save locks what it has just emptied, and lets go before the buffer is
// written.
func (b *board) save() error {
	f, err := os.Create(filepath.Join(b.dir, "board.json")) // want `\(\*board\)\.save empties b\.dir/board\.json before the lock on it is held`
	if err != nil {
		return err
	}
	defer f.Close()

	w := bufio.NewWriter(f)
	defer w.Flush()

	// Only one window writes at a time.
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return fmt.Errorf("lock board: %w", err)
	}
	defer syscall.Flock(int(f.Fd()), syscall.LOCK_UN) // want `\(\*board\)\.save releases the lock on b\.dir/board\.json before what it wrote is flushed`

	return json.NewEncoder(w).Encode(b.Cards)
}

// load takes the shared lock, which a whole file does not need.
func (b *board) load() error {
	f, err := os.Open(filepath.Join(b.dir, "board.json"))
	if err != nil {
		return err
	}
	defer f.Close()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_SH); err != nil {
		return err
	}
	defer syscall.Flock(int(f.Fd()), syscall.LOCK_UN)
	return json.NewDecoder(f).Decode(&b.Cards)
}

// saveSignals lets go without looking at the error.
func saveSignals(name string, sent map[int]string) error {
	f, err := os.Create(filepath.Join(os.Getenv("XDG_RUNTIME_DIR"), name)) // want `saveSignals empties .* before the lock on it is held`
	if err != nil {
		return err
	}
	defer f.Close()

	// Acquire the exclusive lock for writing
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return fmt.Errorf("acquiring lock: %w", err)
	}
	defer syscall.Flock(int(f.Fd()), syscall.LOCK_UN) //nolint:errcheck

	for pid, s := range sent {
		fmt.Fprintf(f, "%d %s\n", pid, s)
	}
	return nil
}

// loadSignals reads line by line.
func loadSignals(name string) ([]string, error) {
	f, err := os.Open(filepath.Join(os.Getenv("XDG_RUNTIME_DIR"), name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var lines []string
	for sc := bufio.NewScanner(f); sc.Scan(); {
		lines = append(lines, sc.Text())
	}
	return lines, nil
}

func takeLock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX) }

func dropLock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }

// saveThrough locks by helpers, and lets go in a literal that also closes.
func (b *board) saveThrough() (err error) {
	f, err := os.OpenFile(b.dir+"/cards.json", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600) // want `\(\*board\)\.saveThrough empties b\.dir/cards\.json before the lock on it is held`
	if err != nil {
		return err
	}
	defer func() {
		_ = dropLock(f)
		f.Close()
	}()
	err = takeLock(f)
	if err != nil {
		return err
	}
	if err := json.NewEncoder(f).Encode(b.Cards); err != nil {
		return err
	}
	return nil
}

func create(path string) (*os.File, error) {
	return os.Create(path) // want `create empties b\.dir/cards\.json before the lock on it is held`
}

// saveCreated opens by a helper.
func (b *board) saveCreated() error {
	f, err := create(b.dir + "/cards.json")
	if err != nil {
		return err
	}
	defer f.Close()
	if err := takeLock(f); err != nil {
		return err
	}
	return json.NewEncoder(f).Encode(b.Cards)
}

// saveOrGiveUp leaves the file to who has it, and empties it nevertheless.
func (b *board) saveOrGiveUp() error {
	f, err := os.Create(b.dir + "/cards.json") // want `\(\*board\)\.saveOrGiveUp empties .* the lock may turn another process away`
	if err != nil {
		return err
	}
	defer f.Close()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return err
	}
	return json.NewEncoder(f).Encode(b.Cards)
}
