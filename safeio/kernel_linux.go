package safeio

import "syscall"

// kernelFS are the file systems whose files are the kernel's own: what is written
// to one is a request. From linux/magic.h.
var kernelFS = map[uint32]bool{
	0x9fa0:     true, // proc
	0x62656572: true, // sysfs
	0x27e0eb:   true, // cgroup
	0x63677270: true, // cgroup2
	0x64626720: true, // debugfs
	0x74726163: true, // tracefs
	0x73636673: true, // securityfs
	0xf97cff8c: true, // selinuxfs
	0x62656570: true, // configfs
	0xde5e81e4: true, // efivarfs
	0x07655821: true, // resctrl
	0x42494e4d: true, // binfmt_misc
}

// isKernel reports whether the file at path is the kernel's. It is asked for a file
// beside which none can be made, or that takes no room on a disk.
func isKernel(path string) bool {
	var st syscall.Statfs_t
	return syscall.Statfs(path, &st) == nil && kernelFS[uint32(st.Type)]
}

// isPseudo reports whether t is a file of the kernel. Those take no room, whatever size
// they say that they have: 0 in /proc, a page in /sys.
func (t target) isPseudo() bool {
	if t.info == nil {
		return false
	}
	st, ok := t.info.Sys().(*syscall.Stat_t)
	return ok && st.Blocks == 0 && isKernel(t.path)
}
