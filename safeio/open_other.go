//go:build !unix

package safeio

import (
	"io/fs"
	"os"
)

// openRegular opens a file that is known to be a regular one.
func openRegular(name string, flags int, perm fs.FileMode) (*os.File, error) {
	return os.OpenFile(name, flags, perm)
}
