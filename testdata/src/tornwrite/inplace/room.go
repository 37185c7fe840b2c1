package inplace

import (
	"io"
	"os"
	"path/filepath"
	"time"
)

// renew leaves a young file as it is: a part of one would be taken for all of it.
func renew(dir string, from io.Reader) error {
	dest := filepath.Join(dir, "state.bin")
	info, err := os.Stat(dest)
	if err == nil && time.Since(info.ModTime()) < time.Hour {
		return nil
	}
	if err == nil {
		if err := os.Remove(dest); err != nil {
			return err
		}
	}
	f, err := os.Create(dest) // want `renew truncates dir/state.bin`
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(f, from)
	return err
}
