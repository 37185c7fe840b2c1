//go:build !windows && !plan9

package safeio

import (
	"errors"
	"fmt"
	"os"
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
	if err := syncDir(f.dir, f.sync); err != nil {
		return fmt.Errorf("%w: %v", ErrPublished, err)
	}
	return nil
}

// syncFile makes a file durable, unless its file system has no such operation.
func syncFile(f *os.File) error {
	err := f.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) || errors.Is(err, syscall.ENOSYS) {
		return nil
	}
	return err
}

// blocked reports whether an error says that there can be no file here, or not under this name.
func blocked(err error) bool {
	return errors.Is(err, os.ErrPermission) || errors.Is(err, syscall.EROFS) || errors.Is(err, syscall.EBUSY) ||
		errors.Is(err, syscall.EXDEV) || errors.Is(err, syscall.ENOTSUP) || errors.Is(err, syscall.ENOSYS)
}

func early() os.FileMode { return 0o700 } // before Commit has given it its owner

func syncDir(dir string, sync func(*os.File) error) error {
	d, err := os.Open(dir + ".")
	if err == nil {
		err = sync(d)
		d.Close()
	}
	return err
}
