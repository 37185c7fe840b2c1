package rounds

import (
	"context"
	"encoding/json"
	"os"
	"time"
)

type store struct {
	path string
	rows map[string]int
}

func (s *store) load() error {
	data, err := os.ReadFile(s.path)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, &s.rows)
}

// Serve waits for events, and saves between them and at its end.
func (s *store) Serve(ctx context.Context, every time.Duration) error {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if err := s.flush(false); err != nil {
				return err
			}
		case <-ctx.Done():
			return s.flush(true)
		}
	}
}

func (s *store) flush(last bool) error {
	if last {
		return s.save()
	}
	if len(s.rows) == 0 {
		return nil
	}
	return s.save()
}

func (s *store) save() error {
	data, err := json.Marshal(s.rows)
	if err != nil {
		return err
	}
	tmp := s.path + ".tmp"
	if err := os.WriteFile(tmp, data, 0o600); err != nil { // want `that was never synced`
		return err
	}
	return os.Rename(tmp, s.path)
}

type pool struct {
	path string
	rows map[string]int
	jobs chan string
	quit chan struct{}
}

func (p *pool) load() error {
	data, err := os.ReadFile(p.path)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, &p.rows)
}

// start has several loops that wait for the same events.
func (p *pool) start(workers int) {
	for range workers {
		go p.work()
	}
}

func (p *pool) work() {
	for {
		select {
		case <-p.jobs:
			p.save()
		case <-p.quit:
			return
		}
	}
}

func (p *pool) save() error {
	data, err := json.Marshal(p.rows)
	if err != nil {
		return err
	}
	tmp := p.path + ".tmp"
	if err := os.WriteFile(tmp, data, 0o600); err != nil { // want `a name that every `
		return err
	}
	return os.Rename(tmp, p.path)
}

type once struct {
	path string
	rows map[string]int
}

func (o *once) load() error {
	data, err := os.ReadFile(o.path)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, &o.rows)
}

// Wait waits for one event, in whatever command calls it.
func (o *once) Wait(ctx context.Context, done chan struct{}) error {
	select {
	case <-done:
		return o.save()
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (o *once) save() error {
	data, err := json.Marshal(o.rows)
	if err != nil {
		return err
	}
	tmp := o.path + ".tmp"
	if err := os.WriteFile(tmp, data, 0o600); err != nil { // want `a name that every `
		return err
	}
	return os.Rename(tmp, o.path)
}

type mixed struct {
	path string
	rows map[string]int
}

func (m *mixed) load() error {
	data, err := os.ReadFile(m.path)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, &m.rows)
}

// Serve is not the only one that saves.
func (m *mixed) Serve(tick <-chan time.Time, quit chan struct{}) {
	for {
		select {
		case <-tick:
			m.save()
		case <-quit:
			return
		}
	}
}

// Set saves whenever it is called.
func (m *mixed) Set(name string, n int) error {
	m.rows[name] = n
	return m.save()
}

func (m *mixed) save() error {
	data, err := json.Marshal(m.rows)
	if err != nil {
		return err
	}
	tmp := m.path + ".tmp"
	if err := os.WriteFile(tmp, data, 0o600); err != nil { // want `a name that every `
		return err
	}
	return os.Rename(tmp, m.path)
}

type poll struct {
	path string
	rows map[string]int
	jobs chan string
}

func (p *poll) load() error {
	data, err := os.ReadFile(p.path)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, &p.rows)
}

// Drain waits for nothing: it ends when there is no more to do.
func (p *poll) Drain() error {
	for {
		select {
		case name := <-p.jobs:
			p.rows[name]++
		default:
			return nil
		}
		if err := p.save(); err != nil {
			return err
		}
	}
}

func (p *poll) save() error {
	data, err := json.Marshal(p.rows)
	if err != nil {
		return err
	}
	tmp := p.path + ".tmp"
	if err := os.WriteFile(tmp, data, 0o600); err != nil { // want `a name that every `
		return err
	}
	return os.Rename(tmp, p.path)
}

type choice struct {
	path string
	rows map[string]int
}

func (c *choice) load() error {
	data, err := os.ReadFile(c.path)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, &c.rows)
}

// Run saves at once where nobody asks it to wait.
func (c *choice) Run(watch bool, tick <-chan time.Time, quit chan struct{}) error {
	if !watch {
		return c.save()
	}
	for {
		select {
		case <-tick:
		case <-quit:
			return nil
		}
	}
}

func (c *choice) save() error {
	data, err := json.Marshal(c.rows)
	if err != nil {
		return err
	}
	tmp := c.path + ".tmp"
	if err := os.WriteFile(tmp, data, 0o600); err != nil { // want `a name that every `
		return err
	}
	return os.Rename(tmp, c.path)
}

type pair struct {
	path string
	rows map[string]int
	jobs chan string
	quit chan struct{}
}

func (p *pair) load() error {
	data, err := os.ReadFile(p.path)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, &p.rows)
}

// start has two that wait.
func (p *pair) start() {
	go p.work()
	go p.work()
}

func (p *pair) work() {
	for {
		select {
		case <-p.jobs:
			p.save()
		case <-p.quit:
			return
		}
	}
}

func (p *pair) save() error {
	data, err := json.Marshal(p.rows)
	if err != nil {
		return err
	}
	tmp := p.path + ".tmp"
	if err := os.WriteFile(tmp, data, 0o600); err != nil { // want `a name that every `
		return err
	}
	return os.Rename(tmp, p.path)
}
