package safeio

import (
	"os"
	"syscall"
	"unsafe"
)

const lockable = false // a target itself, since its lock would keep readers out

var (
	kernel32     = syscall.NewLazyDLL("kernel32.dll")
	lockFileEx   = kernel32.NewProc("LockFileEx")
	unlockFileEx = kernel32.NewProc("UnlockFileEx")
)

func tryShared(f *os.File) error { return lockByte(f, 1) } // LOCKFILE_FAIL_IMMEDIATELY
func tryAlone(f *os.File) error  { return lockByte(f, 3) } // and LOCKFILE_EXCLUSIVE_LOCK

// lockByte locks the first byte.
func lockByte(f *os.File, flags uintptr) error {
	ok, _, err := lockFileEx.Call(f.Fd(), flags, 0, 1, 0, uintptr(unsafe.Pointer(new(syscall.Overlapped))))
	switch {
	case ok != 0:
		return nil
	case err == syscall.Errno(33): // ERROR_LOCK_VIOLATION
		return ErrLocked
	}
	return err
}

func unlock(f *os.File) {
	unlockFileEx.Call(f.Fd(), 0, 1, 0, uintptr(unsafe.Pointer(new(syscall.Overlapped))))
}

func letWriters(lock *os.File, file os.FileInfo) { lock.Close() }
