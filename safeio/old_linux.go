package safeio

import "syscall"

// pathOnly is O_PATH, which package syscall does not name: a descriptor that keeps a
// file, and for which none of its permissions are needed.
const pathOnly = 0x200000

// keepOld keeps the file at path from being freed, until release is called. On a
// file system that gives the blocks of a file that was replaced to others at once
// (ext4 with data=writeback), a power cut would otherwise bring back the old name
// with what others have written since.
func keepOld(path string) (release func(), err error) {
	for {
		fd, err := syscall.Open(path, pathOnly|syscall.O_NOFOLLOW|syscall.O_CLOEXEC, 0)
		switch err {
		case nil:
			return func() { syscall.Close(fd) }, nil
		case syscall.EINTR:
			continue
		case syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM:
			return nil, err
		}
		return func() {}, nil // there is none by now, or none that can be kept
	}
}
