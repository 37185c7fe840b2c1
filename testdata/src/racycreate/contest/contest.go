// Package contest ends in a word that it has nothing to do with.
package contest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

func acquire(dir string) error {
	path := filepath.Join(dir, "contest.lock")
	if _, err := os.Stat(path); err == nil {
		return errors.New("already running")
	}
	return os.WriteFile(path, fmt.Appendln(nil, os.Getpid()), 0o600) // want `acquire asks for dir/contest.lock before it makes it`
}

func release(dir string) error { return os.Remove(filepath.Join(dir, "contest.lock")) }
