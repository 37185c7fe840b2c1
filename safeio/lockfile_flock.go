//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package safeio

import (
	"errors"
	"syscall"
)

// A lockID is the identity of a lock file.
type lockID struct{ dev, ino uint64 }

// A lockFile is a lock file. It is a bare descriptor, because package os
// would also try to register it with the poller.
type lockFile struct {
	id       lockID
	fd       int
	open     bool
	readOnly bool
	fair     bool // there is a turnstile
}

// lockOpen is how lock files are opened: one that is a pipe must not block.
const lockOpen = syscall.O_CLOEXEC | syscall.O_NONBLOCK | syscall.O_NOCTTY

// lockTries bounds the turns between a lock file that does not exist and one
// that does. Only a link that leads nowhere is both for ever.
const lockTries = 100

// openLock opens the lock file of s, and creates it if it does not exist. One
// that may only be read will do.
func (o Options) openLock(s sidecar) (lockFile, error) {
	for try := 0; ; try++ {
		file, err := o.openExisting(s.path)
		if err != syscall.ENOENT {
			return file, err
		}
		file, err = o.createLock(s)
		if err != syscall.EEXIST || try == lockTries {
			return file, err
		}
	}
}

func (o Options) openExisting(path string) (lockFile, error) {
	file, err := o.openWith(path, syscall.O_RDWR, 0)
	if err != syscall.EACCES && err != syscall.EPERM && err != syscall.EROFS {
		return file, err
	}
	for _, access := range []int{syscall.O_WRONLY, syscall.O_RDONLY} {
		if file, err := o.openWith(path, access, 0); err == nil {
			file.readOnly = access == syscall.O_RDONLY
			return file, nil
		}
	}
	return file, err
}

// createLock creates the lock file of s, for all who may write the target. At no
// time can others open it: who has it open for reading can hold the lock, too.
func (o Options) createLock(s sidecar) (lockFile, error) {
	if err := o.surveyDir(target{path: s.path}.dir()); err != nil {
		return lockFile{}, err
	}
	file, err := o.openWith(s.path, syscall.O_RDWR|syscall.O_CREAT|syscall.O_EXCL, 0o622)
	if err == nil {
		dressLock(file.fd, s)
	}
	return file, err
}

func (o Options) openWith(path string, flags int, perm uint32) (lockFile, error) {
	file := lockFile{}
	err := o.retry("lock.open", func() (err error) {
		file.fd, err = syscall.Open(path, flags|lockOpen, perm)
		return err
	})
	if err != nil {
		return file, err
	}
	file.open = true
	err = o.retry("lock.fstat", func() (err error) {
		file.id, err = fstatLock(file.fd)
		return err
	})
	if err == nil {
		file.fair, err = o.survey(file)
	}
	if err != nil {
		file.close()
	}
	return file, err
}

// isPlain reports whether name is a file or nothing at all. It is for saving
// what locate spends on a description, so it may also be wrong to say no.
func isPlain(name string) bool {
	var st syscall.Stat_t
	err := syscall.Lstat(name, &st)
	if err == syscall.ENOENT {
		return name != "" && name[len(name)-1] != '/'
	}
	return err == nil && st.Mode&syscall.S_IFMT == syscall.S_IFREG
}

func fstatLock(fd int) (lockID, error) {
	var st syscall.Stat_t
	err := syscall.Fstat(fd, &st)
	return lockID{uint64(st.Dev), uint64(st.Ino)}, err
}

func statLock(path string) (lockID, error) {
	var st syscall.Stat_t
	err := syscall.Stat(path, &st)
	return lockID{uint64(st.Dev), uint64(st.Ino)}, err
}

// dressLock gives the new lock file the owner, group and ACL of its target,
// and to each of them who may write that what it takes to lock. Where the owner or
// group cannot be given, everyone gets it: better a lock that too many can take than
// one that shuts out a writer. A failure is none: the lock works at least for its
// creator.
func dressLock(fd int, s sidecar) {
	var st, want syscall.Stat_t
	if syscall.Fstat(fd, &st) != nil {
		return
	}
	if syscall.Stat(s.target.path, &want) != nil {
		if mode := lockPerm(uint32(st.Mode)); mode != uint32(st.Mode)&0o777 {
			syscall.Fchmod(fd, mode)
		}
		return
	}
	mode := lockPerm(uint32(want.Mode))
	kept := st.Uid == want.Uid && st.Gid == want.Gid ||
		syscall.Fchown(fd, int(want.Uid), int(want.Gid)) == nil ||
		st.Uid == want.Uid && mode&0o060 == mode<<3&0o060
	if !kept {
		mode = 0o666
	}
	if uint32(st.Mode)&0o777 != mode {
		syscall.Fchmod(fd, mode)
	}
	if kept {
		keepLockACL(s.path, s.target.path)
	}
}

// lockPerm is the mode of the lock file of a file with mode. Who can write the
// file can open the lock file for both reading and writing, and nobody else can.
func lockPerm(mode uint32) uint32 {
	return mode&0o022*3 | 0o600
}

// tryFlock acquires the lock, or returns errLocked.
func (f lockFile) tryFlock(mode lockMode) error {
	err := syscall.Flock(f.fd, flockHow[mode]|syscall.LOCK_NB)
	if err == syscall.EWOULDBLOCK {
		return errLocked
	}
	return err
}

// flock waits for the lock.
func (f lockFile) flock(mode lockMode) error { return syscall.Flock(f.fd, flockHow[mode]) }

func (f lockFile) unlock() error { return syscall.Flock(f.fd, syscall.LOCK_UN) }

var flockHow = [...]int{exclusive: syscall.LOCK_EX, shared: syscall.LOCK_SH}

// close closes the file, if it is open. An interrupted close has closed it.
func (f lockFile) close() error {
	if !f.open {
		return nil
	}
	if err := syscall.Close(f.fd); err != syscall.EINTR {
		return err
	}
	return nil
}

// elsewhere reports whether err says that there can be no lock file of this name,
// or in this place.
func elsewhere(err error) bool {
	for _, no := range []error{syscall.EROFS, syscall.ENAMETOOLONG, syscall.EISDIR, syscall.ELOOP, syscall.ENXIO, syscall.ENOTDIR} {
		if errors.Is(err, no) {
			return true
		}
	}
	return false
}

// lockless reports whether err says that a file system has no locks.
func lockless(err error) bool {
	for _, none := range []error{syscall.ENOLCK, syscall.EINVAL, syscall.ENOTSUP, syscall.EOPNOTSUPP, syscall.ENOSYS} {
		if errors.Is(err, none) {
			return true
		}
	}
	return false
}
