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
