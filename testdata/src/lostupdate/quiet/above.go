package quiet

import (
	"encoding/json"
	"os"
	"path/filepath"

	"lostupdate/quiet/migrate"

	"github.com/lockvet/lockvet/safeio"
)

// tallyAll has a lock, though not beside the file.
func tallyAll(dir string) error {
	unlock, err := lock("/run/agent/jobs")
	if err != nil {
		return err
	}
	defer unlock()
	return Tally(filepath.Join(dir, "tally"))
}

// Tally is called under a lock, as far as this package tells.
func Tally(dir string) error {
	s, err := load(filepath.Join(dir, "tally.json"))
	if err != nil {
		return err
	}
	s.N++
	return save(filepath.Join(dir, "tally.json"), s)
}

// Touch calls what is named for a lock.
func Touch(dir string) error { return underLock(filepath.Join(dir, "touched")) }

func underLock(dir string) error {
	s, err := load(filepath.Join(dir, "touched.json"))
	if err != nil {
		return err
	}
	s.N++
	return save(filepath.Join(dir, "touched.json"), s)
}

// keepUp saves by a repair.
func keepUp(dir string) error {
	path := filepath.Join(dir, "kept-state.json")
	s, err := load(path)
	if err != nil {
		return err
	}
	s.N++
	return repairState(path, s) /* note */ // want `keepUp loads dir/kept-state\.json`
}

func repairState(path string, s *state) error { return save(path, s) }

// number saves only where a package for migrations says so.
func number(dir, run string) error {
	path := filepath.Join(dir, "numbers.json")
	s, err := load(path)
	if err != nil {
		return err
	}
	if migrate.Old(s.Runs) {
		s.Runs = []string{run}
		return save(path, s) /* note */ // want `number loads dir/numbers\.json`
	}
	return nil
}

// deep loads far below.
func deep(dir string) error {
	path := filepath.Join(dir, "deep.json")
	s, err := load1(path)
	if err != nil {
		return err
	}
	s.N++
	return save(path, s)
}

func load1(path string) (*state, error) { return load2(path) }

func load2(path string) (*state, error) { return load3(path) }

func load3(path string) (*state, error) { return load(path) }

// A gatekeeper has a lock of a kind that nobody knows.
type gatekeeper struct{ lock locker }

func (g *gatekeeper) count(run string) error {
	home, err := os.UserHomeDir()
	if err != nil {
		return err
	}
	g.lock.Lock()
	defer g.lock.Unlock()
	path := filepath.Join(home, ".agent-of-ours", "gates.json")
	s, err := load(path)
	if err != nil {
		return err
	}
	s.Runs = append(s.Runs, run)
	return save(path, s)
}

// A roster is loaded when it is made.
type roster struct {
	path  string
	Names map[string]bool
}

func openRoster() (*roster, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, err
	}
	r := &roster{path: filepath.Join(home, ".agent-of-ours", "roster.json")}
	data, err := os.ReadFile(r.path)
	if err != nil {
		return nil, err
	}
	return r, json.Unmarshal(data, r)
}

// enroll has a lock wherever it calls add.
func enroll(r *roster, name string) error {
	unlock, err := lock("/run/agent/roster")
	if err != nil {
		return err
	}
	defer unlock()
	return r.add(name)
}

func (r *roster) add(name string) error {
	r.Names[name] = true
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return safeio.WriteFile(r.path, data, 0o600)
}
