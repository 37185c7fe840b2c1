// Package lockedfile stands in for github.com/rogpeppe/go-internal/lockedfile.
package lockedfile

import (
	"io"
	"io/fs"
)

func Read(name string) ([]byte, error) { return nil, nil }

func Write(name string, content io.Reader, perm fs.FileMode) error { return nil }

func Transform(name string, t func([]byte) ([]byte, error)) error { return nil }
