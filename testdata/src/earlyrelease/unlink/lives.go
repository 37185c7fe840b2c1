package unlink

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"
)

// seat is a file that is locked, whatever it is called.
type seat struct {
	f    *os.File
	name string
}

func try(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }

func sit(name string) (*seat, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := try(f); err != nil {
		f.Close()
		return nil, err
	}
	fmt.Fprintf(f, "%d\n", os.Getpid())
	return &seat{f, name}, nil
}

// release lets go of the lock by closing the file.
func (s *seat) release() error {
	if err := os.Remove(s.name); err != nil { // want `\(\*seat\).release removes the lock file s.name while it holds the lock`
		return err
	}
	return s.f.Close()
}

// bench asks the open file for its name.
type bench struct{ f *os.File }

func occupy(dir string) (*bench, error) {
	f, err := os.OpenFile(filepath.Join(dir, "bench"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := try(f); err != nil {
		f.Close()
		return nil, err
	}
	return &bench{f}, nil
}

// Close leaves the bench.
func (b *bench) Close() error {
	name := b.f.Name()
	if err := b.f.Close(); err != nil {
		return err
	}
	return os.Remove(name) // want `\(\*bench\).Close removes the lock file dir/bench after it has released the lock`
}

// pidFile says who runs, and is locked for as long.
type pidFile struct {
	path string
	f    *os.File
}

func openPid(path string) (*pidFile, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := try(f); err != nil {
		f.Close()
		return nil, errors.New("already running")
	}
	fmt.Fprintf(f, "%d\n", os.Getpid())
	return &pidFile{path, f}, nil
}

// Stop ends it.
func (p *pidFile) Stop() error {
	p.f.Close()
	return os.Remove(p.path) // want `\(\*pidFile\).Stop removes the lock file p.path after it has released the lock`
}

// record has a lock of the whole process, and the open file in itself.
type record struct {
	opened
	name string
	once sync.Once
}

type opened = *os.File

func openRecord(name string) (*record, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.FcntlFlock(f.Fd(), syscall.F_SETLK, &syscall.Flock_t{Type: syscall.F_WRLCK}); err != nil {
		f.Close()
		return nil, err
	}
	return &record{opened: f, name: name}, nil
}

func (r *record) Release() (err error) {
	r.once.Do(func() {
		os.Remove(r.name) // want `\(\*record\).Release removes the lock file r.name while it holds the lock`
		err = r.opened.Close()
	})
	return err
}

// deferred makes the file, locks it and removes it.
func deferred(dir string, work func() error) error {
	path := filepath.Join(dir, "work.lck")
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		f.Close()
		os.Remove(path) // want `deferred removes the lock file dir/work.lck after it has released the lock`
	}()
	if err := try(f); err != nil {
		return err
	}
	defer syscall.Flock(int(f.Fd()), syscall.LOCK_UN)
	return work()
}

// queue keeps something in the file that it locks.
type queue struct {
	f    *os.File
	name string
}

func openQueue(name string) (*queue, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := try(f); err != nil {
		f.Close()
		return nil, err
	}
	return &queue{f, name}, nil
}

func (q *queue) put(line string) error {
	_, err := q.f.WriteString(line)
	return err
}

func (q *queue) drop() error {
	os.Remove(q.name) // ok: it is the queue that goes
	return q.f.Close()
}

// reader has files that others make.
type reader struct {
	f    *os.File
	name string
}

func openReader(name string) (*reader, error) {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	if err := try(f); err != nil {
		f.Close()
		return nil, err
	}
	return &reader{f, name}, nil
}

// Close takes away what has been read.
func (r *reader) Close() error {
	os.Remove(r.name) // ok: the file was there before its lock
	return r.f.Close()
}
