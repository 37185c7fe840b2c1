package safeio

import (
	"os"
	"time"
)

// place gives the new content its name. Readers keep the file from that for a while, and must meet nothing in place.
func (f *File) place() error {
	if err := f.sync(f.out); err != nil {
		return err
	}
	f.out.Close()
	f.old.Close()
	for start := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		err := os.Rename(f.out.Name(), f.path)
		if err == nil || time.Since(start) > 5*time.Second {
			f.old = nil
			return err
		}
	}
}

func syncDir(string, func(*os.File) error) error { return nil } // the file system does that
