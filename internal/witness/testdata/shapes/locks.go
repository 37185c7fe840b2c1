package shapes

import (
	"bufio"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
)

// WriteTruncated truncates the file before it has the lock.
func WriteTruncated(path string, m map[string]int) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600) // shape: trunclock
	if err != nil {
		return err
	}
	defer f.Close()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	_, err = f.Write(encode(m))
	return err
}

// WriteUnder has the lock before it replaces the file.
func WriteUnder(path string, m map[string]int) error {
	unlock, err := lock(path + ".lock")
	if err != nil {
		return err
	}
	defer unlock()
	return replace(path, encode(m)) // twin: trunclock
}

// WriteLocked has the lock before it truncates: no other process reads half of it, a crash leaves it.
func WriteLocked(path string, m map[string]int) error {
	unlock, err := lock(path + ".lock")
	if err != nil {
		return err
	}
	defer unlock()
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600) // locked: trunclock
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.Write(encode(m))
	return err
}

// ReadUnder reads the file under the lock of WriteLocked.
func ReadUnder(path string) (map[string]int, error) {
	unlock, err := lock(path + ".lock")
	if err != nil {
		return nil, err
	}
	defer unlock()
	return load(path)
}

// WriteUnflushed gives up the lock before the bytes have left the buffer.
func WriteUnflushed(path string, m map[string]int) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o600) // shape: unflushed
	if err != nil {
		return err
	}
	defer f.Close()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	if err := f.Truncate(0); err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	defer w.Flush()
	if _, err := w.Write(encode(m)); err != nil {
		return err
	}
	return syscall.Flock(int(f.Fd()), syscall.LOCK_UN)
}

// WriteFlushed gives it up behind that, when the file is in place.
func WriteFlushed(path string, m map[string]int) error {
	unlock, err := lock(path + ".lock")
	if err != nil {
		return err
	}
	defer unlock()
	f, err := os.CreateTemp(filepath.Dir(path), "new-*") // twin: unflushed
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	if _, err := w.Write(encode(m)); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// ReadShared reads the file under the lock that its writer has.
func ReadShared(path string) (map[string]int, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_SH); err != nil {
		return nil, err
	}
	return load(path)
}

// WithReleased runs do under a lock file, which it removes when the lock is given up.
func WithReleased(path string, do func() error) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		f.Close()
		return err
	}
	err = do()
	f.Close()
	return errors.Join(err, os.Remove(path)) // shape: earlyrelease
}

// WithHeld removes the lock file while it has the lock, and has it only if the file is still there.
func WithHeld(path string, do func() error) error {
	f, err := acquire(path)
	if err != nil {
		return err
	}
	defer f.Close()
	err = do()
	return errors.Join(err, os.Remove(path)) // twin: earlyrelease
}

func acquire(path string) (*os.File, error) {
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return nil, err
		}
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
			f.Close()
			return nil, err
		}
		locked, err := f.Stat()
		if err != nil {
			f.Close()
			return nil, err
		}
		if there, err := os.Stat(path); err == nil && os.SameFile(locked, there) {
			return f, nil
		}
		f.Close()
	}
}

// ErrHeld says that another process has the claim.
var ErrHeld = errors.New("held by another process")

// ClaimChecked looks whether the file is there, and then makes it.
func ClaimChecked(path string) error {
	if _, err := os.Stat(path); err == nil {
		return ErrHeld
	}
	return os.WriteFile(path, []byte(strconv.Itoa(os.Getpid())), 0o600) // shape: racycreate
}

// ClaimExclusive makes the file if it is not there.
func ClaimExclusive(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) // twin: racycreate
	if os.IsExist(err) {
		return ErrHeld
	}
	if err != nil {
		return err
	}
	_, err = f.WriteString(strconv.Itoa(os.Getpid()))
	return errors.Join(err, f.Close())
}

// TakeStale removes the file of a process that is gone, and makes its own.
func TakeStale(path string) error {
	if pid, err := Owner(path); err == nil && pid == 0 {
		if err := os.Remove(path); err != nil { // shape: reclaim
			return err
		}
	}
	return ClaimExclusive(path)
}

// TakeStaleLocked does so while nobody else can.
func TakeStaleLocked(path string) error {
	unlock, err := lock(path + ".lock")
	if err != nil {
		return err
	}
	defer unlock()
	if pid, err := Owner(path); err == nil && pid == 0 {
		if err := os.Remove(path); err != nil { // twin: reclaim
			return err
		}
	}
	return ClaimExclusive(path)
}

// ClaimByRename looks whether the file is there, and then puts its own in place.
func ClaimByRename(path string) error {
	if _, err := os.Stat(path); err == nil {
		return ErrHeld
	}
	return replace(path, []byte(strconv.Itoa(os.Getpid()))) // shape: publish
}

// ClaimByLink puts its own in place if there is none.
func ClaimByLink(path string) error {
	own := path + "." + strconv.Itoa(os.Getpid())
	if err := os.WriteFile(own, []byte(strconv.Itoa(os.Getpid())), 0o600); err != nil {
		return err
	}
	defer os.Remove(own)
	return os.Link(own, path) // twin: publish
}

// Owner is the process that has the claim.
func Owner(path string) (int, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(string(data))
}

// A Registry has the claims of this process, each with a file.
type Registry struct {
	mu   sync.Mutex
	held map[string]bool
	done sync.WaitGroup
}

// Claim takes a path, unless somebody has it.
func (r *Registry) Claim(path string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.held[path] {
		return ErrHeld
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if r.held == nil {
		r.held = map[string]bool{}
	}
	r.held[path] = true
	return f.Close()
}

// ReleaseEarly gives the path up before its file is removed.
func (r *Registry) ReleaseEarly(path string) {
	r.mu.Lock()
	delete(r.held, path)
	r.mu.Unlock()
	r.done.Add(1)
	go func() {
		defer r.done.Done()
		os.Remove(path) // shape: background
	}()
}

// Release removes the file first.
func (r *Registry) Release(path string) {
	r.done.Add(1)
	go func() {
		defer r.done.Done()
		os.Remove(path) // alone: background
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.held, path)
	}()
}

// ReleaseAlone is as early as ReleaseEarly, and nobody else asks for the path in its test.
func (r *Registry) ReleaseAlone(path string) {
	r.mu.Lock()
	delete(r.held, path)
	r.mu.Unlock()
	r.done.Add(1)
	go func() {
		defer r.done.Done()
		os.Remove(path) // alone: background
	}()
}

// HoldDropped takes the lock of a file that nothing refers to any more.
func HoldDropped(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) // shape: dropped
}

var kept *os.File

// HoldKept keeps the file, for as long as the process runs.
func HoldKept(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	kept = f
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) // twin: dropped
}
