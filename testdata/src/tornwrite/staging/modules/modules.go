// Package modules fetches for other packages.
package modules

import (
	"os"
	"path/filepath"
)

// Fetch has a directory for all runs.
func Fetch(root, name string) error {
	stage := filepath.Join(root, ".fetched")
	if err := os.MkdirAll(stage, 0o755); err != nil { // want `Fetch collects files in root/.fetched, a name that every run shares`
		return err
	}
	defer os.RemoveAll(stage)
	return os.Rename(filepath.Join(stage, name), filepath.Join(root, name))
}
