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
