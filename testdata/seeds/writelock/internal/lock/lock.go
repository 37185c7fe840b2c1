// Package lock gives one writer at a time the right to change a session
// transcript. Agents of one process take turns through a registry in memory,
// processes through a lock file beside the transcript.
package lock

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"
)

// retryDelay is the pause before another look at a lock that somebody holds.
const retryDelay = time.Millisecond

// Registry knows the write locks that this process holds.
type Registry struct {
	mu      sync.Mutex
	held    map[string]*Lock
	pending sync.WaitGroup
}

// Lock is the right to write one session.
type Lock struct {
	registry *Registry
	session  string
	path     string
	file     *os.File
}

// owner is the content of a lock file.
type owner struct {
	PID      int       `json:"pid"`
	Acquired time.Time `json:"acquired"`
}

// NewRegistry returns a registry that holds nothing.
func NewRegistry() *Registry {
	return &Registry{held: make(map[string]*Lock)}
}

// Acquire waits until the session is free and takes it.
func (r *Registry) Acquire(ctx context.Context, session string) (*Lock, error) {
	l := &Lock{registry: r, session: session, path: session + ".lock"}
	for {
		if r.claim(l) {
			err := l.create()
			if err == nil {
				return l, nil
			}
			r.forget(l)
			if !errors.Is(err, fs.ErrExist) {
				return nil, fmt.Errorf("lock %s: %w", session, err)
			}
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("lock %s: %w", session, ctx.Err())
		case <-time.After(retryDelay):
		}
	}
}

// Release lets the next writer in. The lock file is cleaned up in the
// background, so that an agent does not wait for the disk.
func (l *Lock) Release() {
	r := l.registry
	r.mu.Lock()
	delete(r.held, l.session)
	r.mu.Unlock()

	r.pending.Add(1)
	go func() {
		defer r.pending.Done()
		l.file.Close()
		os.Remove(l.path)
	}()
}

// Wait returns when the clean-up of all released locks has ended.
func (r *Registry) Wait() {
	r.pending.Wait()
}

// claim enters l unless another agent of this process has the session.
func (r *Registry) claim(l *Lock) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, taken := r.held[l.session]; taken {
		return false
	}
	r.held[l.session] = l
	return true
}

// forget takes back a claim that got no lock file.
func (r *Registry) forget(l *Lock) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.held, l.session)
}

// create makes the lock file. One that names this process cannot belong to
// another agent, who would be in the registry: it was left by an earlier
// process that had the same number, and is replaced.
func (l *Lock) create() error {
	err := l.tryCreate()
	if errors.Is(err, fs.ErrExist) && l.orphaned() {
		if err := os.Remove(l.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		err = l.tryCreate()
	}
	return err
}

func (l *Lock) tryCreate() error {
	f, err := os.OpenFile(l.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if err := json.NewEncoder(f).Encode(owner{PID: os.Getpid(), Acquired: time.Now().UTC()}); err != nil {
		f.Close()
		os.Remove(l.path)
		return err
	}
	l.file = f
	return nil
}

// orphaned reports whether the lock file on disk bears the number of this process.
func (l *Lock) orphaned() bool {
	data, err := os.ReadFile(l.path)
	if err != nil {
		return false
	}
	var o owner
	if err := json.Unmarshal(data, &o); err != nil {
		return false
	}
	return o.PID == os.Getpid()
}
