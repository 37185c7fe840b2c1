// Package oldtail writes over the beginning of a file and keeps its end.
package oldtail

import (
	"encoding/json"
	"os"
)

type cursor struct {
	Line, Column int
	Note         string
}

func (c *cursor) save(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o644) // want `\(\*cursor\)\.save overwrites path without truncating it: a shorter content keeps the tail`
	if err != nil {
		return err
	}
	if err := json.NewEncoder(f).Encode(c); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// patch edits a record of fixed size in place.
func patch(path string, n int64, record []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o644) // ok: it writes at an offset, on purpose
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteAt(record, n*int64(len(record)))
	return err
}

// shorten cuts what is left of the old content.
func shorten(path string, c *cursor) error {
	data, err := json.Marshal(c)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o644) // ok: no tail is left
	if err != nil {
		return err
	}
	defer f.Close()
	n, err := f.Write(data)
	if err != nil {
		return err
	}
	return f.Truncate(int64(n)) // ok: the new content stands already
}

// create makes the accounts where there are none.
func create(path, text string) error {
	if f, err := os.Open(path); err == nil {
		f.Close()
		return nil
	} else if !os.IsNotExist(err) {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o600) // ok: there is nothing to be left
	if err != nil {
		return err
	}
	if _, err := f.WriteString(text); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
