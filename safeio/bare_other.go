//go:build !linux

package safeio

import "io/fs"

// openBare creates a file that one call writes.
func openBare(name string, perm fs.FileMode) (output, error) {
	f, err := openTemp(name, perm)
	if err != nil {
		return nil, err
	}
	return f, nil
}
