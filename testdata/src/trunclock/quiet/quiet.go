// Package quiet locks in time, or has nothing to lose.
package quiet

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

type store struct {
	path string
	Rows []int
}

func flock(f *os.File, how int) error { return syscall.Flock(int(f.Fd()), how) }

func (s *store) withLock(do func() error) error {
	lock, err := os.OpenFile(s.path+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer lock.Close()
	if err := flock(lock, syscall.LOCK_EX); err != nil {
		return err
	}
	return do()
}

// An empty lock file that nobody writes or reads loses nothing.
func acquire(dir string) (*os.File, error) {
	f, err := os.Create(filepath.Join(dir, ".lock"))
	if err != nil {
		return nil, err
	}
	if err := flock(f, syscall.LOCK_EX); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// The lock beside the file is taken first.
func (s *store) journalPid() error {
	return s.withLock(func() error {
		f, err := os.Create(s.path + ".pid")
		if err != nil {
			return err
		}
		defer f.Close()
		if err := flock(f, syscall.LOCK_EX); err != nil {
			return err
		}
		fmt.Fprintln(f, os.Getpid())
		return nil
	})
}

// A lock beside the file is taken first where it is shared.
func (s *store) savePid(shared bool) error {
	if shared {
		lock, err := os.OpenFile(s.path+".lock", os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			return err
		}
		defer lock.Close()
		if err := flock(lock, syscall.LOCK_EX); err != nil {
			return err
		}
	}
	f, err := os.Create(s.path + ".pid")
	if err != nil {
		return err
	}
	defer f.Close()
	if err := flock(f, syscall.LOCK_EX); err != nil {
		return err
	}
	fmt.Fprintln(f, os.Getpid())
	return nil
}

// announce is only called by one that holds the lock.
func (s *store) announce() error {
	return s.withLock(s.sayPid)
}

// The file is opened as it is, and emptied under its lock.
func hold(path string) (*os.File, error) {
	f, err := os.OpenFile(path+".pid", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := flock(f, syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		return nil, err
	}
	if err := f.Truncate(0); err != nil {
		f.Close()
		return nil, err
	}
	fmt.Fprintln(f, os.Getpid())
	return f, nil
}

func (s *store) sayPid() error { return nil }

// What the user chose at the command line is a result.
func report(rows []int) error {
	f, err := os.Create(*flag.String("out", "", "where to write"))
	if err != nil {
		return err
	}
	defer f.Close()
	if err := flock(f, syscall.LOCK_EX); err != nil {
		return err
	}
	return json.NewEncoder(f).Encode(rows)
}

// A temporary directory is nobody else's.
func scratch(rows []int) error {
	dir, err := os.MkdirTemp("", "rows")
	if err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(dir, "rows.json"))
	if err != nil {
		return err
	}
	defer f.Close()
	if err := flock(f, syscall.LOCK_EX); err != nil {
		return err
	}
	return json.NewEncoder(f).Encode(rows)
}

// Another file's lock has nothing to do with this one.
func (s *store) copyFrom(other string) error {
	f, err := os.CreateTemp(filepath.Dir(s.path), "rows*.json")
	if err != nil {
		return err
	}
	defer f.Close()
	src, err := os.Open(other)
	if err != nil {
		return err
	}
	defer src.Close()
	if err := flock(src, syscall.LOCK_SH); err != nil {
		return err
	}
	return json.NewEncoder(f).Encode(s.Rows)
}

// appendLine empties nothing.
func appendLine(path, line string) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := flock(f, syscall.LOCK_EX); err != nil {
		return err
	}
	_, err = f.WriteString(line)
	return err
}
