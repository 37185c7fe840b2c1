// Package maybe has the function of github.com/google/renameio/v2/maybe. It is the
// same on every system.
package maybe

import (
	"os"

	"github.com/lockvet/lockvet/safeio/shim/renameio/v2"
)

// WriteFile is that of package renameio.
func WriteFile(filename string, data []byte, perm os.FileMode) error {
	return renameio.WriteFile(filename, data, perm)
}
