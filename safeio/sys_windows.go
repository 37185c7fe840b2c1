package safeio

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
	"time"
	"unsafe"
)

var (
	kernel32   = syscall.NewLazyDLL("kernel32.dll")
	moveFileEx = kernel32.NewProc("MoveFileExW")
	lockFileEx = kernel32.NewProc("LockFileEx")

	setFileInformationByHandle = kernel32.NewProc("SetFileInformationByHandle")
)

// From winbase.h, winerror.h and minwinbase.h.
const (
	movefileReplaceExisting = 0x1
	movefileWriteThrough    = 0x8

	fileRenameInfoEx          = 22
	fileRenameReplaceIfExists = 0x1
	fileRenamePOSIXSemantics  = 0x2
	deleteAccess              = 0x10000
	maxName                   = 1 << 15 // UTF-16 units, with the NUL

	lockfileFailImmediately = 0x1
	lockfileExclusiveLock   = 0x2

	farByte = 1 << 30 // high half of the offset of what is locked of a file that others read

	errorInvalidFunction    = syscall.Errno(1)
	errorSharingViolation   = syscall.Errno(32)
	errorLockViolation      = syscall.Errno(33)
	errorCallNotImplemented = syscall.Errno(120)
	errorIOPending          = syscall.Errno(997)
)

// noSync is what a file system without FlushFileBuffers says.
var noSync = []error{errorInvalidFunction, errorNotSupported, errorCallNotImplemented}

// createTemp creates a file that can be renamed and removed while it is open,
// which package os does not offer. No child process inherits the handle.
func createTemp(d directory, name string, perm fs.FileMode) (*os.File, error) {
	name = d.path + name
	path, err := syscall.UTF16PtrFromString(name)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	attributes := uint32(syscall.FILE_ATTRIBUTE_NORMAL)
	if perm&0o200 == 0 {
		attributes = syscall.FILE_ATTRIBUTE_READONLY
	}
	h, err := syscall.CreateFile(path,
		syscall.GENERIC_READ|syscall.GENERIC_WRITE,
		syscall.FILE_SHARE_READ|syscall.FILE_SHARE_WRITE|syscall.FILE_SHARE_DELETE,
		nil, syscall.CREATE_NEW, attributes, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return os.NewFile(uintptr(h), name), nil
}

// openRegular opens a file that is known to be a regular one.
func openRegular(name string, flags int, perm fs.FileMode) (*os.File, error) {
	if flags == os.O_RDONLY {
		return openToRead(name)
	}
	return os.OpenFile(name, flags, perm)
}

// openToRead opens a file for reading, in a way that it can be replaced meanwhile,
// which os.Open does not offer. What cannot be opened so is left to that, such as
// a long path.
func openToRead(name string) (*os.File, error) {
	path, err := syscall.UTF16PtrFromString(name)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	h, err := syscall.CreateFile(path, syscall.GENERIC_READ,
		syscall.FILE_SHARE_READ|syscall.FILE_SHARE_WRITE|syscall.FILE_SHARE_DELETE,
		nil, syscall.OPEN_EXISTING, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if err != nil {
		return os.Open(name)
	}
	return os.NewFile(uintptr(h), name), nil
}

// unlinked reports whether the open file f, described by info, has lost its
// name, or is about to: the name of a file that is being deleted leads nowhere.
func unlinked(f output, info fs.FileInfo) bool {
	named, err := os.Lstat(f.Name())
	return err != nil || !os.SameFile(info, named)
}

const (
	renamePatience = 5 * time.Second
	renamePause    = 10 * time.Millisecond // at most; random, so that writers do not keep step
)

// A renameInfo is FILE_RENAME_INFO.
type renameInfo struct {
	flags  uint32
	root   syscall.Handle
	length uint32 // of name, in bytes, without the NUL
	name   [maxName]uint16
}

// renamePOSIX moves a file over one that others have open, if these share its deletion,
// as the readers of this package do: they keep the old file. NTFS of Windows 10 1709
// and later can do this. It is flushed, since it has no form that writes through.
func renamePOSIX(from, to string) error {
	path, err := syscall.UTF16PtrFromString(from)
	if err != nil {
		return err
	}
	to, err = syscall.FullPath(to)
	if err != nil {
		return err
	}
	name, err := syscall.UTF16FromString(to)
	if err != nil {
		return err
	}
	if len(name) > maxName {
		return syscall.ENAMETOOLONG
	}
	// What has meanwhile become a link under this name is renamed itself.
	h, err := syscall.CreateFile(path, deleteAccess|syscall.GENERIC_WRITE,
		syscall.FILE_SHARE_READ|syscall.FILE_SHARE_WRITE|syscall.FILE_SHARE_DELETE,
		nil, syscall.OPEN_EXISTING, syscall.FILE_FLAG_OPEN_REPARSE_POINT, 0)
	if err != nil {
		return err
	}
	defer syscall.CloseHandle(h)
	info := &renameInfo{flags: fileRenameReplaceIfExists | fileRenamePOSIXSemantics, length: uint32(len(name)-1) * 2}
	copy(info.name[:], name)
	ok, _, err := setFileInformationByHandle.Call(uintptr(h), fileRenameInfoEx, uintptr(unsafe.Pointer(info)), unsafe.Sizeof(*info))
	if ok == 0 {
		return err
	}
	syscall.FlushFileBuffers(h)
	return nil
}

// rename moves a file over another. A target that some program holds open
// (readers, scanners, indexers) cannot be replaced, mostly for milliseconds, unless
// all of them share its deletion; the same error codes can also be meant for ever, so
// there is an end to it.
func rename(from, to string) error {
	old, err := syscall.UTF16PtrFromString(from)
	if err != nil {
		return err
	}
	target, err := syscall.UTF16PtrFromString(to)
	if err != nil {
		return err
	}
	for start := time.Now(); ; time.Sleep(time.Duration(random() % uint64(renamePause))) {
		ok, _, err := moveFileEx.Call(
			uintptr(unsafe.Pointer(old)), uintptr(unsafe.Pointer(target)),
			movefileReplaceExisting|movefileWriteThrough)
		if ok != 0 {
			return nil
		}
		held := blocked(err) || errors.Is(err, errorSharingViolation) || errors.Is(err, errorLockViolation)
		if held && renamePOSIX(from, to) == nil {
			return nil
		}
		if !held || time.Since(start) > renamePatience {
			return err
		}
	}
}

// blocked reports whether err is the file system refusing to make a file
// here, rather than failing at it.
func blocked(err error) bool { return errors.Is(err, syscall.ERROR_ACCESS_DENIED) }

// renameBlocked is never true: a target that cannot be replaced is one that
// is being read, and the reader would meet what is written in place.
func renameBlocked(err error) bool { return false }

// errChanged says that a name has come to lead to what is no regular file.
var errChanged = errors.New("another file has taken its place meanwhile")

func openToWrite(d directory, name string) (*os.File, error) {
	return os.OpenFile(d.path+name, os.O_WRONLY, 0)
}

// A source is nothing: what is not read-only has no mode to keep.
type source struct{}

// openSource fails if the file that info describes is read-only.
func openSource(d directory, name string, info, made fs.FileInfo) (source, error) {
	if info.Mode()&0o200 == 0 {
		return source{}, syscall.ERROR_ACCESS_DENIED
	}
	return source{}, nil
}

func sourceOf(*os.File) (source, error) { return source{}, nil }

func (source) close() {}

// sameInode reports whether two descriptions are of one file.
func sameInode(a, b fs.FileInfo) bool { return os.SameFile(a, b) }

func keepAttributes(temp output, made fs.FileInfo, from source) error { return nil }

// tryLock locks one byte of f far behind its end, because a locked byte cannot be
// read by others; closing f releases it. It returns errLocked if another handle holds it.
func tryLock(f descriptor) error {
	at := syscall.Overlapped{OffsetHigh: farByte}
	ok, _, err := lockFileEx.Call(f.Fd(), lockfileExclusiveLock|lockfileFailImmediately,
		0, 1, 0, uintptr(unsafe.Pointer(&at)))
	switch {
	case ok != 0:
		return nil
	case errors.Is(err, errorLockViolation), errors.Is(err, errorIOPending):
		return errLocked
	}
	return err
}
