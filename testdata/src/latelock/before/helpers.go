package before

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/lockvet/lockvet/safeio"
)

// A register leaves its changes to helpers.
type register struct {
	path  string
	mu    sync.Mutex
	seats map[string]int // guarded by mu
	free  int            // guarded by mu
	order []string
	asked int
}

func (r *register) take(name string, n int) { r.free -= n }

func (r *register) note(n int) { r.asked = n }

func (r *register) tell(n int, told chan<- int) {
	r.free -= n
	told <- n
}

func (r *register) one() { r.free-- }

func (r *register) off(name string) { delete(r.seats, name) }

// defer and a literal are no more than what they run.
func (r *register) settle(n int) {
	defer r.note(n)
	slices.SortFunc(r.order, func(a, b string) int { return strings.Compare(b, a) })
	r.free -= n
}

// The helpers from here on do more than to remember, or may never come back.

func (r *register) lend(n int) {
	r.free -= n
	go r.note(n)
}

func (r *register) park(n int) {
	r.free -= n
	if r.free < 0 {
		select {}
	}
}

func (r *register) round(n int) {
again:
	r.free -= n
	if r.free > n {
		goto again
	}
}

func (r *register) await(given <-chan int) {
	n := <-given
	r.free += n
}

func (r *register) drain(n int) {
	for {
		r.free -= n
		if r.free < n {
			break
		}
	}
}

func (r *register) gather(given <-chan int) {
	for n := range given {
		r.free += n
	}
}

func (r *register) renew(n int) {
	r.free = n
	os.Remove(r.path)
}

func (r *register) fold(n int) {
	r.free -= n
	if n > 0 {
		r.fold(n / 2)
	}
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

// number tells what there was before the helper: both move.
func (r *register) number() (int, error) {
	n := r.free
	r.one() // want `\(\*register\).number changes r.free, in \(\*register\).one, before it takes r.mu`
	r.mu.Lock()
	defer r.mu.Unlock()
	return n, r.save()
}

// strike does so of what is deleted.
func (r *register) strike(name string) (int, error) {
	n := r.seats[name]
	r.off(name) // want `\(\*register\).strike changes r.seats, in \(\*register\).off, before it takes r.mu`
	r.mu.Lock()
	defer r.mu.Unlock()
	return n, r.save()
}

// close has a helper that defers.
func (r *register) close(n int) error {
	r.settle(n) // want `\(\*register\).close changes r.free, in \(\*register\).settle, before it takes r.mu`
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.save()
}

func (r *register) rent(n int) error {
	r.lend(n) // want `\(\*register\).rent changes r.free, in \(\*register\).lend, before it takes r.mu: .*no fix: the change is made by a call`
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.save()
}

func (r *register) hold(n int) error {
	r.park(n) // want `\(\*register\).hold changes r.free, in \(\*register\).park, before it takes r.mu: .*no fix: the change is made by a call`
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.save()
}

func (r *register) rotate(n int) error {
	r.round(n) // want `\(\*register\).rotate changes r.free, in \(\*register\).round, before it takes r.mu: .*no fix: the change is made by a call`
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.save()
}

func (r *register) accept(given <-chan int) error {
	r.await(given) // want `\(\*register\).accept changes r.free, in \(\*register\).await, before it takes r.mu: .*no fix: the change is made by a call`
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.save()
}

func (r *register) empty(n int) error {
	r.drain(n) // want `\(\*register\).empty changes r.free, in \(\*register\).drain, before it takes r.mu: .*no fix: the change is made by a call`
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.save()
}

func (r *register) collect(given <-chan int) error {
	r.gather(given) // want `\(\*register\).collect changes r.free, in \(\*register\).gather, before it takes r.mu: .*no fix: the change is made by a call`
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.save()
}

func (r *register) reopen(n int) error {
	r.renew(n) // want `\(\*register\).reopen changes r.free, in \(\*register\).renew, before it takes r.mu: .*no fix: the change is made by a call`
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.save()
}

func (r *register) halve(n int) error {
	r.fold(n) // want `\(\*register\).halve changes r.free, in \(\*register\).fold, before it takes r.mu: .*no fix: the change is made by a call`
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
