// Package listed has directories in which a lock file would be taken for a record,
// or is a lock already.
package listed

import (
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

type task struct{ Name string }

type tasks struct{ dir string }

func (t *tasks) all() ([]string, error) {
	entries, err := os.ReadDir(t.dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, nil
}

func (t *tasks) note(name string, k task) error {
	data, err := json.Marshal(k)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(t.dir, name+".jsonl"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Write(data); err != nil { // want `\(\*tasks\)\.note appends a record`
		return err
	}
	if _, err := f.Write([]byte("\n")); err != nil {
		return err
	}
	return nil
}

const plan = "/var/lib/planner/plan.jsonl"

// rotate has the lock under the name that safeio would use.
func rotate() error {
	l := flock.New(plan + ".lock")
	if err := l.Lock(); err != nil {
		return err
	}
	defer l.Unlock()
	return os.Rename(plan, plan+".1")
}

func schedule(k task) error {
	data, err := json.Marshal(k)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(plan, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Write(data); err != nil { // want `schedule appends a record`
		return err
	}
	if _, err := f.Write([]byte("\n")); err != nil {
		return err
	}
	return nil
}
