package safeio

import (
	"bytes"
	"encoding/binary"
	"errors"
	"syscall"
	"unsafe"
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

// aclKey is aclName as the kernel takes it.
var aclKey = []byte(aclName + "\x00")

// attribute makes a system call for the ACL of an open file: by its descriptor, for the
// path may lead to another file by now.
func attribute(trap, fd uintptr, value []byte) (int, error) {
	var at unsafe.Pointer
	if len(value) > 0 {
		at = unsafe.Pointer(&value[0])
	}
	for {
		n, _, errno := syscall.Syscall6(trap, fd, uintptr(unsafe.Pointer(&aclKey[0])), uintptr(at), uintptr(len(value)), 0, 0)
		switch errno {
		case 0:
			return int(n), nil
		case syscall.EINTR:
			continue
		}
		return 0, errno
	}
}

// readACL reads the ACL of an open file. A file system that has no ACLs has
// none of this file.
func readACL(fd uintptr) (acl, error) {
	var room [256]byte // which is on the stack: most files have no ACL
	buf := room[:]
	n, err := attribute(syscall.SYS_FGETXATTR, fd, buf)
	if err == syscall.ERANGE {
		buf = make([]byte, maxACL)
		n, err = attribute(syscall.SYS_FGETXATTR, fd, buf)
	}
	switch {
	case err == nil:
		return bytes.Clone(buf[:n]), nil
	case errors.Is(err, syscall.ENODATA), errors.Is(err, syscall.ENOTSUP):
		return nil, nil
	}
	return nil, err
}

// write gives an open file the ACL, also if that is none: the file may have
// got one from its directory.
func (a acl) write(fd uintptr) error {
	if a != nil {
		_, err := attribute(syscall.SYS_FSETXATTR, fd, a)
		return err
	}
	_, err := attribute(syscall.SYS_FREMOVEXATTR, fd, nil)
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

// keepACL gives temp the ACL of a file, and reports whether that has one: then temp has
// its mode, too. Where it has none, plain says that one from the directory could give
// nobody more than the mode does.
func keepACL(temp descriptor, from source, group, plain bool) (has bool, err error) {
	a, err := readACL(uintptr(from.fd))
	if err != nil || a == nil && plain {
		return false, err
	}
	if !group {
		a.withoutGroup()
	}
	return a != nil, a.write(temp.Fd())
}

// keepLockACL gives the lock file an ACL by which may lock who may write by that
// of its target, and reports whether it has one, and its mode with that. A failure is none.
func keepLockACL(lock int, from source) bool {
	if !from.open {
		return false
	}
	a, err := readACL(uintptr(from.fd))
	if err != nil {
		return false
	}
	a.change(func(tag, perm uint16) uint16 {
		switch {
		case tag == aclUserObj, tag == aclMask, perm&0o2 != 0:
			return 0o6
		}
		return 0
	})
	return a.write(uintptr(lock)) == nil && a != nil
}
