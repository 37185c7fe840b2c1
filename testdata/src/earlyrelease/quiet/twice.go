package quiet

import (
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// A hold gives up once, however often it is asked to.
type hold struct {
	path string
	file *os.File
	once sync.Once
	done bool
}

func takeHold(path string) (*hold, error) {
	f, err := os.OpenFile(path+".lock", os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	return &hold{path: path, file: f}, nil
}

func (h *hold) giveOnce() {
	h.once.Do(func() {
		h.file.Close()
		os.Remove(h.path + ".lock")
	})
}

func (h *hold) give() {
	if h.done {
		return
	}
	h.done = true
	os.Remove(h.path + ".lock")
}

// giveClosed ends where the file is closed already.
func (h *hold) giveClosed() error {
	if err := h.file.Close(); err != nil {
		return err
	}
	return os.Remove(h.path + ".lock")
}

func useHold(path string, n int) error {
	h, err := takeHold(path)
	if err != nil {
		return err
	}
	defer h.giveOnce()
	defer h.give()
	defer h.giveClosed()
	if n == 0 {
		h.giveOnce()
		h.give()
		return h.giveClosed()
	}
	return nil
}

// onError gives up where it fails, and leaves it to its caller otherwise.
func onError(path string) (err error) {
	lock := path + ".lock"
	f, err := os.OpenFile(lock, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	defer func() {
		if err != nil {
			os.Remove(lock)
		}
	}()
	if _, err := f.WriteString("x"); err != nil {
		return err
	}
	return os.Remove(lock)
}

// ends has no time to return.
func ends(path string, fail bool) {
	lock := path + ".lock"
	f, err := os.OpenFile(lock, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	defer os.Remove(lock)
	ch := make(chan os.Signal, 1)
	signal.Notify(ch, os.Interrupt)
	go func() {
		<-ch
		os.Remove(lock)
		os.Exit(1)
	}()
	if fail {
		f.Close()
		os.Remove(lock)
		os.Exit(1)
	}
	f.Close()
}

// again takes the lock anew before it gives it up anew.
func again(path string, n int) error {
	lock := path + ".lock"
	for range n {
		f, err := os.OpenFile(lock, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		f.Close()
		os.Remove(lock)
	}
	f, err := os.OpenFile(lock, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	f.Close()
	return os.Remove(lock)
}

// output is no lock: it is removed where it is not wanted.
func output(path string) error {
	f, err := os.OpenFile(path+".html", os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer os.Remove(path + ".html")
	f.Close()
	os.Remove(path + ".html")
	return nil
}

// closes an open file twice, which does nothing the second time.
func closes(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	// The number is asked for when the function returns: there is none then.
	defer func() { syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }()
	return f.Close()
}

// inTurn unlocks before it closes.
func inTurn(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	fd := int(f.Fd())
	if err := syscall.Flock(fd, syscall.LOCK_EX); err != nil {
		return err
	}
	defer syscall.Flock(fd, syscall.LOCK_UN)
	return nil
}

// failed closes a descriptor where it leaves, and nowhere else.
func failed(path string) (int, error) {
	fd, err := syscall.Open(path, syscall.O_RDWR|syscall.O_CLOEXEC, 0o600)
	if err != nil {
		return 0, err
	}
	if err := syscall.Flock(fd, syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		syscall.Close(fd)
		return 0, err
	}
	if path == "" {
		syscall.Close(fd)
		return 0, os.ErrInvalid
	}
	return fd, nil
}

// A berth looks whose file it is before it gives it up.
type berth struct{ dir, id string }

func (b *berth) lockPath() string { return filepath.Join(b.dir, "berth.lock") }

func (b *berth) lock() error {
	f, err := os.OpenFile(b.lockPath(), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		if info, err := os.Stat(b.lockPath()); err == nil && time.Since(info.ModTime()) > time.Hour {
			os.Remove(b.lockPath())
		}
		return err
	}
	fmt.Fprint(f, b.id)
	return f.Close()
}

func (b *berth) unlock() error {
	if data, err := os.ReadFile(b.lockPath()); err != nil || string(data) != b.id {
		return err
	}
	return os.Remove(b.lockPath())
}

// A stand is taken over only from a process that has ended.
type stand struct{ dir string }

func (s *stand) lockPath() string { return filepath.Join(s.dir, "stand.lock") }

func (s *stand) lock() error {
	f, err := os.OpenFile(s.lockPath(), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		info, serr := os.Stat(s.lockPath())
		if serr == nil && time.Since(info.ModTime()) > time.Hour && !s.alive() {
			os.Remove(s.lockPath())
		}
		return err
	}
	fmt.Fprint(f, os.Getpid())
	return f.Close()
}

func (s *stand) alive() bool {
	data, err := os.ReadFile(s.lockPath())
	if err != nil {
		return false
	}
	pid, err := strconv.Atoi(string(data))
	return err == nil && syscall.Kill(pid, 0) == nil
}

func (s *stand) unlock() error { return os.Remove(s.lockPath()) }

// pipe closes a descriptor twice that nobody locks.
func pipe(path string) error {
	fd, err := syscall.Open(path, syscall.O_RDWR|syscall.O_CLOEXEC, 0o600)
	if err != nil {
		return err
	}
	defer syscall.Close(fd)
	os.Remove(path + ".old")
	return syscall.Close(fd)
}

// renew makes the lock anew at once.
func renew(path string) {
	lock := path + ".lock"
	f, err := os.OpenFile(lock, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	defer os.Remove(lock)
	f.Close()
	os.Remove(lock)
	f, _ = os.OpenFile(lock, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	f.Close()
}

// quits has a helper that ends the program.
func quits(path string, n int) {
	lock := path + ".lock"
	f, err := os.OpenFile(lock, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		quit(err)
	}
	f.Close()
	if n > 0 {
		os.Remove(lock)
		quit(os.ErrInvalid)
	}
	os.Remove(lock)
}

func quit(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
