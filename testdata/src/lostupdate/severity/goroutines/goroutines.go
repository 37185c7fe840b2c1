// Package goroutines does several things at a time.
package goroutines

import (
	"encoding/json"
	"net/http"
	"os"

	"github.com/lockvet/lockvet/safeio"
)

func load(path string) (m map[string]string, err error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return m, json.Unmarshal(b, &m)
}

func save(path string, m map[string]string) error {
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return safeio.WriteFile(path, b, 0o600)
}

const file = "/var/lib/agentd/visits.json"

// Serve handles a request.
func Serve(w http.ResponseWriter, r *http.Request) {
	if err := enter(r.URL.Path); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

func enter(name string) error {
	m, err := load(file)
	if err != nil {
		return err
	}
	m[name] = "seen"
	return save(file, m) /* warning */ // want `enter`
}

const tokens = "/var/lib/agentd/tokens.json"

// Grant handles a request, too.
func Grant(w http.ResponseWriter, r *http.Request) {
	m, err := load(tokens)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	m[r.URL.Path] = "granted"
	if err := save(tokens, m); /* error */ err != nil { // want `Grant`
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

const jobs = "/var/lib/agentd/jobs.json"

// Send has a goroutine enter each job.
func Send(name string) { go note(name) }

func note(name string) {
	m, err := load(jobs)
	if err != nil {
		return
	}
	m[name] = "sent"
	_ = save(jobs, m) /* error */ // want `note`
}

// A Worker has one goroutine.
type Worker struct{ names chan string }

const ticks = "/var/lib/agentd/ticks.json"

// Start starts it once.
func (w *Worker) Start() { go w.loop() }

func (w *Worker) loop() {
	for name := range w.names {
		count(name)
	}
}

func count(name string) {
	m, err := load(ticks)
	if err != nil {
		return
	}
	m[name] = "counted"
	_ = save(ticks, m) /* warning */ // want `count`
}
