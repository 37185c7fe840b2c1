//go:build unix && !linux

package safeio

// keepACL does nothing: package syscall does not reach ACLs here.
func keepACL(temp descriptor, from source, group, plain bool) (has bool, err error) {
	return false, nil
}

// keepLockACL does nothing either.
func keepLockACL(lock int, from source) bool { return false }
