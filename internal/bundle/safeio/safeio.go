// Package safeio replaces files so that a reader, a crash or a second writer meets the old content or the new, whole.
// The content goes to a temporary file beside the target, ".NAME.<random>.tmp", which is synced and renamed over it;
// then the directory is synced. A nil error means that the new content survives a power cut; any other that the old one
// is still there, unless it matches ErrPublished. Mode and, if permitted, owner and group are kept, symbolic links
// followed, hard links not. A file that may not be written is not replaced. One that cannot be replaced (a mount point,
// a directory that may not be written) is written in place, where a crash or an error can leave a mixture. The module
// keeps ACLs, too, cleans up after killed processes, does more on Windows: github.com/lockvet/lockvet/safeio.
package safeio

import (
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"os"
	"path/filepath"
	"strings"
)

var ErrPublished = errors.New("new content is in place, but may not survive a power cut")
var ErrDiscarded = errors.New("closed without Commit, so that nothing was saved")

// WriteFile is os.WriteFile that replaces the file.
func WriteFile(name string, data []byte, perm os.FileMode) error {
	f, err := CreatePerm(name, perm)
	if err != nil {
		return err
	}
	f.Write(data) // Commit has its error
	return f.Commit()
}

// A File is new content of a file, which is not there before Commit.
type File struct {
	target
	old        *os.File     // what it replaces; open, so that nothing else gets its blocks before the directory is synced
	out        *os.File     // the temporary file, or a special target
	away, done bool         // out is not beside the target, which is to be written in place; Commit was called
	mode       *os.FileMode // that Chmod asked for
	sync       func(*os.File) error
	err        error // the first one, for which Commit fails, or what it says
}

// Create is os.Create for a File: defer its Close, and return what its Commit returns.
func Create(name string) (*File, error) { return CreatePerm(name, 0o666) }

// CreatePerm is Create with the mode of a new file, less the umask.
func CreatePerm(name string, perm os.FileMode) (*File, error) {
	t, err := locate(name)
	f := &File{target: t, sync: syncFile}
	switch {
	case err != nil:
	case t.special:
		f.out, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, perm)
	case t.info == nil:
		f.out, err = newTemp(t.path, perm)
	default:
		if f.old, err = os.OpenFile(t.path, os.O_WRONLY, 0); blocked(err) {
			break // it may not be written
		}
		f.out, err = newTemp(t.path, t.info.Mode()&early())
		if f.away = f.old != nil && blocked(err); f.away {
			f.out, err = os.CreateTemp("", "safeio-")
		}
		if f.away && err != nil { // in a container that may write nothing else
			f.out, err = os.CreateTemp("/dev/shm", "safeio-")
		}
	}
	if err == nil {
		return f, nil
	}
	f.old.Close()
	return nil, err
}

func newTemp(path string, perm os.FileMode) (*os.File, error) {
	dir, base := filepath.Split(path)
	name := fmt.Sprintf("%s.%.50s.%x.tmp", dir, base, new(maphash.Hash).Sum64())
	return os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, perm)
}

func (f *File) Name() string                                 { return f.name }
func (f *File) Stat() (os.FileInfo, error)                   { return f.out.Stat() }
func (f *File) Sync() error                                  { return f.note(f.sync(f.out)) }
func (f *File) WriteString(s string) (int, error)            { return f.Write([]byte(s)) }
func (f *File) Seek(offset int64, whence int) (int64, error) { return f.out.Seek(offset, whence) }

func (f *File) Write(p []byte) (int, error) {
	n, err := f.out.Write(p)
	return n, f.note(err)
}

func (f *File) ReadFrom(r io.Reader) (int64, error) {
	n, err := io.Copy(f.out, r)
	return n, f.note(err)
}

func (f *File) Chmod(mode os.FileMode) error {
	if f.mode = &mode; f.special {
		return f.note(f.out.Chmod(mode))
	}
	return f.note(f.out.Chmod(mode & early()))
}

func (f *File) note(err error) error {
	if f.err == nil {
		f.err = err
	}
	return err
}

// Close discards the new content, and says so, unless Commit was called.
func (f *File) Close() error {
	if f.done {
		return nil
	}
	f.err = os.ErrClosed // and Commit discards
	f.Commit()
	return ErrDiscarded
}

// Commit puts the new content in place. What it says the first time it says again.
func (f *File) Commit() error {
	if f.done {
		return f.err
	}
	f.done = true
	switch {
	case f.err != nil:
	case f.special:
		f.err = f.out.Close()
	case f.away:
		f.err = f.rewrite()
	default:
		if f.err = f.place(); f.old != nil && blocked(f.err) {
			f.err = f.rewrite()
		}
	}
	f.out.Close()
	f.old.Close()
	if !f.special {
		os.Remove(f.out.Name()) // which it no longer has, if it is in place
	}
	return f.err
}

// rewrite writes the target in place: what it grows by first, so that a full disk leaves the old content.
func (f *File) rewrite() error {
	data, err := io.ReadAll(io.NewSectionReader(f.out, 0, 1<<62))
	if err == nil && f.mode != nil {
		err = f.old.Chmod(*f.mode)
	}
	if err != nil {
		return err
	}
	size, err := f.old.Seek(0, io.SeekEnd)
	if err == nil && size < int64(len(data)) {
		if _, err = f.old.WriteAt(data[size:], size); err != nil {
			f.old.Truncate(size)
		}
		data = data[:size]
	}
	if err == nil {
		_, err = f.old.WriteAt(data, 0)
	}
	if n := int64(len(data)); err == nil && n < size {
		err = f.old.Truncate(n)
	}
	if err != nil {
		return err
	}
	return f.sync(f.old)
}

// A target is what a name leads to.
type target struct {
	name, path, dir, base string      // as the caller gave it, and with its links followed, whole and in parts
	info                  os.FileInfo // nil if there is no file yet
	special               bool        // not to be replaced
}

func locate(name string) (t target, err error) {
	t.name, t.path = name, name
	if t.info, err = os.Stat(name); err != nil && !errors.Is(err, os.ErrNotExist) {
		return t, err
	}
	link, err := os.Readlink(name)
	for n := 0; n < 255 && err == nil && !t.special; n++ {
		if dir, _ := filepath.Split(t.path); !filepath.IsAbs(link) {
			link = dir + link
		}
		t.path = link
		t.special = strings.HasPrefix(link, "/proc/") || strings.HasPrefix(link, "/dev/fd/")
		link, err = os.Readlink(t.path)
	}
	t.dir, t.base = filepath.Split(t.path)
	t.special = t.special || t.base == "" || t.info != nil && !t.info.Mode().IsRegular()
	return t, nil
}
