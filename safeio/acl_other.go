//go:build unix && !linux

package safeio

// keepACL does nothing: package syscall does not reach ACLs here.
func keepACL(temp, path string) error { return nil }
