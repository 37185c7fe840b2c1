//go:build aix || (solaris && !illumos) || js || wasip1 || plan9

package safeio

import "os"

const lockable = false

// There are no locks that a process can rely on: those of fcntl end when it closes any other descriptor of the file.

func tryAlone(*os.File) error          { return noLocks{} }
func tryShared(*os.File) error         { return noLocks{} }
func unlock(*os.File)                  {}
func letWriters(*os.File, os.FileInfo) {}

type noLocks struct{}

func (noLocks) Error() string        { return "the system has no file locks" }
func (noLocks) Is(target error) bool { return target.Error() == "unsupported operation" } // errors.ErrUnsupported of Go 1.21
