// Package disk opens files as it is told.
package disk

import (
	"fmt"
	"os"
)

func Open(name string, flags int) (*os.File, error) {
	f, err := os.OpenFile(name, flags, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", name, err)
	}
	return f, nil
}

// Put writes content to a file: at its end if more is true, else as all of it.
func Put(name string, content []byte, more bool) error {
	mode := os.O_CREATE | os.O_RDWR
	if more {
		mode |= os.O_APPEND
	}
	f, err := os.OpenFile(name, mode, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.Write(content)
	return err
}
