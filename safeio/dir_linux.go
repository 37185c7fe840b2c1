package safeio

import (
	"syscall"
	"unsafe"
)

// A directory is one that is open: a bare descriptor, because os.Open would also try
// to register it with the poller. Its files are named relative to that descriptor. So
// nobody who exchanges a directory of the path meanwhile can have a file that was made
// in one directory, for its owner, put in place in another.
type directory struct {
	path     string // ends in a separator, or is empty
	fd       int
	open     bool
	unsynced error // why it cannot be synced: it may not be read
}

// atWorkingDir is AT_FDCWD, which package syscall does not name.
const atWorkingDir = -100

// pathOnly is O_PATH, which package syscall does not name: a descriptor that keeps a
// file, and for which none of its permissions are needed.
const pathOnly = 0x200000

// workingDir is where relative paths begin.
var workingDir = directory{fd: atWorkingDir}

func openDirectory(path string) (d directory, err error) {
	name := path
	if name == "" {
		name = "."
	}
	d.path = path
	d.fd, err = workingDir.openFile(name, syscall.O_RDONLY|syscall.O_DIRECTORY, 0)
	if err == syscall.EACCES {
		d.unsynced = err
		d.fd, err = workingDir.openFile(name, pathOnly|syscall.O_DIRECTORY, 0)
	}
	d.open = err == nil
	return d, err
}

// uninterrupted makes a system call until no signal interrupts it.
func uninterrupted(call func() error) error {
	for {
		if err := call(); err != syscall.EINTR {
			return err
		}
	}
}

// openFile opens a file of d.
func (d directory) openFile(name string, flags int, perm uint32) (fd int, err error) {
	err = uninterrupted(func() (err error) {
		fd, err = syscall.Openat(d.fd, name, flags|syscall.O_CLOEXEC, perm)
		return err
	})
	return fd, err
}

func (d directory) rename(from, to string) error {
	return uninterrupted(func() error { return syscall.Renameat(d.fd, from, d.fd, to) })
}

// remove removes a file of d, or a link.
func (d directory) remove(name string) error {
	return uninterrupted(func() error { return syscall.Unlinkat(d.fd, name) })
}

// link gives a file of d one more name, unless that is taken.
func (d directory) link(from, to string) error {
	old, err1 := syscall.BytePtrFromString(from)
	now, err2 := syscall.BytePtrFromString(to)
	if err1 != nil || err2 != nil {
		return syscall.EINVAL
	}
	_, _, errno := syscall.Syscall6(syscall.SYS_LINKAT, uintptr(d.fd), uintptr(unsafe.Pointer(old)),
		uintptr(d.fd), uintptr(unsafe.Pointer(now)), 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}

// symlink makes name a symbolic link to what to says.
func (d directory) symlink(to, name string) error {
	old, err1 := syscall.BytePtrFromString(to)
	now, err2 := syscall.BytePtrFromString(name)
	if err1 != nil || err2 != nil {
		return syscall.EINVAL
	}
	_, _, errno := syscall.Syscall(syscall.SYS_SYMLINKAT,
		uintptr(unsafe.Pointer(old)), uintptr(d.fd), uintptr(unsafe.Pointer(now)))
	if errno != 0 {
		return errno
	}
	return nil
}

// look describes the file called name, whatever it is, and opens it if it is a regular
// file or a directory. A link is not followed.
func (d directory) look(name string) (source, error) {
	fd, err := d.openFile(name, pathOnly|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return source{}, err
	}
	defer syscall.Close(fd)
	found := source{}
	if err := syscall.Fstat(fd, &found.st); err != nil {
		return source{}, err
	}
	return found.opened(d, name), nil
}

// sync makes the names in the directory durable. A file system that has no
// such operation is no error.
func (d directory) sync() error {
	if d.unsynced != nil {
		return d.unsynced
	}
	err := uninterrupted(func() error { return syscall.Fsync(d.fd) })
	if unsynced(err) {
		return nil
	}
	return err
}

func (d directory) close() {
	if d.open {
		syscall.Close(d.fd)
	}
}

// An oldFile is a file that is kept.
type oldFile struct {
	fd   int
	open bool
}

// keep keeps a file of d from being freed, until it is dropped. On a file system that
// gives the blocks of a file that was replaced or removed to others at once (ext4 with
// data=writeback), a power cut would otherwise bring back the old name with what others
// have written since.
func (d directory) keep(name string) (oldFile, error) {
	fd, err := d.openFile(name, pathOnly|syscall.O_NOFOLLOW, 0)
	switch err {
	case nil:
		return oldFile{fd, true}, nil
	case syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM:
		return oldFile{}, err
	}
	return oldFile{}, nil // there is none by now, or none that can be kept
}

func (f oldFile) drop() {
	if f.open {
		syscall.Close(f.fd)
	}
}
