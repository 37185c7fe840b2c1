package safeio

import (
	"errors"
	"fmt"
	"sync"
	"syscall"
)

// File systems whose flock is not the kernel's, but a record lock over the
// whole file, on a server. From linux/magic.h and fs/smb.
const (
	nfsMagic  = 0x6969
	smbMagic  = 0x517b
	cifsMagic = 0xff534d42
	smb2Magic = 0xfe534d42
	v9fsMagic = 0x01021997
)

// errNFS is why there are no locks on NFS: whether another client takes part
// depends on mount options that cannot be seen from here.
var errNFS = fmt.Errorf("%w: locks on NFS cannot be relied on", errors.ErrUnsupported)

// surveys remembers the devices whose locks can be used, and whether there
// can be a turnstile. A device number may go to another file system after an
// unmount, so a refusal is not remembered.
var surveys struct {
	sync.RWMutex
	fair map[uint64]bool
}

// survey reports whether there can be a turnstile in file. It fails where
// there are no locks to rely on.
func (o Options) survey(file lockFile) (fair bool, err error) {
	surveys.RLock()
	fair, known := surveys.fair[file.id.dev]
	surveys.RUnlock()
	if known {
		return fair, nil
	}
	var st syscall.Statfs_t
	err = o.retry("lock.statfs", func() error { return syscall.Fstatfs(file.fd, &st) })
	if err == nil {
		fair, err = judge(uint32(st.Type))
	}
	if err != nil {
		return false, err
	}
	surveys.Lock()
	defer surveys.Unlock()
	if surveys.fair == nil {
		surveys.fair = make(map[uint64]bool)
	}
	surveys.fair[file.id.dev] = fair
	return fair, nil
}

// surveyDir is survey for a lock file that is yet to be created in dir.
func (o Options) surveyDir(dir string) error {
	if dir == "" {
		dir = "."
	}
	var st syscall.Statfs_t
	err := o.retry("lock.statfs", func() error { return syscall.Statfs(dir, &st) })
	if err == nil {
		_, err = judge(uint32(st.Type))
	}
	return err
}

// judge knows what the locks of a kind of file system are.
func judge(magic uint32) (fair bool, err error) {
	switch magic {
	case nfsMagic:
		return false, errNFS
	case smbMagic, cifsMagic, smb2Magic, v9fsMagic:
		return false, nil // the bytes of the turnstile are part of the lock
	}
	return true, nil
}
