//go:build !linux

package safeio

import (
	"io/fs"
	"os"
)

// A bareFile is a file that one call writes.
type bareFile struct{}

// create is an opener.
func (*bareFile) create(d directory, name string, perm fs.FileMode) (output, error) {
	return openForFile(d, name, perm)
}

// A description is that of package os.
type description struct{}

func (*description) lstat(name string) (fs.FileInfo, error) { return os.Lstat(name) }
