// Package quiet commits what it has to, or leaves that to others.
package quiet

import (
	"encoding/json"
	"errors"
	"io"

	"github.com/google/renameio/v2"
	"github.com/lockvet/lockvet/safeio"
)

func save(path string, v any, dry bool) error {
	f, err := safeio.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := json.NewEncoder(f).Encode(v); err != nil || dry {
		return err
	}
	return f.Commit()
}

func saveDeferred(path string, v any) (err error) {
	f, err := safeio.Create(path)
	if err != nil {
		return err
	}
	defer func() {
		if err == nil {
			err = f.Commit()
		}
		f.Close()
	}()
	return json.NewEncoder(f).Encode(v)
}

// Who gets the file commits it.
func begin(path string) (*safeio.File, error) {
	f, err := safeio.Create(path)
	if err != nil {
		return nil, err
	}
	if _, err := f.Write([]byte("header\n")); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

type journal struct{ f *safeio.File }

func (j *journal) open(path string) (err error) {
	f, err := safeio.Create(path)
	if err != nil {
		return err
	}
	j.f = f
	_, err = f.Write([]byte("header\n"))
	return err
}

func saveByHelper(path string, v any) error {
	f, err := safeio.Create(path)
	if err != nil {
		return err
	}
	return finish(f, v)
}

func finish(w io.WriteCloser, v any) error {
	defer w.Close()
	if err := json.NewEncoder(w).Encode(v); err != nil {
		return err
	}
	if c, ok := w.(interface{ Commit() error }); ok {
		return c.Commit()
	}
	return nil
}

// It is only asked whether there could be a file.
func writable(path string) error {
	f, err := safeio.Create(path)
	if err != nil {
		return err
	}
	return f.Close()
}

var errDry = errors.New("not saved")

func try(path string, v any) error {
	f, err := safeio.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := json.NewEncoder(f).Encode(v); err != nil {
		return err
	}
	return errDry
}

// Its Close puts it in place.
func replaceOnClose(path string, data []byte) error {
	t, err := renameio.NewPendingFile(path, renameio.WithPermissions(0o600), renameio.WithReplaceOnClose())
	if err != nil {
		return err
	}
	defer t.Cleanup()
	if _, err := t.Write(data); err != nil {
		return err
	}
	return t.Close()
}
