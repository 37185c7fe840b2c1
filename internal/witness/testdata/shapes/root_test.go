//go:build go1.24

package shapes

import (
	"os"
	"path/filepath"
	"testing"
)

func TestSaveInRoot(t *testing.T) {
	save := func(path string, m map[string]int) error {
		root, err := os.OpenRoot(filepath.Dir(path))
		if err != nil {
			return err
		}
		defer root.Close()
		return SaveInRoot(root, filepath.Base(path), m)
	}
	saves(t, save, load)
}
