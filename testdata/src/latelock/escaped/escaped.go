package escaped

import (
	"encoding/json"
	"sync"

	"github.com/lockvet/lockvet/safeio"
)

type task struct {
	ID   int
	Due  int64
	Runs int
}

type table struct {
	Tasks []task
}

type planner struct {
	path  string
	mu    sync.Mutex
	table *table
}

// tick runs behind the lock what it found under it.
func (p *planner) tick(now int64) error {
	p.mu.Lock()
	var due []*task
	for i := range p.table.Tasks {
		t := &p.table.Tasks[i]
		if t.Due <= now {
			due = append(due, t)
		}
	}
	p.mu.Unlock()

	for _, t := range due {
		p.run(t) // want `\(\*planner\).tick changes an element of p.table.Tasks that it found before it released p.mu`
	}

	p.mu.Lock()
	defer p.mu.Unlock()
	return p.save()
}

func (p *planner) run(t *task) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t.Runs++
}

// first changes the element itself.
func (p *planner) first(now int64) {
	p.mu.Lock()
	t := &p.table.Tasks[0]
	p.mu.Unlock()
	t.Due = now // want `\(\*planner\).first changes an element of p.table.Tasks`
}

// count keeps numbers, not addresses.
func (p *planner) count(now int64) error {
	p.mu.Lock()
	var due []int
	for i := range p.table.Tasks {
		if p.table.Tasks[i].Due <= now {
			due = append(due, p.table.Tasks[i].ID)
		}
	}
	p.mu.Unlock()
	for _, id := range due {
		p.runID(id)
	}
	return nil
}

func (p *planner) runID(id int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range p.table.Tasks {
		if t := &p.table.Tasks[i]; t.ID == id {
			t.Runs++
		}
	}
}

func (p *planner) add(t task) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.table.Tasks = append(p.table.Tasks, t)
	return p.save()
}

func (p *planner) save() error {
	data, err := json.Marshal(p.table)
	if err != nil {
		return err
	}
	return safeio.WriteFile(p.path, data, 0o600)
}
