package crossdir

import (
	"bytes"
	"os"
)

// A writer replaces a file of which it knows nothing.
type writer struct {
	buf  bytes.Buffer
	path string
}

func (w *writer) Close() error {
	tmp, err := os.CreateTemp("", "atomic") // want `\(\*writer\)\.Close makes the temporary file for w.path in another directory`
	if err != nil {
		return err
	}
	if _, err := tmp.Write(w.buf.Bytes()); err != nil {
		tmp.Close()
		return err
	}
	if err := tmp.Sync(); err != nil {
		tmp.Close()
		return err
	}
	if err := tmp.Close(); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), w.path)
}
