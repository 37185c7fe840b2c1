// Package unix stands for golang.org/x/sys/unix.
package unix

// MS_BIND makes a bind mount.
const MS_BIND = 0x1000

// Mount mounts source at target.
func Mount(source, target, fstype string, flags uintptr, data string) error { return nil }
