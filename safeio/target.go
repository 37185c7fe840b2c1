package safeio

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// A target is the file that a name leads to.
type target struct {
	name    string      // as the caller gave it; errors carry it
	path    string      // with the symbolic links of the last element followed
	info    fs.FileInfo // of the file at path; nil if there is none yet
	special bool        // not for replacing: package os is to write it by name
}

// locate finds what name leads to. It costs one system call for a name that
// is not a symbolic link.
func locate(name string) (target, error) { return locateInto(name, new(description)) }

// locateInto is locate, with the description of the target kept in at.
func locateInto(name string, at *description) (target, error) {
	t := target{name: name, path: name}
	if _, base := filepath.Split(name); base == "" {
		t.special = true // "" and "dir/" cannot be files; os has the right error
		return t, nil
	}
	info, err := at.lstat(name)
	switch {
	case err == nil && info.Mode()&fs.ModeSymlink != 0:
		return follow(name)
	case err == nil:
		t.info = info
		t.special = !info.Mode().IsRegular()
	case !errors.Is(err, fs.ErrNotExist):
		return t, t.wrap("open", err)
	}
	return t, nil
}

// maxLinks bounds the links followed from one name. The kernel has already
// walked the same chain within its own bound, so this is only met when links
// are being rearranged underneath.
const maxLinks = 255

// follow is locate for a name that is a symbolic link. The links are read
// here and not by filepath.EvalSymlinks, because the last may point to a file
// that is yet to be created. Paths are never cleaned: "link/.." is not ".".
func follow(name string) (target, error) {
	t := target{name: name, path: name}

	// The kernel's own walk comes first: it knows loops, and links that may
	// not be followed (fs.protected_symlinks), which reading them would evade.
	info, err := os.Stat(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return t, t.wrap("open", err)
	}
	if err == nil && !info.Mode().IsRegular() {
		t.special = true
		return t, nil
	}
	for n := 0; n < maxLinks; n++ {
		if isDescriptor(t.path) {
			break
		}
		link, err := readLink(t.path)
		if err != nil {
			return t, t.wrap("open", err)
		}
		t.path = join(t.path, link)
		info, err := os.Lstat(t.path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return t, nil
		case err != nil:
			return t, t.wrap("open", err)
		case info.Mode()&fs.ModeSymlink == 0:
			t.info = info
			t.special = !info.Mode().IsRegular()
			return t, nil
		}
	}
	t.special = true
	return t, nil
}

// isDescriptor reports whether path stands for an open descriptor: it is not
// a way to a name, and replacing the name would leave the descriptor behind.
func isDescriptor(path string) bool {
	return strings.HasPrefix(path, "/proc/") || strings.HasPrefix(path, "/dev/fd/")
}

// join gives the path to which the link at path leads.
func join(path, link string) string {
	switch {
	case filepath.IsAbs(link):
		return link
	case link != "" && os.IsPathSeparator(link[0]): // Windows: rooted, on the same volume
		return filepath.VolumeName(path) + link
	}
	dir, _ := filepath.Split(path)
	return dir + link
}

// dir is the directory of the target with its separator, or "".
func (t target) dir() string {
	dir, _ := filepath.Split(t.path)
	return dir
}

// base is the name of the target in its directory.
func (t target) base() string {
	_, base := filepath.Split(t.path)
	return base
}

// wrap is err under the caller's name, whatever name it had before.
func (t target) wrap(op string, err error) error {
	return &fs.PathError{Op: op, Path: t.name, Err: cause(err)}
}

// published is err as an error after the rename.
func (t target) published(err error) error {
	return t.wrap("sync", fmt.Errorf("%w: %w", ErrPublished, cause(err)))
}

// isKernel reports whether t is a file of the kernel, after err has kept a temporary
// from being made beside it.
func (t target) isKernel(err error) bool {
	return err != nil && t.info != nil && isKernel(t.path)
}

// refuse is what Strict answers for a target that is not for replacing. why is what
// kept it from being tried, or nil; then the system may have a reason of its own.
func (t target) refuse(why error) error {
	if why == nil {
		info, err := os.Stat(t.name)
		switch {
		case err != nil:
			why = t.missing(err)
		case info.IsDir():
			why = syscall.EISDIR
		}
	}
	return t.refusal(why)
}

// missing is the error of creating t, which cannot be a file because of its name,
// where err is that of looking for it. "dir/" is a directory that is not there.
func (t target) missing(err error) error {
	if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) || t.name == "" {
		return err
	}
	parent, _ := filepath.Split(strings.TrimRightFunc(t.name, func(r rune) bool { return r < 0x80 && os.IsPathSeparator(byte(r)) }))
	if parent == "" {
		parent = "."
	}
	if _, err := os.Stat(parent); err != nil {
		return err
	}
	return syscall.EISDIR
}

// refusal is what Strict answers; why may be nil.
func (t target) refusal(why error) error {
	if why == nil {
		return t.wrap("replace", ErrNotAtomic)
	}
	return t.wrap("replace", fmt.Errorf("%w: %w", ErrNotAtomic, cause(why)))
}

// cause strips the operation and path from an error of package os.
func cause(err error) error {
	switch e := err.(type) {
	case *fs.PathError:
		return e.Err
	case *os.LinkError:
		return e.Err
	case *os.SyscallError:
		return e.Err
	}
	return err
}

// The name of a lock file is its target's, between these.
const (
	lockPrefix = ".safeio-"
	lockSuffix = ".lock"
)

// lockName is the path of the lock file of t. Hidden, and with a prefix that
// nobody else uses: NAME.lock belongs to git, Bundler, Cargo and others.
func (t target) lockName() string {
	dir, base := filepath.Split(t.path)
	return dir + lockPrefix + base + lockSuffix
}

// lockName is the path of the lock file that o says for t.
func (o Options) lockName(t target) string {
	if o.LockFile != "" {
		return o.LockFile
	}
	return t.lockName()
}
