package safeio

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Replace replaces the content of the named file by what save writes. It is for the
// functions of libraries that encode, open and write by themselves:
//
//	err := safeio.Replace(path, config.SaveTo) // config.SaveTo(path)
//
// save is called at most once, with the path of a file that is not there. It is in an empty
// directory that other users cannot enter, and its last element is that of name. What
// save has written there then replaces the named file, as by [WriteFile]. A new file gets
// the mode that save has given it; an existing one keeps its mode. The directory is
// in [os.TempDir] and is removed afterwards; a process that is killed leaves it behind.
//
// If save fails, its error is returned and the named file stays as it is. The same holds if it
// has written no file: one that writes elsewhere, or that writes later, is not for Replace. A
// special file is written by save itself, under its own name.
func Replace(name string, save func(name string) error) error {
	return Options{}.Replace(name, save)
}

// Replace is [Replace] with options.
func (o Options) Replace(name string, save func(name string) error) error {
	t, err := locate(name)
	if err != nil {
		return err
	}
	if t.special {
		if o.Strict {
			return t.refuse(nil)
		}
		return save(name)
	}
	dir, err := privateDir()
	if err != nil {
		return t.wrap("open", err)
	}
	defer os.RemoveAll(dir)
	temp := filepath.Join(dir, filepath.Base(name))
	if err := save(temp); err != nil {
		var e *fs.PathError
		if errors.As(err, &e) && e.Path == temp {
			e.Path = name
		}
		return err
	}
	info, err := os.Stat(temp)
	if err != nil {
		return t.wrap("write", err)
	}
	data, err := os.ReadFile(temp)
	if err != nil {
		return t.wrap("read", err)
	}
	return o.WriteFile(name, data, info.Mode().Perm())
}

// privateDir makes a directory for the caller alone.
func privateDir() (string, error) {
	dir, err := os.MkdirTemp("", "safeio-")
	if err != nil {
		// A container with a read-only root has no /tmp, but usually /dev/shm.
		if dir, err := os.MkdirTemp("/dev/shm", "safeio-"); err == nil {
			return dir, nil
		}
	}
	return dir, err
}
