//go:build unix && !linux

package safeio

// keepACL does nothing: package syscall does not reach ACLs here.
func keepACL(temp, path string, group, plain bool) error { return nil }

// keepLockACL does nothing either.
func keepLockACL(lock, path string) {}
