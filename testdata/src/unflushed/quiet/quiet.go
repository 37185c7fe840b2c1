// Package quiet has nothing in memory when it matters, or nobody to fear.
package quiet

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"syscall"
)

type log struct {
	mu    sync.RWMutex
	w     *bufio.Writer
	names map[string]int
	path  string
}

// The writer is flushed under the lock.
func (l *log) write(line string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintln(l.w, line)
	return l.w.Flush()
}

// The lock is taken again for the flush.
func (l *log) again(line string) error {
	l.mu.Lock()
	fmt.Fprintln(l.w, line)
	l.mu.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Flush()
}

// The lock guards the map and not the file, which is this call's own.
func (l *log) dump(f *os.File) error {
	w := bufio.NewWriter(f)
	l.mu.Lock()
	for name, n := range l.names {
		fmt.Fprintln(w, name, n)
	}
	l.mu.Unlock()
	return w.Flush()
}

// A shared lock guards what is read.
func (l *log) list(line string) error {
	l.mu.RLock()
	fmt.Fprintln(l.w, line)
	l.mu.RUnlock()
	return l.w.Flush()
}

// A plain file holds nothing back.
func (l *log) plain(line string) error {
	f, err := os.OpenFile(l.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	defer syscall.Flock(int(f.Fd()), syscall.LOCK_UN)
	return json.NewEncoder(f).Encode(line)
}

// Nobody sees a temporary file before it is moved.
func stage(v any) (string, error) {
	f, err := os.CreateTemp("", "stage")
	if err != nil {
		return "", err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return "", err
	}
	err = json.NewEncoder(w).Encode(v)
	syscall.Flock(int(f.Fd()), syscall.LOCK_UN)
	if err != nil {
		return "", err
	}
	return f.Name(), w.Flush()
}

// A sync follows the flush.
func rotate(path, line string) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	fmt.Fprintln(w, line)
	if err := f.Sync(); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	return f.Close()
}
