// Package unfilled keeps an identity that is made on the first run.
package unfilled

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

func newID() string {
	var b [16]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

func readID(path string) (string, error) {
	data, err := os.ReadFile(path)
	return strings.TrimSpace(string(data)), err
}

func deviceID(dir string) (string, error) {
	path, id := filepath.Join(dir, "device_id"), newID()
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) /* warning */ // want `deviceID makes dir/device_id exclusively, and fills it in a second step`
	switch {
	case err == nil:
		_, err = f.WriteString(id + "\n")
		if closing := f.Close(); err == nil {
			err = closing
		}
		return id, err
	case errors.Is(err, os.ErrExist):
		return readID(path)
	default:
		return "", err
	}
}

// linked fills it before anybody finds it.
func linked(dir string) (string, error) {
	path, id := filepath.Join(dir, "device_id"), newID()
	tmp := path + "." + id
	f, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) // ok: it gets its name when it is full
	if err != nil {
		return "", err
	}
	defer os.Remove(tmp)
	if _, err := f.WriteString(id + "\n"); err != nil {
		f.Close()
		return "", err
	}
	if err := f.Close(); err != nil {
		return "", err
	}
	if err := os.Link(tmp, path); errors.Is(err, os.ErrExist) {
		return readID(path)
	} else if err != nil {
		return "", err
	}
	return id, nil
}

// fresh fails where one is there: nobody goes on with an empty one.
func fresh(dir string) (string, error) {
	id := newID()
	f, err := os.OpenFile(filepath.Join(dir, "device_id"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) // ok: it takes none that is there
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(id)
	return id, errors.Join(err, f.Close())
}

// refuses says so where one is there, although others read it.
func refuses(dir string) error {
	f, err := os.OpenFile(filepath.Join(dir, "device_id"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) // ok: it takes none that is there
	if errors.Is(err, os.ErrExist) {
		return errors.New("there is one")
	} else if err != nil {
		return err
	}
	_, err = f.WriteString(newID())
	return errors.Join(err, f.Close())
}

// locked is alone as long as it fills the file.
func locked(dir string) (string, error) {
	lock, err := os.OpenFile(filepath.Join(dir, ".lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return "", err
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return "", err
	}
	path, id := filepath.Join(dir, "node_id"), newID()
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) // ok: who reads it has the lock
	if errors.Is(err, os.ErrExist) {
		return readID(path)
	} else if err != nil {
		return "", err
	}
	_, err = f.WriteString(id)
	return id, errors.Join(err, f.Close())
}

// mark makes a file that nobody reads.
func mark(dir string) error {
	f, err := os.OpenFile(filepath.Join(dir, "notice"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644) // ok: nobody reads it
	if errors.Is(err, os.ErrExist) {
		return nil
	} else if err != nil {
		return err
	}
	_, err = f.WriteString(strconv.Itoa(1))
	return errors.Join(err, f.Close())
}

// guarded is called with the lock held.
func guarded(dir string) (string, error) {
	path, id := filepath.Join(dir, "user_id"), newID()
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) // ok: its caller has the lock
	if errors.Is(err, os.ErrExist) {
		return readID(path)
	} else if err != nil {
		return "", err
	}
	_, err = f.WriteString(id)
	return id, errors.Join(err, f.Close())
}

func userID(dir string) (string, error) {
	lock, err := os.OpenFile(filepath.Join(dir, ".lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return "", err
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return "", err
	}
	return guarded(dir)
}
