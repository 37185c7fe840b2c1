// Package renameio has the functions of github.com/google/renameio/v2, made with
// package safeio: a program that goes over needs another import path and nothing else.
// What is different stands in docs/migrate.md of the repository.
package renameio

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/lockvet/lockvet/safeio"
)

const defaultPerm fs.FileMode = 0o600

// TempDir returns dest: new content is always collected beside the file that it
// replaces.
func TempDir(dest string) string { return dest }

// A PendingFile is new content that waits for CloseAtomicallyReplace. It has the
// methods of a [safeio.File] and not those of an [os.File].
type PendingFile struct {
	*safeio.File
	replaceOnClose bool
	done           bool
}

// TempFile begins a new content for path, with mode 0600. dir is not used.
func TempFile(dir, path string) (*PendingFile, error) {
	return NewPendingFile(path, WithTempDir(dir), WithStaticPermissions(defaultPerm))
}

// NewPendingFile begins a new content for path.
func NewPendingFile(path string, opts ...Option) (*PendingFile, error) {
	c := config{perm: defaultPerm}
	for _, o := range opts {
		o.apply(&c)
	}
	mode, err := c.mode(path)
	if err != nil {
		return nil, err
	}
	f, err := safeio.CreatePerm(path, c.perm)
	if err != nil {
		return nil, err
	}
	if mode != nil {
		if err := f.Chmod(*mode); err != nil {
			f.Close()
			return nil, err
		}
	}
	return &PendingFile{File: f, replaceOnClose: c.replaceOnClose}, nil
}

// CloseAtomicallyReplace puts the new content in place, durably.
func (t *PendingFile) CloseAtomicallyReplace() error {
	err := t.File.Commit()
	t.done = t.done || err == nil
	return err
}

// Cleanup discards the new content unless that is in place.
func (t *PendingFile) Cleanup() error {
	if t.done {
		return nil
	}
	t.done = true
	if err := t.File.Close(); !errors.Is(err, safeio.ErrDiscarded) {
		return err
	}
	return nil
}

// Close discards the new content and says so, with an error that matches
// [safeio.ErrDiscarded]. After WithReplaceOnClose it is CloseAtomicallyReplace.
func (t *PendingFile) Close() error {
	if t.replaceOnClose {
		return t.CloseAtomicallyReplace()
	}
	return t.File.Close()
}

// WriteFile is os.WriteFile that replaces the file, which keeps its permissions.
func WriteFile(filename string, data []byte, perm os.FileMode, opts ...Option) error {
	t, err := NewPendingFile(filename, append([]Option{WithPermissions(perm), WithExistingPermissions()}, opts...)...)
	if err != nil {
		return err
	}
	defer t.Cleanup()
	if _, err := t.Write(data); err != nil {
		return err
	}
	return t.CloseAtomicallyReplace()
}

// Symlink is os.Symlink that replaces a link.
func Symlink(oldname, newname string) error { return safeio.Symlink(oldname, newname) }

type config struct {
	perm           fs.FileMode
	static         *fs.FileMode
	existing       bool
	ignoreUmask    bool
	replaceOnClose bool
}

// mode is what a new content of path has to be given beyond what safeio does by
// itself: nil where it takes the mode of the file that is there, or makes one with perm
// less the umask.
func (c config) mode(path string) (*fs.FileMode, error) {
	_, err := os.Stat(path)
	exists := err == nil
	switch {
	case exists && c.existing:
		return nil, nil
	case c.static != nil:
		return c.static, nil
	case c.ignoreUmask:
		return &c.perm, nil
	case !exists:
		return nil, nil
	}
	// The file has a mode, which is not to be kept. What the umask leaves of perm is
	// seen on a file that is never put in place.
	f, err := safeio.CreatePerm(filepath.Clean(path)+".mode", c.perm)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	mode := info.Mode().Perm()
	return &mode, nil
}

// An Option says how a file is made.
type Option interface{ apply(*config) }

type option func(*config)

func (o option) apply(c *config) { o(c) }

// WithTempDir does nothing: new content is collected beside the file.
func WithTempDir(dir string) Option { return option(func(*config) {}) }

// WithPermissions sets the permissions of a new file, less the umask.
func WithPermissions(perm os.FileMode) Option {
	return option(func(c *config) { c.perm = perm.Perm() })
}

// IgnoreUmask has the umask take nothing from WithPermissions.
func IgnoreUmask() Option { return option(func(c *config) { c.ignoreUmask = true }) }

// WithStaticPermissions sets the permissions, less nothing.
func WithStaticPermissions(perm os.FileMode) Option {
	perm = perm.Perm()
	return option(func(c *config) { c.static = &perm })
}

// WithExistingPermissions keeps the permissions of a file that is there.
func WithExistingPermissions() Option { return option(func(c *config) { c.existing = true }) }

// WithReplaceOnClose has Close put the new content in place.
func WithReplaceOnClose() Option { return option(func(c *config) { c.replaceOnClose = true }) }
