package safeio

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"unsafe"
)

// readLink is [os.Readlink], but refuses what the kernel would not follow
// (fs.protected_symlinks): another user's link in a directory that all may write. The
// kernel has been asked before about the same name; what is there may have changed since.
func readLink(path string) (string, error) {
	dirName, name := filepath.Split(path)
	dir, err := openDirectory(dirName)
	if err == nil {
		defer dir.close()
		var to string
		if to, err = dir.readLink(name); err == nil {
			return to, nil
		}
	}
	return "", &fs.PathError{Op: "readlink", Path: path, Err: err}
}

func (d directory) readLink(name string) (string, error) {
	fd, err := d.openFile(name, pathOnly|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return "", err
	}
	defer syscall.Close(fd)
	var link, in syscall.Stat_t
	if err := syscall.Fstat(fd, &link); err != nil {
		return "", err
	}
	if err := syscall.Fstat(d.fd, &in); err != nil {
		return "", err
	}
	const forAll = syscall.S_ISVTX | 0o002
	if in.Mode&forAll == forAll && link.Uid != in.Uid && link.Uid != uint32(os.Geteuid()) && linksProtected() {
		return "", syscall.EACCES
	}
	var to [syscall.PathMax]byte
	var empty [1]byte // the link that is open
	n, _, errno := syscall.Syscall6(syscall.SYS_READLINKAT, uintptr(fd), uintptr(unsafe.Pointer(&empty[0])),
		uintptr(unsafe.Pointer(&to[0])), uintptr(len(to)), 0, 0)
	if errno != 0 {
		return "", errno
	}
	return string(to[:n]), nil
}

// protectedLinks says whether the kernel refuses such links.
var protectedLinks = "/proc/sys/fs/protected_symlinks"

// linksProtected reports whether the kernel refuses such links. What cannot be found out is so.
func linksProtected() bool {
	on, err := os.ReadFile(protectedLinks)
	return err != nil || strings.TrimSpace(string(on)) != "0"
}
