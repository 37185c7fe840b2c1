//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package safeio

import (
	"errors"
	"os"
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
// that may only be read will do, but a target that is locked itself may be written.
func (o Options) openLock(s sidecar) (lockFile, error) {
	if s.itself {
		return o.openPath(s, syscall.O_RDWR)
	}
	for try := 0; ; try++ {
		file, err := o.openExisting(s)
		if err != syscall.ENOENT {
			return file, err
		}
		err = o.createLock(s)
		switch {
		case (err == nil || err == syscall.EEXIST || blocked(err) && s.exists()) && try < lockTries:
			continue // there is one by now
		case err == nil:
			err = errMoved
		case blocked(err):
			err = &noLockFileError{err}
		}
		return lockFile{}, err
	}
}

func (o Options) openExisting(s sidecar) (lockFile, error) {
	file, err := o.openPath(s, syscall.O_RDWR)
	if err != syscall.EACCES && err != syscall.EPERM && err != syscall.EROFS {
		return file, err
	}
	for _, access := range []int{syscall.O_WRONLY, syscall.O_RDONLY} {
		if file, err := o.openPath(s, access); err == nil {
			file.readOnly = access == syscall.O_RDONLY
			return file, nil
		}
	}
	return file, err
}

// openPath opens the lock file of s, which only if the caller has named it may be a link.
func (o Options) openPath(s sidecar, flags int) (lockFile, error) {
	if s.noLink {
		flags |= syscall.O_NOFOLLOW
	}
	return o.openWith(workingDir, s.path, flags)
}

// createLock creates the lock file of s, for all who may write the target. At no
// time can others open it: who has it open for reading can hold the lock, too.
// The target is looked at in the directory in which the lock file is made: otherwise
// whoever exchanges a directory of the path could have one made for the owner of a file
// elsewhere.
//
// Who may not make a lock file may hold the lock of the target itself, and finds none
// there after having got it. So none is made before that is free.
func (o Options) createLock(s sidecar) error {
	if err := o.surveyDir(target{path: s.path}.dir()); err != nil {
		return err
	}
	dir, err := openDirectory(target{path: s.path}.dir())
	if err != nil {
		return err
	}
	defer dir.close()
	in := dir // of the target
	if !s.beside {
		in, err = openDirectory(s.target.dir())
		defer in.close()
	}
	var old source
	if err == nil {
		old, err = in.look(s.target.base())
	}
	defer old.close()
	if s.beside && !s.hasty && old.inUse() {
		return errInUse
	}
	return o.publishLock(dir, target{path: s.path}.base(), old, err == nil)
}

// publishLock makes a lock file that has its name only when it is dressed: others, who
// may open it, never find it while they may not. Where files have only one name, they do.
func (o Options) publishLock(dir directory, name string, old source, exists bool) error {
	create := func(name string) error {
		file, err := o.openWith(dir, name, syscall.O_RDWR|syscall.O_CREAT|syscall.O_EXCL)
		if err == nil {
			dressLock(file.fd, old, exists)
			file.close()
		}
		return err
	}
	temp := tempName("")
	defer dir.remove(temp)
	if err := create(temp); err != nil {
		return err
	}
	switch err := dir.link(temp, name); err {
	case nil, syscall.EEXIST:
		return err
	case syscall.ENOENT: // a Sweep has removed it
		return syscall.EEXIST
	}
	return create(name)
}

// inUse reports whether another has locked the file.
func (s source) inUse() bool {
	return s.open && s.st.Mode&syscall.S_IFMT == syscall.S_IFREG &&
		syscall.Flock(s.fd, syscall.LOCK_EX|syscall.LOCK_NB) == syscall.EWOULDBLOCK
}

// openWith opens a lock file, or creates it.
func (o Options) openWith(in directory, name string, flags int) (lockFile, error) {
	file := lockFile{}
	err := o.retry("lock.open", func() (err error) {
		file.fd, err = in.openFile(name, flags|lockOpen, 0o622)
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

// idOf is the identity of an open file.
func idOf(f *os.File) (lockID, error) { return fstatLock(int(f.Fd())) }

func statLock(s sidecar) (lockID, error) {
	var st syscall.Stat_t
	var err error
	if s.noLink {
		err = syscall.Lstat(s.path, &st)
	} else {
		err = syscall.Stat(s.path, &st)
	}
	return lockID{uint64(st.Dev), uint64(st.Ino)}, err
}

// dressLock gives the new lock file the owner, group and ACL of its target,
// and to each of them who may write that what it takes to lock. Where the owner or
// group cannot be given, everyone gets it: better a lock that too many can take than
// one that shuts out a writer. A failure is none: the lock works at least for its
// creator.
func dressLock(fd int, target source, exists bool) {
	var st syscall.Stat_t
	if syscall.Fstat(fd, &st) != nil {
		return
	}
	mode := lockPerm(uint32(st.Mode))
	if exists {
		want := &target.st
		mode = lockPerm(uint32(want.Mode))
		kept := st.Uid == want.Uid && st.Gid == want.Gid ||
			syscall.Fchown(fd, int(want.Uid), int(want.Gid)) == nil ||
			st.Uid == want.Uid && mode&0o060 == mode<<3&0o060
		if !kept {
			mode = 0o666
		} else if keepLockACL(fd, target) {
			return
		}
	}
	if uint32(st.Mode)&0o777 != mode {
		syscall.Fchmod(fd, mode)
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
