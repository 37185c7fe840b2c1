//go:build aix || (solaris && !illumos) || js || wasip1

package safeio

import (
	"os"
	"syscall"
)

const lockable = false

// There are no locks that a process can rely on: those of fcntl end when it closes any other descriptor of the file.

func tryAlone(*os.File) error          { return syscall.ENOSYS }
func tryShared(*os.File) error         { return syscall.ENOSYS }
func unlock(*os.File)                  {}
func letWriters(*os.File, os.FileInfo) {}
