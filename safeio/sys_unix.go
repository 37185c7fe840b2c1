//go:build unix

package safeio

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// noSync is what a file system without fsync says. macOS says ENOTTY, of ExFAT.
var noSync = []error{syscall.EINVAL, syscall.ENOSYS, syscall.ENOTSUP, syscall.EOPNOTSUPP, syscall.ENOTTY}

// openTemp creates a file.
func openTemp(name string, perm fs.FileMode) (*os.File, error) {
	return openRegular(name, syscall.O_RDWR|syscall.O_CREAT|syscall.O_EXCL, perm)
}

// openRegular opens a file that is known to be a regular one. os.OpenFile would
// spend five system calls more, on finding out that such a file cannot be polled.
func openRegular(name string, flags int, perm fs.FileMode) (*os.File, error) {
	for {
		fd, err := syscall.Open(name, flags|syscall.O_CLOEXEC, modeBits(perm))
		if err == nil {
			return os.NewFile(uintptr(fd), name), nil
		}
		if err != syscall.EINTR {
			return nil, &fs.PathError{Op: "open", Path: name, Err: err}
		}
	}
}

// openToRead opens a file of any kind for reading.
func openToRead(name string) (*os.File, error) { return os.Open(name) }

// modeBits is mode as the system has it.
func modeBits(mode fs.FileMode) uint32 {
	bits := uint32(mode.Perm())
	if mode&fs.ModeSetuid != 0 {
		bits |= syscall.S_ISUID
	}
	if mode&fs.ModeSetgid != 0 {
		bits |= syscall.S_ISGID
	}
	if mode&fs.ModeSticky != 0 {
		bits |= syscall.S_ISVTX
	}
	return bits
}

// unlinked reports whether the open file f, described by info, has lost its name.
func unlinked(f output, info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && st.Nlink == 0
}

// rename is rename(2). os.Rename would first ask whether the target is a
// directory, which here it is known not to be.
func rename(from, to string) error {
	for {
		if err := syscall.Rename(from, to); err != syscall.EINTR {
			return err
		}
	}
}

// renameBlocked is blocked for an error of rename.
func renameBlocked(err error) bool { return blocked(err) }

// blocked reports whether err is the file system refusing to make, dress or
// rename a file here, rather than failing at it.
func blocked(err error) bool {
	for _, refusal := range []error{
		syscall.EACCES, syscall.EPERM, // directory not the caller's, or sticky
		syscall.EROFS,   // writable mount inside a read-only one
		syscall.EBUSY,   // target is a mount point
		syscall.EXDEV,   // directory with a project quota
		syscall.ENOTSUP, // no modes
	} {
		if errors.Is(err, refusal) {
			return true
		}
	}
	return false
}

// mayWrite fails as opening the file at path for writing would. The file is
// described by info; made describes one that this process has just created,
// and thereby tells who it is.
func mayWrite(path string, info, made fs.FileInfo) error {
	have, ok1 := info.Sys().(*syscall.Stat_t)
	mine, ok2 := made.Sys().(*syscall.Stat_t)
	if ok1 && ok2 && have.Uid == mine.Uid && info.Mode()&0o200 != 0 {
		return nil
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return f.Close()
}

// keepAttributes gives temp, described by made, the owner, group and mode of
// the file at path, described by info, as far as that gives nobody more than
// they had.
func keepAttributes(temp output, made fs.FileInfo, path string, info fs.FileInfo) error {
	mode := info.Mode() & (fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky)
	owner, group := keepOwner(temp, made, info)
	if mode&(fs.ModeSetuid|fs.ModeSetgid) != 0 && !(owner && group && os.Geteuid() == 0) {
		mode &^= fs.ModeSetuid | fs.ModeSetgid // writing would have cleared them
	}
	if !group {
		mode = withoutGroup(mode)
	}
	if mode != made.Mode() {
		if err := temp.Chmod(mode); err != nil {
			return err
		}
	}
	return keepACL(temp.Name(), path, group, mode == narrow(mode))
}

// withoutGroup is mode for a file of another group: the new one gets no more than
// others had, and others, among whom the old one is now, no more than that had.
func withoutGroup(mode fs.FileMode) fs.FileMode {
	mode = narrow(mode)
	return mode &^ (0o007 &^ (mode >> 3))
}

// keepOwner reports whether temp has the owner and the group described by
// info, after having tried to give it those.
func keepOwner(temp output, made, info fs.FileInfo) (owner, group bool) {
	have, ok1 := made.Sys().(*syscall.Stat_t)
	want, ok2 := info.Sys().(*syscall.Stat_t)
	if !ok1 || !ok2 {
		return false, false
	}
	if have.Uid == want.Uid && have.Gid == want.Gid {
		return true, true
	}
	if temp.Chown(int(want.Uid), int(want.Gid)) == nil {
		return true, true
	}
	group = have.Gid == want.Gid || temp.Chown(-1, int(want.Gid)) == nil
	return have.Uid == want.Uid, group
}
