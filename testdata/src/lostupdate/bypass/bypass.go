package bypass

import (
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

type queue struct{ dir string }

type jobs struct {
	Waiting []string
}

func (q *queue) file() string { return filepath.Join(q.dir, "jobs.json") }

func (q *queue) load() (*jobs, error) {
	data, err := os.ReadFile(q.file())
	if err != nil {
		return nil, err
	}
	var j jobs
	return &j, json.Unmarshal(data, &j)
}

func (q *queue) save(j *jobs) error {
	data, err := json.Marshal(j)
	if err != nil {
		return err
	}
	return replace(q.file(), data)
}

func (q *queue) lock() (func() error, error) {
	l := flock.New(q.file() + ".lock")
	if err := l.Lock(); err != nil {
		return nil, err
	}
	return l.Unlock, nil
}

// Push has the lock while it changes the file.
func (q *queue) Push(name string) error {
	unlock, err := q.lock()
	if err != nil {
		return err
	}
	defer unlock()
	j, err := q.load()
	if err != nil {
		return err
	}
	j.Waiting = append(j.Waiting, name)
	return q.save(j)
}

// Clear saves an empty queue, whoever has the lock.
func (q *queue) Clear() error {
	return q.save(&jobs{}) // want `\(\*queue\)\.Clear saves q\.dir/jobs\.json without the lock under which \(\*queue\)\.Push loads it and saves it: one of the two is lost`
}

// Replace waits for the lock.
func (q *queue) Replace(names []string) error {
	unlock, err := q.lock()
	if err != nil {
		return err
	}
	defer unlock()
	return q.save(&jobs{Waiting: names})
}

// refill is called by Restore alone, which has the lock.
func (q *queue) refill(names []string) error {
	return q.save(&jobs{Waiting: names})
}

// Restore waits for the lock.
func (q *queue) Restore(names []string) error {
	unlock, err := q.lock()
	if err != nil {
		return err
	}
	defer unlock()
	return q.refill(names)
}

// NewQueue makes a file that nobody else has yet.
func NewQueue(dir string) (*queue, error) {
	q := &queue{dir}
	return q, q.save(&jobs{})
}

// resetLocked says by its name that its callers have the lock.
func (q *queue) resetLocked() error {
	return q.save(&jobs{})
}
