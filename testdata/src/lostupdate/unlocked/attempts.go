package unlocked

import (
	"encoding/json"
	"os"
	"path/filepath"
	"syscall"
)

type tally struct{ Names []string }

func loadTally(path string) (*tally, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var t tally
	return &t, json.Unmarshal(data, &t)
}

func saveTally(path string, t *tally) error {
	data, err := json.Marshal(t)
	if err != nil {
		return err
	}
	return replace(path, data)
}

// probe takes the lock and releases it: it says that nobody has it, no more.
func probe(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	return syscall.Flock(int(f.Fd()), syscall.LOCK_UN)
}

// probed has no lock.
func probed(dir, name string) error {
	path := filepath.Join(dir, "probed.json")
	if err := probe(path + ".lock"); err != nil {
		return err
	}
	t, err := loadTally(path)
	if err != nil {
		return err
	}
	t.Names = append(t.Names, name)
	return saveTally(path, t) // want `probed loads .*probed.json, changes it and saves it`
}

// polled asks for the lock in a loop, and releases it there.
func polled(dir, name string) error {
	path := filepath.Join(dir, "polled.json")
	for i := 0; i < 3; i++ {
		f, err := os.OpenFile(path+".lock", os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			return err
		}
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
			return err
		}
		syscall.Flock(int(f.Fd()), syscall.LOCK_UN)
		f.Close()
	}
	t, err := loadTally(path)
	if err != nil {
		return err
	}
	t.Names = append(t.Names, name)
	return saveTally(path, t) // want `polled loads .*polled.json, changes it and saves it`
}

// A store is divided into methods.
type store struct{ dir string }

func (s *store) file(id string) string { return filepath.Join(s.dir, id+".json") }

// Rename finds, reads and decodes by methods of its own type.
func (s *store) Rename(id, name string) error {
	t, err := s.find(id)
	if err != nil {
		return err
	}
	t.Names = append(t.Names, name)
	return saveTally(s.file(id), t) // want `\(\*store\).Rename loads .*id.json, changes it and saves it with no lock`
}

func (s *store) find(id string) (*tally, error) { return s.get(id) }

func (s *store) get(id string) (*tally, error) { return s.read(id) }

func (s *store) read(id string) (*tally, error) { return loadTally(s.file(id)) }
