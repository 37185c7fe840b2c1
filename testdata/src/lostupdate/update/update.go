package update

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A tally counts what the processes of a user have done, by name.
type tally map[string]int

func tallyFile() string { return filepath.Join(os.Getenv("APP_HOME"), "state", "tally.json") }

func tallies() (tally, error) {
	data, err := os.ReadFile(tallyFile())
	if err != nil {
		return nil, err
	}
	var t tally
	return t, json.Unmarshal(data, &t)
}

type ledger struct{ path string }

// entries is who reads the file, too.
func (l *ledger) entries() (map[string]string, error) {
	data, err := os.ReadFile(l.path + ".entries")
	if err != nil {
		return nil, err
	}
	m := map[string]string{}
	return m, json.Unmarshal(data, &m)
}

// set takes a file that is not there for an empty one.
func (l *ledger) set(key, value string) error {
	data, err := os.ReadFile(l.path + ".set")
	if err != nil && !os.IsNotExist(err) {
		return err
	}

	m := map[string]string{}
	// Nothing is saved yet at the first run.
	if len(data) > 0 {
		if err := json.Unmarshal(data, &m); err != nil {
			return fmt.Errorf("ledger: %w", err)
		}
	}
	m[key] = value // the last one counts

	out, err := json.MarshalIndent(m, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(l.path+".set", out, 0o600) // want `\(\*ledger\).set loads l.path.set, changes it and saves it with no lock` `\(\*ledger\).set truncates l.path`
}

// drop changes nothing where there is nothing to drop.
func (l *ledger) drop(key string) error {
	if err := os.MkdirAll(filepath.Dir(l.path+".drop"), 0o755); err != nil {
		return err
	}
	m := map[string]string{}
	data, err := os.ReadFile(l.path + ".drop")
	if err == nil {
		if err := json.Unmarshal(data, &m); err != nil {
			return err
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if _, ok := m[key]; !ok {
		return nil
	}
	delete(m, key)
	out, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return os.WriteFile(l.path+".drop", append(out, '\n'), 0o600) // want `\(\*ledger\).drop loads l.path` `\(\*ledger\).drop truncates`
}

// note has a context, and says the count.
func note(ctx context.Context, home, name string) (int, error) {
	path := filepath.Join(home, "state", "tally.json")
	t := tally{}
	data, err := os.ReadFile(path)
	if err != nil {
		if !errors.Is(err, os.ErrNotExist) {
			return 0, err
		}
		// The first of all.
		data = []byte("{}")
	}
	if err := json.Unmarshal(data, &t); err != nil {
		return 0, err
	}
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	t[name]++
	out, err := json.Marshal(t)
	if err != nil {
		return 0, err
	}
	if err := os.WriteFile(path, out, 0o644); err != nil { // want `note loads home/state/tally.json` `note truncates`
		return 0, err
	}
	return t[name], nil
}

// add appends to what is there, and needs no decoding.
func (l *ledger) add(key, value string) (err error) {
	if err := l.check(); err != nil {
		return err
	}
	old, readErr := os.ReadFile(l.path + ".add")
	if os.IsNotExist(readErr) {
		old = []byte("# ledger\n")
	} else if readErr != nil {
		return readErr
	}
	for _, line := range strings.Split(string(old), "\n") {
		if line == "" {
			continue
		}
		if line == key+"="+value {
			return errors.New("the ledger has it")
		}
	}
	return os.WriteFile(l.path+".add", append(old, []byte(key+"="+value+"\n")...), 0o600) // want `\(\*ledger\).add loads l.path` `\(\*ledger\).add truncates`
}

func (l *ledger) check() error {
	_, err := l.entries()
	return err
}

// noted has a word to another tool on the reading, which goes with it.
func (l *ledger) noted(key string) error {
	data, err := os.ReadFile(l.path + ".noted") // #nosec G304 -- a path of this program
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	return os.WriteFile(l.path+".noted", append(data, []byte(key+"\n")...), 0o600) // want `\(\*ledger\).noted loads l.path` `\(\*ledger\).noted truncates`
}

// worded has something to say in each place.
func (l *ledger) worded(key string) error {
	// The ledger may be large.
	data, err := os.ReadFile(l.path + ".worded") // a line for each key
	// The first run has none.
	if err != nil && !os.IsNotExist(err) {
		return err // as it is
	}
	// A key is not looked for.

	data = append(data, []byte(key+"\n")...) // the newline last
	// All of it.
	return os.WriteFile(l.path+".worded", data, 0o600) // want `\(\*ledger\).worded loads l.path` `\(\*ledger\).worded truncates`
}
