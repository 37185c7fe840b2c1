// Package unproven has files for which names speak, or an encoder, and files of which the
// program shows what they are to it.
package unproven

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
)

type depot struct{ dir string }

func encoded(v any) []byte {
	b, _ := json.Marshal(v)
	return b
}

// saveAccounts writes what nothing here reads.
func (d *depot) saveAccounts(v any) error {
	path := filepath.Join(d.dir, "accounts.json")
	return os.WriteFile(path, encoded(v), 0o600) // want `\(\*depot\)\.saveAccounts truncates d\.dir/accounts\.json`
}

// saveTokens writes what loadTokens decodes.
func (d *depot) saveTokens(v any) error {
	path := filepath.Join(d.dir, "tokens.json")
	return os.WriteFile(path, encoded(v), 0o600) // want `\(\*depot\)\.saveTokens truncates d\.dir/tokens\.json`
}

func (d *depot) loadTokens() (v any, err error) {
	b, err := os.ReadFile(filepath.Join(d.dir, "tokens.json"))
	if err != nil {
		return nil, err
	}
	return v, json.Unmarshal(b, &v)
}

// put publishes what open reads: nobody decodes it here.
func (d *depot) put(r io.Reader, id string) error {
	name, err := func() (name string, err error) {
		tmp, err := os.CreateTemp(d.dir, "put-*")
		if err != nil {
			return "", err
		}
		defer func() {
			if cerr := tmp.Close(); err == nil {
				err = cerr
			}
		}()
		if _, err := io.Copy(tmp, r); err != nil {
			return "", err
		}
		return tmp.Name(), nil
	}()
	if err != nil {
		return err
	}
	return os.Rename(name, filepath.Join(d.dir, id)) // want `renames .* that was never synced`
}

func (d *depot) open(id string) (*os.File, error) { return os.Open(filepath.Join(d.dir, id)) }

// cut publishes what is left of the file behind an offset.
func (d *depot) cut(name string, off int64) error {
	path := filepath.Join(d.dir, name)
	old, err := os.Open(path)
	if err != nil {
		return err
	}
	defer old.Close()
	tmp, err := os.CreateTemp(d.dir, "cut-*") // want `renames .* that was never synced`
	if err != nil {
		return err
	}
	if _, err := old.Seek(off, io.SeekStart); err != nil {
		return err
	}
	if _, err := io.Copy(tmp, old); err != nil {
		return err
	}
	if err := tmp.Close(); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path) // want `saves it with no lock`
}

type maker interface {
	NewFile(dir string) (*os.File, error)
}

// fetch publishes a file that a maker makes.
func (d *depot) fetch(m maker, r io.Reader, id string) error {
	tmp, err := m.NewFile(d.dir)
	if err != nil {
		return err
	}
	if _, err := io.Copy(tmp, r); err != nil { // want `renames .* that was never synced`
		return err
	}
	if err := tmp.Close(); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), filepath.Join(d.dir, id))
}

// fetchSynced syncs it.
func (d *depot) fetchSynced(m maker, r io.Reader, id string) error {
	tmp, err := m.NewFile(d.dir)
	if err != nil {
		return err
	}
	if _, err := io.Copy(tmp, r); err != nil {
		return err
	}
	if err := tmp.Sync(); err != nil {
		return err
	}
	if err := tmp.Close(); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), filepath.Join(d.dir, id))
}
