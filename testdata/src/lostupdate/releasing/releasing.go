// Package releasing drops the errors of released locks in one form, and those of closed files in another.
package releasing

import (
	"bytes"
	"os"
)

type journal struct{}

func (journal) Close() error { return nil }

type claim struct{}

func (claim) Unlock() error { return nil }

// list closes its journal as most do.
func list(path string) ([]byte, error) {
	var j journal
	defer j.Close()
	defer j.Close()
	return os.ReadFile(path)
}

// claimed releases in the form that linters of unchecked errors want.
func claimed(of claim, path string) ([]byte, error) {
	defer func() { _ = of.Unlock() }()
	return list(path)
}

// enter is to release its lock as claimed does.
func enter(path string, line []byte) error {
	data, err := list(path)
	if err != nil {
		return err
	}
	data = bytes.Join([][]byte{data, line}, []byte("\n"))
	return replace(path, data) // want `enter loads path, changes it`
}
