package quiet

import (
	"encoding/json"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

type fleet struct{ Ships map[string]int }

func openFleet() (*os.File, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(home, ".fleet", "ships.json"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	return f, waitFor(f)
}

// waitFor closes the file where it does not get the lock: who gets it has it.
func waitFor(f *os.File) error {
	got := make(chan error)
	go func() { got <- syscall.Flock(int(f.Fd()), syscall.LOCK_EX) }()
	select {
	case err := <-got:
		if err != nil {
			f.Close()
			return err
		}
		return nil
	case <-time.After(time.Second):
		f.Close()
		return os.ErrDeadlineExceeded
	}
}

func readFleet(f *os.File) (*fleet, error) {
	s := &fleet{}
	return s, json.NewDecoder(f).Decode(s)
}

func writeFleet(s *fleet, f *os.File) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err = f.WriteAt(data, 0)
	return err
}

func sunk(name string) bool {
	f, err := openFleet()
	if err != nil {
		return false
	}
	defer f.Close()
	s, err := readFleet(f)
	if err != nil {
		return false
	}
	if s.Ships[name] == 0 {
		delete(s.Ships, name)
		return writeFleet(s, f) == nil
	}
	return false
}

// Launch has the lock twice, each time before it empties the file.
func Launch(name string) error {
	if sunk(name) {
		return nil
	}
	f, err := openFleet()
	if err != nil {
		return err
	}
	defer f.Close()
	s, err := readFleet(f)
	if err != nil {
		return err
	}
	s.Ships[name] = 1
	return writeFleet(s, f)
}

// PutFleet writes through a handle that its callers have locked.
func PutFleet(s *fleet, f *os.File) error { return writeFleet(s, f) }
