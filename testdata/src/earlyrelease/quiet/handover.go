package quiet

import (
	"os"
	"path/filepath"
	"sync"
	"syscall"
)

// A relay hands its lock over to a goroutine, which lets go of it.
type relay struct {
	mu   sync.Mutex
	dir  string
	used map[string]bool
	busy bool
}

func (r *relay) part(name string) string { return filepath.Join(r.dir, name+".part") }

func (r *relay) take(name string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.used[name] || r.busy {
		return os.ErrExist
	}
	r.used[name], r.busy = true, true
	f, err := os.OpenFile(r.part(name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// begin leaves the mutex to the goroutine, which has it until all is done.
func (r *relay) begin(name string) {
	r.mu.Lock()
	go func() {
		defer r.mu.Unlock()
		delete(r.used, name)
		r.busy = false
		os.Remove(r.part(name))
	}()
}

// end is run with the mutex that another function has taken.
func (r *relay) end(name string) {
	delete(r.used, name)
	r.busy = false
	os.Remove(r.part(name))
	r.mu.Unlock()
}

func (r *relay) handle(name string) {
	r.mu.Lock()
	go r.end(name)
}

// open returns the lock with what lets go of it, and a goroutine does.
func open(path string) (func(), error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		f.Close()
		return nil, err
	}
	return func() {
		syscall.Flock(int(f.Fd()), syscall.LOCK_UN)
		f.Close()
	}, nil
}

func spawn(path string) error {
	unlock, err := open(path)
	if err != nil {
		return err
	}
	go func() {
		defer unlock()
		os.MkdirAll(path+".d", 0o700)
	}()
	return nil
}
