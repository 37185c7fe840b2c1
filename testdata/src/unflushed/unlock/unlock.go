// Package unlock lets go of locks with bytes still in memory.
package unlock

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"syscall"
)

type journal struct {
	mu sync.Mutex
	w  *bufio.Writer
	n  int
}

// record writes under the lock, and flushes without it.
func (j *journal) record(line string) error {
	j.mu.Lock()
	fmt.Fprintln(j.w, line)
	// The counter is done with, too.
	j.mu.Unlock() // want `\(\*journal\)\.record releases the lock on j\.w before what it wrote is flushed.*no fix: release the lock behind it, and wherever the function leaves in between`
	return j.w.Flush()
}

// recordAll looks at the error of the write when the lock is gone.
func (j *journal) recordAll(lines []string) error {
	j.mu.Lock()
	_, err := fmt.Fprintln(j.w, lines)
	j.mu.Unlock() // want `\(\*journal\)\.recordAll releases the lock on j\.w before what it wrote is flushed`
	if err != nil {
		return err
	}
	if err := j.w.Flush(); err != nil {
		return fmt.Errorf("flush: %w", err)
	}
	return nil
}

// note needs no error.
func (j *journal) note(line string) {
	j.mu.Lock()
	j.n++
	j.w.WriteString(line)
	j.mu.Unlock() // want `\(\*journal\)\.note releases the lock on j\.w before what it wrote is flushed`
	j.w.Flush()
}

// add appends to a file that other processes append to as well.
func add(path string, v any) error {
	f, err := os.OpenFile(path+".jsonl", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	if err := json.NewEncoder(w).Encode(v); err != nil {
		return err
	}
	syscall.Flock(int(f.Fd()), syscall.LOCK_UN) // want `add releases the lock on path\.jsonl before what it wrote is flushed`
	if err := w.Flush(); err != nil {
		return err
	}
	return nil
}

// pack closes the compressor when the lock is gone.
func pack(path string, data []byte) error {
	f, err := os.OpenFile(path+".gz", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	z := gzip.NewWriter(f)
	defer z.Close()
	if _, err := z.Write(data); err != nil {
		return err
	}
	syscall.Flock(int(f.Fd()), syscall.LOCK_UN) // want `pack releases the lock on path\.gz before what it wrote is flushed`
	return nil
}
