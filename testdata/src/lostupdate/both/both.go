// Package both has functions that save two files by one call.
package both

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

// Push has the lock while it changes the jobs.
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

// A sum is what the queue keeps beside its jobs.
type sum struct{ Done int }

func (q *queue) sums() string { return filepath.Join(q.dir, "sums.json") }

func (q *queue) loadSum() (*sum, error) {
	data, err := os.ReadFile(q.sums())
	if err != nil {
		return nil, err
	}
	var s sum
	return &s, json.Unmarshal(data, &s)
}

func (q *queue) saveBoth(j *jobs, s *sum) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if err := replace(q.sums(), data); err != nil {
		return err
	}
	return q.save(j)
}

// Shift has the lock while it changes both files.
func (q *queue) Shift() error {
	unlock, err := q.lock()
	if err != nil {
		return err
	}
	defer unlock()
	j, err := q.load()
	if err != nil {
		return err
	}
	s, err := q.loadSum()
	if err != nil {
		return err
	}
	j.Waiting = j.Waiting[1:]
	s.Done++
	return q.saveBoth(j, s)
}

// Finish changes one file and saves the other: one report is enough at one place, whether or
// not what was looked at is kept.
func (q *queue) Finish() error {
	s, err := q.loadSum()
	if err != nil {
		return err
	}
	s.Done++
	return q.saveBoth(&jobs{}, s) // want `\(\*queue\)\.Finish loads q\.dir/sums\.json, changes it and saves it with no lock`
}
