// Package inherited locks descriptors that the programs it starts get, too.
package inherited

import (
	"os/exec"
	"syscall"
)

func guarded(path string, cmd *exec.Cmd) error {
	fd, err := syscall.Open(path, syscall.O_RDWR|syscall.O_CREAT, 0o600) // want `guarded opens path without O_CLOEXEC: every program that is started while it is locked keeps the lock.*no fix: open it with O_CLOEXEC among its flags`
	if err != nil {
		return err
	}
	defer syscall.Close(fd)
	if err := syscall.Flock(fd, syscall.LOCK_EX); err != nil {
		return err
	}
	return cmd.Run()
}

func closed(path string, cmd *exec.Cmd) error {
	fd, err := syscall.Open(path, syscall.O_RDWR|syscall.O_CREAT|syscall.O_CLOEXEC, 0o600)
	if err != nil {
		return err
	}
	defer syscall.Close(fd)
	if err := syscall.Flock(fd, syscall.LOCK_EX); err != nil {
		return err
	}
	return cmd.Run()
}

func marked(path string, cmd *exec.Cmd) error {
	fd, err := syscall.Open(path, syscall.O_RDONLY, 0)
	if err != nil {
		return err
	}
	syscall.CloseOnExec(fd)
	defer syscall.Close(fd)
	if err := syscall.Flock(fd, syscall.LOCK_SH); err != nil {
		return err
	}
	return cmd.Run()
}

// other marks another descriptor.
func other(path string, fd2 int, cmd *exec.Cmd) error {
	fd, err := syscall.Open(path, syscall.O_RDWR, 0) // want `other opens path without O_CLOEXEC`
	if err != nil {
		return err
	}
	syscall.CloseOnExec(fd2)
	defer syscall.Close(fd)
	if err := syscall.Flock(fd, syscall.LOCK_EX); err != nil {
		return err
	}
	return cmd.Run()
}
