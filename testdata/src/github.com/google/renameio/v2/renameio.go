// Package renameio has the signatures of the real package, which fixtures cannot
// import.
package renameio

import "os"

// PendingFile is a pending file.
type PendingFile struct{ *os.File }

func TempFile(dir, path string) (*PendingFile, error) { return nil, nil }

// Option is how a file is made.
type Option interface{ apply() }

func NewPendingFile(path string, opts ...Option) (*PendingFile, error) { return nil, nil }

func WithPermissions(perm os.FileMode) Option { return nil }

func WithReplaceOnClose() Option { return nil }

func (*PendingFile) CloseAtomicallyReplace() error { return nil }

func (*PendingFile) Cleanup() error { return nil }

func WriteFile(filename string, data []byte, perm os.FileMode, opts ...Option) error { return nil }
