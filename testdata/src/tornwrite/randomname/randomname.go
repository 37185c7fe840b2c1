// Package randomname has temporary files whose names a helper of another package makes.
package randomname

import (
	"encoding/json"
	"os"

	"tornwrite/randomname/names"
)

type catalogue struct{ Entries []string }

func load(path string) (c catalogue, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return c, err
	}
	return c, json.Unmarshal(data, &c)
}

func write(path string, c catalogue) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := json.NewEncoder(f).Encode(c); err != nil {
		f.Close()
		return err
	}
	if err := f.Sync(); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

func save(path string, c catalogue) error {
	tmp := path + ".new." + names.Random(8)
	if err := write(tmp, c); err != nil {
		return err
	}
	return os.Rename(tmp, path) // ok: nobody else has that name
}

func saveRead(path string, c catalogue) error {
	tmp := path + ".new." + names.Read(8)
	if err := write(tmp, c); err != nil {
		return err
	}
	return os.Rename(tmp, path) // ok: nobody else has that name
}

func saveNumber(path string, c catalogue) error {
	tmp := path + ".new." + names.Number(1<<40)
	if err := write(tmp, c); err != nil {
		return err
	}
	return os.Rename(tmp, path) // ok: nobody else has that name
}

func savePlain(path string, c catalogue) error {
	tmp := names.Plain(path) + ".new"
	if err := write(tmp, c); err != nil {
		return err
	}
	return os.Rename(tmp, path) // want `savePlain writes path through .*, a name that every writer shares`
}
