package safeio

import (
	"errors"
	"hash/maphash"
	"io/fs"
	"strconv"
)

// The name of a temporary does not contain the target's: it is short enough
// beside any target, however long its name.
const (
	tempPrefix = ".safeio-"
	tempSuffix = ".tmp"
)

// tempTries bounds the names tried. A name is taken by chance once in 2^64.
const tempTries = 100

// A descriptor is an open file.
type descriptor interface{ Fd() uintptr }

// An output is what every temporary can do. One that a caller writes through a File
// is an [os.File].
type output interface {
	descriptor
	Name() string
	Write(p []byte) (int, error)
	ReadAt(p []byte, offset int64) (int, error)
	Stat() (fs.FileInfo, error)
	Chmod(mode fs.FileMode) error
	Chown(uid, gid int) error
	Sync() error
	Close() error
}

// An opener creates a temporary in a directory.
type opener func(d directory, name string, perm fs.FileMode) (output, error)

// openForFile creates a temporary for a File.
func openForFile(d directory, name string, perm fs.FileMode) (output, error) {
	f, err := createTemp(d, name, perm)
	if err != nil {
		return nil, err
	}
	return f, nil
}

// stage opens the directory of the target, and creates there the temporary that is to
// replace it, with its owner and mode, or with perm less the umask if it does not
// exist. A special target gets none. The directory stays open: running out of
// descriptors is an error that leaves the old content, and it is this directory in
// which the file is put in place, whoever exchanges one of its path meanwhile.
func (f *File) stage(perm fs.FileMode, open opener) (err error) {
	t := &f.target
	if t.special {
		return nil
	}
	if t.info != nil {
		perm = narrow(t.info.Mode().Perm())
	}
	if err = f.opts.at("opendir"); err == nil {
		f.dir, err = openDirectory(t.dir())
	}
	if err != nil {
		return t.wrap("open", err)
	}
	var made fs.FileInfo
	if f.out, made, err = f.opts.temp(f.dir, perm, open); err != nil {
		f.dir.close()
		return t.wrap("open", err)
	}
	if t.info == nil {
		return nil
	}
	if err = f.opts.at("inherit"); err != nil {
		err = t.wrap("chmod", err)
	} else {
		err = f.inherit(made)
	}
	if err != nil {
		f.discard()
	}
	return err
}

// inherit gives the temporary, whose description is made, what it must take
// over from the target.
func (f *File) inherit(made fs.FileInfo) error {
	from, err := openSource(f.dir, f.target.base(), f.target.info, made)
	defer from.close()
	if err != nil {
		return f.target.wrap("open", err)
	}
	if err := keepAttributes(f.out, made, from); err != nil {
		return f.target.wrap("chmod", err)
	}
	return nil
}

// narrow takes from the group what others do not have. A file with these
// bits gives nobody more than one with mode does, whatever its group.
func narrow(mode fs.FileMode) fs.FileMode {
	return mode &^ (0o070 &^ (mode << 3))
}

// temp creates a temporary in d and locks it.
func (o Options) temp(d directory, perm fs.FileMode, open opener) (output, fs.FileInfo, error) {
	if err := o.at("create"); err != nil {
		return nil, nil, err
	}
	for try := 0; try < tempTries; try++ {
		name := tempName(d.path)[len(d.path):]
		f, err := open(d, name, perm)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		info, err := claim(f)
		if err == nil {
			return f, info, nil
		}
		d.remove(name)
		f.Close()
		if !errors.Is(err, errLocked) {
			return nil, nil, err
		}
	}
	return nil, nil, fs.ErrExist
}

// tempName is a name for a temporary in dir, which nobody else uses.
func tempName(dir string) string {
	var room [128]byte
	name := append(append(room[:0], dir...), tempPrefix...)
	return string(append(strconv.AppendUint(name, random(), 36), tempSuffix...))
}

// random needs no seed, whatever version of Go the module states: math/rand
// would repeat itself in every process of an old one, and v2 is new.
func random() uint64 { return new(maphash.Hash).Sum64() }

// claim locks the new temporary f. Between its creation and its lock f looks
// like a dead writer's, so a Sweep may have locked it or removed it: then
// claim returns errLocked. A file system without locks has no Sweep either.
func claim(f output) (fs.FileInfo, error) {
	if err := tryLock(f); errors.Is(err, errLocked) {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && unlinked(f, info) {
		err = errLocked
	}
	return info, err
}

// errLocked says that another descriptor holds the lock.
var errLocked = errors.New("locked by another descriptor")
