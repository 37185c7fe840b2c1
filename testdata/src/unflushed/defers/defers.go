// Package defers lets go of locks by deferred calls that run too early.
package defers

import (
	"bufio"
	"encoding/json"
	"os"
	"sync"
	"syscall"
)

// add defers the flush first, so that it runs last.
func add(path string, v any) error {
	f, err := os.OpenFile(path+".jsonl", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()

	w := bufio.NewWriter(f)
	// Whatever was encoded goes out in one piece.
	defer w.Flush()

	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	defer syscall.Flock(int(f.Fd()), syscall.LOCK_UN) // want `add releases the lock on path\.jsonl before what it wrote is flushed.*no fix: defer it behind the unlock, so that it runs first`

	return json.NewEncoder(w).Encode(v)
}

type feed struct {
	mu sync.Mutex
	w  *bufio.Writer
}

// send flushes in a deferred call.
func (s *feed) send(v any) error {
	defer s.w.Flush()
	s.mu.Lock()
	defer s.mu.Unlock() // want `\(\*feed\)\.send releases the lock on s\.w before what it wrote is flushed`
	return json.NewEncoder(s.w).Encode(v)
}

// sendAll ends both in one literal, in the wrong order.
func (s *feed) sendAll(vs []any) error {
	s.mu.Lock()
	defer func() {
		s.mu.Unlock() // want `\(\*feed\)\.sendAll releases the lock on s\.w before what it wrote is flushed.*no fix: defer it behind the unlock`
		s.w.Flush()
	}()
	for _, v := range vs {
		if err := json.NewEncoder(s.w).Encode(v); err != nil {
			return err
		}
	}
	return nil
}
