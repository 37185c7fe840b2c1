//go:build windows || plan9

package safeio

import (
	"os"
	"time"
)

func early() os.FileMode                         { return 0o777 }
func blocked(err error) bool                     { return os.IsPermission(err) }
func syncFile(f *os.File) error                  { return f.Sync() }
func syncDir(string, func(*os.File) error) error { return nil } // the file system does that

// place gives the new content its name. Readers keep the file from that for a while, and must meet nothing in place.
func (f *File) place() error {
	if err := f.sync(f.out); err != nil {
		return err
	}
	f.out.Close()
	f.old.Close()
	err := os.Rename(f.out.Name(), f.path)
	for start := time.Now(); err != nil && time.Since(start) < 5*time.Second; err = os.Rename(f.out.Name(), f.path) {
		time.Sleep(5 * time.Millisecond)
	}
	f.old = nil
	return err
}
