package unlock

import (
	"bufio"
	"fmt"
	"sync"
)

type counters struct {
	mu sync.Mutex
	n  int
}

type tape struct {
	mu sync.Mutex
	w  *bufio.Writer
}

// count takes a lock that has nothing to do with the writer, and lets go of it.
func (t *tape) count(stats *counters, line string) error {
	t.mu.Lock()
	fmt.Fprintln(t.w, line)
	t.mu.Unlock() // want `\(\*tape\)\.count releases the lock on t\.w before what it wrote is flushed`
	stats.mu.Lock()
	stats.n++
	stats.mu.Unlock()
	return t.w.Flush()
}

// urgent flushes what was there before.
func (t *tape) urgent(urgent bool, line string) error {
	t.mu.Lock()
	if urgent {
		t.w.Flush()
	}
	fmt.Fprintln(t.w, line)
	t.mu.Unlock() // want `\(\*tape\)\.urgent releases the lock on t\.w before what it wrote is flushed`
	return t.w.Flush()
}

// fails flushes under the lock wherever the write has not failed.
func (t *tape) fails(line string) error {
	t.mu.Lock()
	_, err := fmt.Fprintln(t.w, line)
	if err == nil {
		err = t.w.Flush()
	}
	t.mu.Unlock()
	if err != nil {
		return err
	}
	return t.w.Flush()
}
