package before

import (
	"os"
	"sync"
)

// A tally is used by several goroutines; what its methods say and are called promises no lock.
type tally struct {
	path string
	mu   sync.Mutex
	sum  int // guarded by mu
	top  int

	log sync.Mutex // of the log
}

var colors sync.RWMutex // of the colors of the terminal

func (t *tally) put(n int) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sum += n
	t.top = max(t.top, n)
	return t.save()
}

func (t *tally) get() (sum, top int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.sum, t.top
}

func (t *tally) save() error {
	f, err := os.OpenFile(t.path, os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// newest is no constructor.
func (t *tally) newest(n int) error {
	t.top = n // want `\(\*tally\).newest changes t.top before it takes t.mu`
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.save()
}

// answer answers concurrent requests.
func (t *tally) answer(n int) error {
	t.sum = n // want `\(\*tally\).answer changes t.sum before it takes t.mu`
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.save()
}

// wait waits while the lock is held by others.
func (t *tally) wait(n int) error {
	t.sum = n // want `\(\*tally\).wait changes t.sum before it takes t.mu`
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.save()
}

// logs keeps the log to itself.
func (t *tally) logs(n int) error {
	t.log.Lock()
	defer t.log.Unlock()
	t.sum = n // want `\(\*tally\).logs changes t.sum before it takes t.mu`
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.save()
}

// colored reads something else.
func (t *tally) colored(n int) error {
	colors.RLock()
	defer colors.RUnlock()
	t.sum = n // want `\(\*tally\).colored changes t.sum before it takes t.mu`
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.save()
}

func tell() {}

// tells starts a goroutine that has nothing to do with the tally.
func (t *tally) tells(n int) error {
	t.sum = n // want `\(\*tally\).tells changes t.sum before it takes t.mu`
	t.mu.Lock()
	defer t.mu.Unlock()
	go tell()
	return t.save()
}
