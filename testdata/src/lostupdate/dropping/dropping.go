// Package dropping defers calls that return an error as linters of unchecked errors want it.
package dropping

import (
	"bytes"
	"os"
)

type journal struct{}

func (journal) Close() error { return nil }

// list has the form that the package uses.
func list(path string) ([]byte, error) {
	var j journal
	defer func() { _ = j.Close() }()
	return os.ReadFile(path)
}

// enter is to release its lock in that form.
func enter(path string, line []byte) error {
	data, err := list(path)
	if err != nil {
		return err
	}
	data = bytes.Join([][]byte{data, line}, []byte("\n"))
	return replace(path, data) // want `enter loads path, changes it`
}
