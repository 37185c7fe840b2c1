package collected

import (
	"os"
	"syscall"
)

// issueTicket wants the lock: only its first letters are those of a question.
func issueTicket(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) // want `issueTicket locks path and nothing keeps the open file`
}

// brief keeps the file only for those who are brief.
func brief(path string, brief bool, do func() error) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil { // want `brief locks path and nothing keeps the open file`
		f.Close()
		return err
	}
	if brief {
		defer f.Close()
	}
	if err := do(); err != nil {
		return err
	}
	return nil
}
