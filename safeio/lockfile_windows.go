package safeio

import (
	"errors"
	"os"
	"syscall"
	"unsafe"
)

var unlockFileEx = kernel32.NewProc("UnlockFileEx")

// From winerror.h.
const (
	errorNotSupported = syscall.Errno(50)
	errorInvalidName  = syscall.Errno(123) // also one that is too long
)

// A lockID is the identity of a lock file.
type lockID struct {
	volume uint32
	index  uint64
}

// A lockFile is a lock file. It can be renamed and removed while it is open,
// which package os does not offer.
type lockFile struct {
	id     lockID
	handle syscall.Handle
	open   bool
	far    uint32 // high half of the offset of the byte that is locked
}

// openLock opens the lock file of s, and creates it if it does not exist. One
// that may only be read will do. Of a target that is locked itself a byte is locked that
// nobody reads.
func (o Options) openLock(s sidecar) (lockFile, error) {
	const both = syscall.GENERIC_READ | syscall.GENERIC_WRITE
	if s.itself {
		file, err := o.openWith(s, both, syscall.OPEN_EXISTING)
		file.far = farByte
		return file, err
	}
	file, err := o.openWith(s, both, syscall.OPEN_ALWAYS)
	if err != syscall.ERROR_ACCESS_DENIED {
		return file, err
	}
	if file, err := o.openWith(s, syscall.GENERIC_READ, syscall.OPEN_EXISTING); err == nil {
		return file, nil
	}
	if !s.exists() {
		err = &noLockFileError{err}
	}
	return file, err
}

func (o Options) openWith(s sidecar, access, how uint32) (lockFile, error) {
	file := lockFile{}
	err := o.retry("lock.open", func() (err error) {
		file.handle, err = openShared(s, access, how)
		return err
	})
	if err != nil {
		return file, err
	}
	file.open = true
	err = o.retry("lock.fstat", func() (err error) {
		file.id, err = identity(file.handle)
		return err
	})
	if err != nil {
		file.close()
	}
	return file, err
}

// openShared opens a lock file such that no other use of it is refused. No child
// process inherits the handle. Only one that the caller has named may be a link.
func openShared(s sidecar, access, how uint32) (syscall.Handle, error) {
	name, err := syscall.UTF16PtrFromString(s.path)
	if err != nil {
		return syscall.InvalidHandle, err
	}
	flags := uint32(syscall.FILE_ATTRIBUTE_NORMAL)
	if s.noLink {
		flags |= syscall.FILE_FLAG_OPEN_REPARSE_POINT
	}
	return syscall.CreateFile(name, access,
		syscall.FILE_SHARE_READ|syscall.FILE_SHARE_WRITE|syscall.FILE_SHARE_DELETE, nil, how, flags, 0)
}

func identity(h syscall.Handle) (lockID, error) {
	var info syscall.ByHandleFileInformation
	err := syscall.GetFileInformationByHandle(h, &info)
	return lockID{info.VolumeSerialNumber, uint64(info.FileIndexHigh)<<32 | uint64(info.FileIndexLow)}, err
}

// idOf is the identity of an open file.
func idOf(f *os.File) (lockID, error) { return identity(syscall.Handle(f.Fd())) }

func statLock(s sidecar) (lockID, error) {
	h, err := openShared(s, 0, syscall.OPEN_EXISTING)
	if err != nil {
		return lockID{}, err
	}
	defer syscall.CloseHandle(h)
	return identity(h)
}

// isPlain is for saving what locate spends, which here is nothing much.
func isPlain(string) bool { return false }

// tryFlock acquires the lock, or returns errLocked.
func (f lockFile) tryFlock(mode lockMode) error {
	err := f.lockByte(lockFlags[mode] | lockfileFailImmediately)
	if errors.Is(err, errorLockViolation) || errors.Is(err, errorIOPending) {
		return errLocked
	}
	return err
}

// flock waits for the lock.
func (f lockFile) flock(mode lockMode) error { return f.lockByte(lockFlags[mode]) }

var lockFlags = [...]uintptr{exclusive: lockfileExclusiveLock, shared: 0}

// lockByte locks the first byte. Programs that lock the whole file, or as
// much as one byte of it, lock that too.
func (f lockFile) lockByte(flags uintptr) error {
	at := syscall.Overlapped{OffsetHigh: f.far}
	ok, _, err := lockFileEx.Call(uintptr(f.handle), flags, 0, 1, 0, uintptr(unsafe.Pointer(&at)))
	if ok == 0 {
		return err
	}
	return nil
}

func (f lockFile) unlock() error {
	at := syscall.Overlapped{OffsetHigh: f.far}
	ok, _, err := unlockFileEx.Call(uintptr(f.handle), 0, 1, 0, uintptr(unsafe.Pointer(&at)))
	if ok == 0 {
		return err
	}
	return nil
}

// close closes the file, if it is open.
func (f lockFile) close() error {
	if !f.open {
		return nil
	}
	return syscall.CloseHandle(f.handle)
}

// elsewhere reports whether err says that there can be no lock file of this name,
// or in this place.
func elsewhere(err error) bool { return errors.Is(err, errorInvalidName) }

// lockless reports whether err says that a file system has no locks.
func lockless(err error) bool {
	return errors.Is(err, errorInvalidFunction) || errors.Is(err, errorNotSupported)
}
