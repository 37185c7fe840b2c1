package safeio

import "syscall"

// pathOnly is O_PATH, which package syscall does not name: a descriptor that keeps a
// file, and for which none of its permissions are needed.
const pathOnly = 0x200000

// An oldFile is a file that is kept.
type oldFile struct {
	fd   int
	open bool
}

// keepOld keeps the file at path from being freed, until it is dropped. On a
// file system that gives the blocks of a file that was replaced to others at once
// (ext4 with data=writeback), a power cut would otherwise bring back the old name
// with what others have written since.
func keepOld(path string) (oldFile, error) {
	for {
		fd, err := syscall.Open(path, pathOnly|syscall.O_NOFOLLOW|syscall.O_CLOEXEC, 0)
		switch err {
		case nil:
			return oldFile{fd, true}, nil
		case syscall.EINTR:
			continue
		case syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM:
			return oldFile{}, err
		}
		return oldFile{}, nil // there is none by now, or none that can be kept
	}
}

func (f oldFile) drop() {
	if f.open {
		syscall.Close(f.fd)
	}
}
