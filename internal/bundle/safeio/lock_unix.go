//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package safeio

import (
	"os"
	"syscall"
)

const lockable = true // a target itself, since its lock keeps no readers out

func tryAlone(f *os.File) error  { return flock(f, syscall.LOCK_EX|syscall.LOCK_NB) }
func tryShared(f *os.File) error { return flock(f, syscall.LOCK_SH|syscall.LOCK_NB) }
func unlock(f *os.File)          { flock(f, syscall.LOCK_UN) }

func flock(f *os.File, how int) error {
	for {
		switch err := syscall.Flock(int(f.Fd()), how); err {
		case syscall.EINTR:
		case syscall.EWOULDBLOCK:
			return ErrLocked
		default:
			return err
		}
	}
}

// letWriters lets those open a new lock file who may write a file, nil for a new one, and closes it. If the lock file
// cannot have its owner and group, that is everyone.
func letWriters(lock *os.File, file os.FileInfo) {
	defer lock.Close()
	info, err := lock.Stat()
	if file != nil {
		info = file
	}
	if err != nil {
		return
	}
	mode := info.Mode()&0o022*3 | 0o600
	if st, ok := info.Sys().(*syscall.Stat_t); !ok || lock.Chown(int(st.Uid), int(st.Gid)) != nil {
		mode = 0o666
	}
	lock.Chmod(mode)
}
