// Package rounds has servers that save again and again.
package rounds

import (
	"encoding/json"
	"os"
	"time"
)

type counters struct {
	path string
	rows map[string]int
}

func (c *counters) load() error {
	data, err := os.ReadFile(c.path)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, &c.rows)
}

// serve saves again and again, on one goroutine of the server.
func (c *counters) serve(every time.Duration) {
	go func() {
		for range time.Tick(every) {
			c.save()
		}
	}()
}

func (c *counters) save() error {
	data, err := json.Marshal(c.rows)
	if err != nil {
		return err
	}
	tmp := c.path + ".tmp"
	if err := os.WriteFile(tmp, data, 0o600); err != nil { // want `that was never synced`
		return err
	}
	return os.Rename(tmp, c.path)
}

// A gauge saves once in the background of whatever command runs.
type gauge struct {
	path string
	rows map[string]int
}

func (g *gauge) load() error {
	data, err := os.ReadFile(g.path)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, &g.rows)
}

func (g *gauge) later() {
	go func() { g.save() }()
}

func (g *gauge) save() error {
	data, err := json.Marshal(g.rows)
	if err != nil {
		return err
	}
	tmp := g.path + ".tmp"
	if err := os.WriteFile(tmp, data, 0o600); err != nil { // want `a name that every `
		return err
	}
	return os.Rename(tmp, g.path)
}
