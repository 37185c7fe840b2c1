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

// createTemp creates a file of d.
func createTemp(d directory, name string, perm fs.FileMode) (*os.File, error) {
	fd, err := d.openFile(name, syscall.O_RDWR|syscall.O_CREAT|syscall.O_EXCL, modeBits(perm))
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: d.path + name, Err: err}
	}
	return os.NewFile(uintptr(fd), d.path+name), nil
}

// openExisting opens a file of d that is known to be a regular one. If it has become a
// link, that is not followed; if a pipe, nobody waits for its other end.
func (d directory) openExisting(name string, access int) (int, error) {
	const flags = syscall.O_NOFOLLOW | syscall.O_NOCTTY
	fd, err := d.openFile(name, access|flags|syscall.O_NONBLOCK, 0)
	if err == syscall.EAGAIN { // another process has a lease of it, and is asked to give that up
		fd, err = d.openFile(name, access|flags, 0)
	}
	return fd, err
}

// openToWrite opens a file of d that is to be written in place.
func openToWrite(d directory, name string) (*os.File, error) {
	fd, err := d.openExisting(name, syscall.O_WRONLY)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), d.path+name), nil
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

// fileMode is the mode of a regular file, from bits as the system has them.
func fileMode(bits uint32) fs.FileMode {
	mode := fs.FileMode(bits & 0o777)
	if bits&syscall.S_ISUID != 0 {
		mode |= fs.ModeSetuid
	}
	if bits&syscall.S_ISGID != 0 {
		mode |= fs.ModeSetgid
	}
	if bits&syscall.S_ISVTX != 0 {
		mode |= fs.ModeSticky
	}
	return mode
}

// unlinked reports whether the open file f, described by info, has lost its name.
func unlinked(f output, info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && st.Nlink == 0
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

// errChanged says that a name has come to lead to what is no regular file.
var errChanged = errors.New("another file has taken its place meanwhile")

// A source is the file from which another takes its access. All of that is asked of one
// descriptor, so that nobody can put in that of another file.
type source struct {
	fd   int
	open bool
	st   syscall.Stat_t
}

// openSource opens the file called name in d, which info describes as it was when it was
// found. It fails as opening it for writing would. made describes a file that this process
// has just created, and thereby tells who it is.
func openSource(d directory, name string, info, made fs.FileInfo) (source, error) {
	me, _ := made.Sys().(*syscall.Stat_t)
	owned := func(st *syscall.Stat_t) bool {
		return st != nil && me != nil && st.Uid == me.Uid && st.Mode&0o200 != 0
	}
	access := syscall.O_WRONLY
	if st, _ := info.Sys().(*syscall.Stat_t); owned(st) {
		access = syscall.O_RDONLY
	}
	for {
		fd, err := d.openExisting(name, access)
		if err == syscall.EACCES && access == syscall.O_RDONLY { // one's own, which may only be written
			access = syscall.O_WRONLY
			continue
		}
		if err != nil {
			return source{}, err
		}
		from, err := statSource(fd)
		if err == nil && from.st.Mode&syscall.S_IFMT != syscall.S_IFREG {
			err = errChanged
		}
		if err != nil || access == syscall.O_WRONLY || owned(&from.st) {
			return from, err
		}
		from.close()
		access = syscall.O_WRONLY
	}
}

// statSource is an open file as a source.
func statSource(fd int) (source, error) {
	from := source{fd: fd, open: true}
	return from, syscall.Fstat(fd, &from.st)
}

// sourceOf is f as the source of a copy, which nobody is to run as somebody else. f closes it.
func sourceOf(f *os.File) (source, error) {
	from, err := statSource(int(f.Fd()))
	from.st.Mode &= syscall.S_IFMT | 0o777
	return from, err
}

// opened is a file that is described, and now also open if it may be, and is a regular
// file or a directory: opening others could do something.
func (s source) opened(d directory, name string) source {
	if kind := s.st.Mode & syscall.S_IFMT; kind != syscall.S_IFREG && kind != syscall.S_IFDIR {
		return s
	}
	for _, access := range []int{syscall.O_RDONLY, syscall.O_WRONLY} {
		fd, err := d.openExisting(name, access)
		if err != nil {
			continue
		}
		if now, err := statSource(fd); err == nil {
			return now
		}
		syscall.Close(fd)
	}
	return s
}

func (s source) close() {
	if s.open {
		syscall.Close(s.fd)
	}
}

// sameInode reports whether two descriptions are of one file.
func sameInode(a, b fs.FileInfo) bool {
	one, ok1 := a.Sys().(*syscall.Stat_t)
	other, ok2 := b.Sys().(*syscall.Stat_t)
	return ok1 && ok2 && one.Dev == other.Dev && one.Ino == other.Ino
}

// keepAttributes gives temp, described by made, the owner, group, mode and ACL of a
// file, as far as that gives nobody more than they had. At no moment has temp the mode
// without the ACL, whose mask is where the group's permissions are in the mode.
func keepAttributes(temp output, made fs.FileInfo, from source) error {
	mode := fileMode(uint32(from.st.Mode))
	owner, group := keepOwner(temp, made, &from.st)
	special := mode & (fs.ModeSetuid | fs.ModeSetgid)
	if special != 0 && !(owner && group && os.Geteuid() == 0) {
		mode, special = mode&^special, 0 // writing would have cleared them
	}
	if !group {
		mode = withoutGroup(mode)
	}
	has, err := keepACL(temp, from, group, mode == narrow(mode))
	if err != nil || has && special == 0 || mode == made.Mode() {
		return err
	}
	return temp.Chmod(mode)
}

// withoutGroup is mode for a file of another group: the new one gets no more than
// others had, and others, among whom the old one is now, no more than that had.
func withoutGroup(mode fs.FileMode) fs.FileMode {
	mode = narrow(mode)
	return mode &^ (0o007 &^ (mode >> 3))
}

// keepOwner reports whether temp has the owner and the group that want describes,
// after having tried to give it those.
func keepOwner(temp output, made fs.FileInfo, want *syscall.Stat_t) (owner, group bool) {
	have, ok := made.Sys().(*syscall.Stat_t)
	if !ok {
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
