//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package safeio

import "syscall"

// tryLock acquires the flock of f, which closing f releases. It returns errLocked
// if another descriptor has it, of this process or another, and other errors
// where the file system has no locks.
func tryLock(f descriptor) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch err {
		case syscall.EINTR:
			continue
		case syscall.EWOULDBLOCK:
			return errLocked
		}
		return err
	}
}
