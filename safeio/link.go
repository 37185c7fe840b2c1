package safeio

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

// WriteReader is [WriteFile] of what r has until io.EOF. Nothing of it is published if
// r fails: then the error is that of r, and the old content stays.
func WriteReader(name string, r io.Reader, perm fs.FileMode) error {
	return Options{}.WriteReader(name, r, perm)
}

// WriteReader is [WriteReader] with options.
func (o Options) WriteReader(name string, r io.Reader, perm fs.FileMode) error {
	f, err := o.Create(name, perm)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.ReadFrom(r); err != nil {
		return err
	}
	return f.Commit()
}

// Symlink makes newname a symbolic link to oldname, as [os.Symlink] does, and
// replaces the link that newname may be by now: whoever looks meets the old link or
// the new one. nil means that the link survives a power cut.
//
// Anything else of that name is left alone: the error then matches [fs.ErrExist]. It
// is a *os.LinkError, or, if it matches [ErrPublished], a *fs.PathError: the new link
// is in place and may not survive a power cut. A process that dies between the two
// system calls leaves a link ".safeio-<random>.tmp", which [Sweep] cannot tell from
// one in use and leaves alone.
func Symlink(oldname, newname string) error { return Options{}.Symlink(oldname, newname) }

// Symlink is [Symlink] with options.
func (o Options) Symlink(oldname, newname string) error {
	t := target{name: newname, path: newname}
	fail := func(err error) error {
		return &os.LinkError{Op: "symlink", Old: oldname, New: newname, Err: cause(err)}
	}
	info, err := os.Lstat(newname)
	switch {
	case err == nil && info.Mode()&fs.ModeSymlink == 0:
		return fail(fs.ErrExist)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fail(err)
	}
	if err := o.at("opendir"); err != nil {
		return fail(err)
	}
	dir, err := openDirectory(t.dir())
	defer dir.close()
	if err != nil {
		return fail(err)
	}
	temp, err := o.tempLink(oldname, dir)
	if err != nil {
		return fail(err)
	}
	if err = o.at("rename"); err == nil {
		err = dir.rename(temp, t.base())
	}
	if err != nil {
		dir.remove(temp)
		return fail(err)
	}
	if err = o.at("syncdir"); err == nil {
		err = dir.sync()
	}
	if err != nil {
		return t.published(err)
	}
	return nil
}

// tempLink makes a link in d, under a name of its own.
func (o Options) tempLink(to string, d directory) (name string, err error) {
	if err := o.at("create"); err != nil {
		return "", err
	}
	for try := 0; try < tempTries; try++ {
		name = tempName("")
		if err = d.symlink(to, name); !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	return name, err
}
