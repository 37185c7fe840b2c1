// Package state writes files that only the user can tell to be state.
package state

import (
	"os"
	"path/filepath"
)

func chalk(dir string, b []byte) error {
	return os.WriteFile(filepath.Join(dir, "blackboard"), b, 0o644) // want `chalk truncates dir/blackboard`
}

func paint(dir string, b []byte) error {
	return os.WriteFile(filepath.Join(dir, "canvas"), b, 0o644) // ok: the expression does not match
}
