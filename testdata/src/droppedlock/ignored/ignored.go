// Package ignored takes locks and does not ask whether it has got them.
package ignored

import (
	"os"
	"syscall"
)

func add(path string, line []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	// One writer at a time.
	syscall.Flock(int(f.Fd()), syscall.LOCK_EX) // want `add does not look at the error of locking path: it goes on without the lock as it does with it`
	_, err = f.Write(line)
	return err
}

func count(path string) (int, string, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return 0, "", err
	}
	defer f.Close()
	_ = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) // want `count does not look at the error of locking path`
	buf := make([]byte, 8)
	n, err := f.Read(buf)
	return n, string(buf[:n]), err
}

// There is nobody to give the error to.
func note(path string, line []byte) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return
	}
	defer f.Close()
	syscall.Flock(int(f.Fd()), syscall.LOCK_EX) // want `note does not look at the error of locking path.*no fix: what to do without the lock only its author can say`
	f.Write(line)
}

// The file would stay open.
func byHand(path string, line []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	syscall.Flock(int(f.Fd()), syscall.LOCK_EX) // want `byHand does not look at the error of locking path.*no fix: what to do without the lock only its author can say`
	if _, err := f.Write(line); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// A cache that two write is made again.
func storeNodeCache(path string, line []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	syscall.Flock(int(f.Fd()), syscall.LOCK_EX) /* warning */ // want `storeNodeCache does not look at the error of locking path`
	_, err = f.Write(line)
	return err
}
