package twice

import (
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
)

// A lease is a lock by the existence of its file.
type lease struct {
	path string
	file *os.File
	stop func()
}

func take(path string) (*lease, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	return &lease{path: path, file: f}, nil
}

// release does its work however often it is called.
func (l *lease) release() error {
	l.file.Close()
	return os.Remove(l.path)
}

// explicit gives up early where it fails, and then once more.
func explicit(dir string) error {
	l, err := take(filepath.Join(dir, "import.lock"))
	if err != nil {
		return err
	}
	defer l.release()
	if err := work(dir); err != nil {
		l.release() // want `explicit removes the lock file path twice`
		return err
	}
	return nil
}

// inOrder leaves it to a method that gives up as well.
func (l *lease) inOrder() {
	l.finish()
	l.release() // want `\(\*lease\).inOrder removes the lock file l.path twice`
}

func (l *lease) finish() {
	work(l.path)
	l.release()
}

// both are deferred.
func both(dir string) error {
	path := filepath.Join(dir, "export.lock")
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer os.Remove(path) // want `both removes the lock file dir/export.lock twice`
	defer func() {
		f.Close()
		os.Remove(path)
	}()
	return work(dir)
}

// handler gives up for a signal, and lets the program end in its own time.
func handler(dir string) error {
	l, err := take(filepath.Join(dir, "daemon.lock"))
	if err != nil {
		return err
	}
	defer l.release()
	ch := make(chan os.Signal, 1)
	signal.Notify(ch, os.Interrupt)
	go func() {
		<-ch
		l.release() // want `handler removes the lock file path twice`
		l.stop()
	}()
	return work(dir)
}

// acquire returns what gives up.
func acquire(dir string) (func(), error) {
	path := filepath.Join(dir, "sync.lock")
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	return func() {
		f.Close()
		os.Remove(path)
	}, nil
}

func sync(dir string) error {
	unlock, err := acquire(dir)
	if err != nil {
		return err
	}
	defer unlock()
	err = work(dir)
	unlock() // want `sync removes the lock file dir/sync.lock twice`
	return err
}

// byNumber unlocks what may be another's file by then.
func byNumber(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		f.Close()
		return err
	}
	defer syscall.Flock(int(f.Fd()), syscall.LOCK_UN) // want `byNumber unlocks the descriptor of path by its number when it is closed`
	defer f.Close()
	return work(path)
}

// known has asked for the number before.
func known(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	fd := int(f.Fd())
	if err := syscall.Flock(fd, syscall.LOCK_EX); err != nil {
		f.Close()
		return err
	}
	err = work(path)
	f.Close()
	syscall.Flock(fd, syscall.LOCK_UN) // want `known unlocks the descriptor of path by its number`
	return err
}

// raw closes a descriptor twice, the second time when it returns.
func raw(path string) error {
	fd, err := syscall.Open(path, syscall.O_RDWR|syscall.O_CLOEXEC, 0o600)
	if err != nil {
		return err
	}
	defer syscall.Close(fd) // want `raw closes the descriptor of path by its number when it is closed`
	if err := syscall.Flock(fd, syscall.LOCK_EX); err != nil {
		return err
	}
	err = work(path)
	syscall.Close(fd)
	return err
}

// behind closes the descriptor that an open file still has.
func behind(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer f.Close() // want `behind closes the descriptor of path by its number`
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	err = work(path)
	syscall.Close(int(f.Fd()))
	return err
}

func work(dir string) error { return os.MkdirAll(dir, 0o700) }
