//go:build !windows && !plan9

package safeio

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// place gives the new content its name, and before that owner, group and mode of the old one, or less than the mode.
func (f *File) place() error {
	mode := f.mode
	if f.info != nil {
		kept := f.info.Mode().Perm()
		st, ok := f.info.Sys().(*syscall.Stat_t)
		if !ok || f.out.Chown(int(st.Uid), int(st.Gid)) != nil && f.out.Chown(-1, int(st.Gid)) != nil {
			kept &= 0o700 | (kept>>3&kept&0o007)*0o011 // another group, and others, get what both had
		}
		if mode == nil {
			mode = &kept
		}
	}
	if mode != nil {
		if err := f.out.Chmod(*mode); err != nil {
			return err
		}
	}
	if err := f.sync(f.out); err != nil {
		return err
	}
	if err := os.Rename(f.out.Name(), f.path); err != nil {
		return err
	}
	if err := syncDir(f.path, f.sync); err != nil {
		return fmt.Errorf("%w: %v", ErrPublished, err)
	}
	return nil
}

// syncDir makes a name durable.
func syncDir(path string, sync func(*os.File) error) error {
	dir, _ := filepath.Split(path)
	d, err := os.Open(dir + ".")
	if err == nil {
		err = sync(d)
		d.Close()
	}
	return err
}
