package unguarded

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
)

// Tides are encoded by a handler, which has no lock.
type tides struct {
	mu sync.Mutex
	at map[string]int
}

func (t *tides) set(port string, at int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.at[port] = at
}

func (t *tides) drop(port string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.at, port)
}

func (t *tides) get(port string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.at[port]
}

// MarshalJSON is called by encoding/json alone.
func (t *tides) MarshalJSON() ([]byte, error) {
	all := map[string]int{}
	for port, at := range t.at { // want `\(\*tides\).MarshalJSON ranges over at without mu, under which \(\*tides\).drop changes it`
		all[port] = at
	}
	return json.Marshal(all)
}

func (t *tides) serve(w http.ResponseWriter, r *http.Request) {
	t.set(r.FormValue("port"), 1)
	data, err := json.Marshal(t)
	if err == nil {
		fmt.Fprintln(w, string(data))
	}
}

// A chart is encoded under its lock as a part of what has it.
type chart struct {
	mu     sync.Mutex
	depths map[string]int
}

type atlas struct {
	pages map[string][]any
	chart *chart
}

func (c *chart) sound(at string, depth int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.depths[at] = depth
}

func (c *chart) forget(at string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.depths, at)
}

func (c *chart) depth(at string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.depths[at]
}

func (c *chart) MarshalJSON() ([]byte, error) {
	all := map[string]int{}
	for at, depth := range c.depths { // ok: print has the lock
		all[at] = depth
	}
	return json.Marshal(all)
}

func (a *atlas) print() ([]byte, error) {
	a.chart.mu.Lock()
	defer a.chart.mu.Unlock()
	return json.Marshal(a)
}

// A journal fills itself before others have it.
type journal struct {
	mu   sync.Mutex
	days map[string]int
}

func (j *journal) add(day string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.days[day]++
}

func (j *journal) drop(day string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	delete(j.days, day)
}

func (j *journal) day(name string) int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.days[name]
}

func (j *journal) UnmarshalJSON(data []byte) error {
	var days map[string]int
	if err := json.Unmarshal(data, &days); err != nil {
		return err
	}
	for day, n := range days {
		j.days[day] = n // ok: nobody else has it yet
	}
	return nil
}
