package safeio

import (
	"errors"
	"syscall"
)

const aclName = "system.posix_acl_access"

// maxACL is the largest value of an extended attribute on Linux.
const maxACL = 64 << 10

// keepACL gives the file temp the POSIX access ACL of the file at path, also
// if that is none: temp may have got one from its directory.
func keepACL(temp, path string) error {
	acl := make([]byte, 1<<10)
	n, err := syscall.Getxattr(path, aclName, acl)
	if err == syscall.ERANGE {
		acl = make([]byte, maxACL)
		n, err = syscall.Getxattr(path, aclName, acl)
	}
	switch {
	case errors.Is(err, syscall.ENODATA):
		err = syscall.Removexattr(temp, aclName)
		if errors.Is(err, syscall.ENODATA) {
			return nil
		}
	case err == nil:
		err = syscall.Setxattr(temp, aclName, acl[:n], 0)
	}
	if errors.Is(err, syscall.ENOTSUP) {
		return nil // this file system has no ACLs
	}
	return err
}
