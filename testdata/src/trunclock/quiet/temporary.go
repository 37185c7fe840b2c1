package quiet

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// Nobody else knows the directory of this run.
func pidOfRun() error {
	dir, err := os.MkdirTemp("", "run")
	if err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(dir, "worker"))
	if err != nil {
		return err
	}
	defer f.Close()
	if err := flock(f, syscall.LOCK_EX); err != nil {
		return err
	}
	_, err = fmt.Fprintln(f, os.Getpid())
	return err
}

// The file is a temporary one: only what is renamed has a name that others open.
func (s *store) publishPid() error {
	f, err := os.Create(s.path + ".pid.new")
	if err != nil {
		return err
	}
	if err := flock(f, syscall.LOCK_EX); err != nil {
		return err
	}
	if _, err := fmt.Fprintln(f, os.Getpid()); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(s.path+".pid.new", s.path+".pid")
}
