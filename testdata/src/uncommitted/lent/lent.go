// Package lent has new contents closed by what writes them.
package lent

import (
	"encoding/json"
	"io"

	"github.com/lockvet/lockvet/safeio"
)

func save(path string, v any) error {
	f, err := safeio.Create(path)
	if err != nil {
		return err
	}
	return writeAll(f, v) // want `save has the new content of path closed by what writes it, and does not call Commit: the old file stays`
}

func writeAll(w io.WriteCloser, v any) error {
	if err := json.NewEncoder(w).Encode(v); err != nil {
		w.Close()
		return err
	}
	return w.Close()
}
