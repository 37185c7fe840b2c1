//go:build !unix && !windows

package safeio

import (
	"io/fs"
	"os"
)

// openRegular opens a file that is known to be a regular one.
func openRegular(name string, flags int, perm fs.FileMode) (*os.File, error) {
	return os.OpenFile(name, flags, perm)
}

// openToRead opens a file of any kind for reading.
func openToRead(name string) (*os.File, error) { return os.Open(name) }
