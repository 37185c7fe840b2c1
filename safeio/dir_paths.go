//go:build !linux

package safeio

import "os"

// Here package syscall names the files of a directory by their paths only: whoever may
// exchange a directory of the path can lead them elsewhere.

func (d directory) rename(from, to string) error { return rename(d.path+from, d.path+to) }

func (d directory) remove(name string) error { return cause(os.Remove(d.path + name)) }

func (d directory) symlink(to, name string) error { return cause(os.Symlink(to, d.path+name)) }

// link gives a file one more name, unless that is taken.
func (d directory) link(from, to string) error { return cause(os.Link(d.path+from, d.path+to)) }

// An oldFile is not kept here: no file system is known that needs it.
type oldFile struct{}

func (directory) keep(string) (oldFile, error) { return oldFile{}, nil }

func (oldFile) drop() {}

// readLink is os.Readlink: every link may be followed here.
func readLink(path string) (string, error) { return os.Readlink(path) }

// isPseudo is false: files of the kernel are special files here.
func (t target) isPseudo() bool { return false }
