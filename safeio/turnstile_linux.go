package safeio

import "syscall"

// The lock of flock goes to whoever asks first after it became free, which is
// the process that has just released it and is still running, rather than one that
// has to be woken. So those that wait line up before a turnstile: two bytes
// of the lock file, far behind its end, with the record locks that belong to
// an open file. One process is inside: it has the inner byte, and waits for
// the flock. One is at the door: it has the outer byte, and waits for the
// inner one. All others wait for the outer byte, and who comes back has to
// line up behind them. With one byte alone, the lock would go to who comes
// back while the next in line is still being woken.
//
// Whoever does not know of the turnstile still excludes all others, and is
// excluded: the flock is the lock.
const (
	outerByte = int64(1) << 62
	innerByte = outerByte + 1
)

// fcntl commands of Linux 3.15, which package syscall does not name.
const (
	ofdGetLock     = 36 // F_OFD_GETLK
	ofdSetLock     = 37 // F_OFD_SETLK
	ofdSetLockWait = 38 // F_OFD_SETLKW
)

// awaited reports whether another process may be waiting for the lock.
func (f lockFile) awaited() bool {
	if !f.fair {
		return false
	}
	region := syscall.Flock_t{Type: syscall.F_WRLCK, Start: outerByte, Len: 2}
	err := syscall.FcntlFlock(uintptr(f.fd), ofdGetLock, &region)
	return err == nil && region.Type != syscall.F_UNLCK
}

// enterTurnstile waits to be the one that is inside.
func (f lockFile) enterTurnstile() error {
	if !f.fair {
		return nil
	}
	err := f.region(ofdSetLockWait, f.kind(), outerByte, 1)
	if err == nil {
		err = f.region(ofdSetLockWait, f.kind(), innerByte, 1)
	}
	if err == nil {
		err = f.region(ofdSetLock, syscall.F_UNLCK, outerByte, 1)
	}
	switch err {
	case syscall.EINVAL, syscall.ENOSYS, syscall.EOPNOTSUPP:
		return nil // this system has no such locks: unfair, but a lock
	}
	return err
}

// reenterTurnstile goes back inside, if nobody else is there.
func (f lockFile) reenterTurnstile() {
	if f.fair {
		f.region(ofdSetLock, f.kind(), innerByte, 1)
	}
}

// leaveTurnstile is for who got the lock, or gave up. Failing can only make
// others wait for f to be closed.
func (f lockFile) leaveTurnstile() {
	if f.fair {
		f.region(ofdSetLock, syscall.F_UNLCK, outerByte, 2)
	}
}

// kind is the lock that can be acquired on a descriptor. Those who may only read
// are inside together, and keep only the others in order.
func (f lockFile) kind() int16 {
	if f.readOnly {
		return syscall.F_RDLCK
	}
	return syscall.F_WRLCK
}

func (f lockFile) region(command int, kind int16, start, size int64) error {
	region := syscall.Flock_t{Type: kind, Start: start, Len: size}
	return syscall.FcntlFlock(uintptr(f.fd), command, &region)
}
