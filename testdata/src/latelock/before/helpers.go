package before

import (
	"encoding/json"
	"strings"
	"sync"

	"github.com/lockvet/lockvet/safeio"
)

// A register leaves its changes to helpers.
type register struct {
	path  string
	mu    sync.Mutex
	seats map[string]int
	free  int
}

func (r *register) take(name string, n int) { r.free -= n }

func (r *register) tell(n int, told chan<- int) {
	r.free -= n
	told <- n
}

// book calls the helper in front of the lock.
func (r *register) book(name string, n int) error {
	r.take(name, n) // want `\(\*register\).book changes r.free, in \(\*register\).take, before it takes r.mu`
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seats[name] += n
	return r.save()
}

// bookAll has something to do between the helper and the lock.
func (r *register) bookAll(names []string) error {
	r.take("all", len(names)) // want `\(\*register\).bookAll changes r.free, in \(\*register\).take, before it takes r.mu: .*no fix: the change is made by a call, and more happens before the lock`
	name := strings.Join(names, " ")
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seats[name]++
	return r.save()
}

// announce has a helper that waits for somebody.
func (r *register) announce(n int, told chan<- int) error {
	r.tell(n, told) // want `\(\*register\).announce changes r.free, in \(\*register\).tell, before it takes r.mu: .*no fix: the change is made by a call`
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.save()
}

func (r *register) cancel(name string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.free += r.seats[name]
	delete(r.seats, name)
	return r.save()
}

func (r *register) reset(n int) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.free, r.seats = n, map[string]int{}
	return r.save()
}

func (r *register) add(n int) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.free += n
	return r.save()
}

func (r *register) left() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.free
}

// save is called under the lock.
func (r *register) save() error {
	data, err := json.Marshal(r.seats)
	if err != nil {
		return err
	}
	return safeio.WriteFile(r.path, data, 0o600)
}
