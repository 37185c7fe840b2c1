package safeio

import (
	"bytes"
	"encoding/binary"
	"errors"
	"syscall"
)

const aclName = "system.posix_acl_access"

// maxACL is the largest value of an extended attribute on Linux.
const maxACL = 64 << 10

// An acl is a POSIX access ACL as the kernel gives it: a version, then entries of
// a tag, permissions and an ID. nil is none.
type acl []byte

// From linux/posix_acl_xattr.h and posix_acl.h.
const (
	aclHeader = 4
	aclEntry  = 8

	aclUserObj  = 0x01
	aclGroupObj = 0x04
	aclMask     = 0x10
	aclOther    = 0x20
)

// readACL reads the ACL of the file at path. A file system that has no ACLs has
// none of this file.
func readACL(path string) (acl, error) {
	var room [256]byte // which is on the stack: most files have no ACL
	buf := room[:]
	n, err := syscall.Getxattr(path, aclName, buf)
	if err == syscall.ERANGE {
		buf = make([]byte, maxACL)
		n, err = syscall.Getxattr(path, aclName, buf)
	}
	switch {
	case err == nil:
		return bytes.Clone(buf[:n]), nil
	case errors.Is(err, syscall.ENODATA), errors.Is(err, syscall.ENOTSUP):
		return nil, nil
	}
	return nil, err
}

// write gives the file at path the ACL, also if that is none: the file may have
// got one from its directory.
func (a acl) write(path string) error {
	if a != nil {
		return syscall.Setxattr(path, aclName, a, 0)
	}
	err := syscall.Removexattr(path, aclName)
	if errors.Is(err, syscall.ENODATA) || errors.Is(err, syscall.ENOTSUP) {
		return nil
	}
	return err
}

// change puts other permissions into each entry.
func (a acl) change(perm func(tag, perm uint16) uint16) {
	for at := aclHeader; at+aclEntry <= len(a); at += aclEntry {
		tag := binary.LittleEndian.Uint16(a[at:])
		was := binary.LittleEndian.Uint16(a[at+2:])
		binary.LittleEndian.PutUint16(a[at+2:], perm(tag, was))
	}
}

// withoutGroup takes from the entries of the group and of others what leaves
// nobody with more than he had when the file gets another group.
func (a acl) withoutGroup() {
	group, mask, other := uint16(0), uint16(0o7), uint16(0)
	a.change(func(tag, perm uint16) uint16 {
		switch tag {
		case aclGroupObj:
			group = perm
		case aclMask:
			mask = perm
		case aclOther:
			other = perm
		}
		return perm
	})
	a.change(func(tag, perm uint16) uint16 {
		if tag == aclGroupObj || tag == aclOther {
			return group & mask & other
		}
		return perm
	})
}

// keepACL gives the file temp, whose mode is set, the ACL of the file at path.
// Where that is none, plain says that one from the directory could give nobody more
// than the mode does.
func keepACL(temp, path string, group, plain bool) error {
	a, err := readACL(path)
	if err != nil || a == nil && plain {
		return err
	}
	if !group {
		a.withoutGroup()
	}
	return a.write(temp)
}

// keepLockACL gives the lock file an ACL by which may lock who may write by that
// of its target. A failure is none.
func keepLockACL(lock, path string) {
	a, err := readACL(path)
	if err != nil {
		return
	}
	a.change(func(tag, perm uint16) uint16 {
		switch {
		case tag == aclUserObj, tag == aclMask, perm&0o2 != 0:
			return 0o6
		}
		return 0
	})
	a.write(lock)
}
