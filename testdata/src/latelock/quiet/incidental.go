package quiet

import (
	"os"
	"sync"
)

// A runner reads what it was started with in places that need the lock for
// something else: who starts it takes none.
type runner struct {
	path string

	mu       sync.Mutex
	done     int
	defaults string
}

func (r *runner) run(defaults string) {
	r.mu.Lock()
	r.done = 0
	r.mu.Unlock()
	r.defaults = defaults
	r.step()
	r.save()
}

func (r *runner) resume(defaults string, done int) {
	r.mu.Lock()
	r.done = done
	r.mu.Unlock()
	r.defaults = defaults
	r.step()
	r.save()
}

func (r *runner) step() {
	r.mu.Lock()
	defer r.mu.Unlock()
	println(r.defaults, r.done)
	r.done++
}

func (r *runner) save() {
	r.mu.Lock()
	defer r.mu.Unlock()
	_ = os.WriteFile(r.path, []byte(r.defaults), 0o600)
}

// A drill is started in two ways, one of which has to take the lock before.
type drill struct {
	path string

	mu    sync.Mutex
	done  int
	limit int
}

func (d *drill) run(limit int) {
	d.limit = limit
	go d.step()
	d.save()
}

func (d *drill) resume(limit, done int) {
	d.mu.Lock()
	d.done = done
	d.mu.Unlock()
	d.limit = limit
	d.check()
	go d.step()
	d.save()
}

func (d *drill) check() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.limit < d.done {
		d.done = 0
	}
}

func (d *drill) step() {
	d.mu.Lock()
	defer d.mu.Unlock()
	println(d.limit, d.done)
	d.done++
}

func (d *drill) save() {
	d.mu.Lock()
	defer d.mu.Unlock()
	_ = os.WriteFile(d.path, []byte{byte(d.limit)}, 0o600)
}
