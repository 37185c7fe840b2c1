// Package told explains at length how it replaces its files.
package told

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

type ledger struct{ Names []string }

// write returns calls.
func write(path string, l *ledger) error {
	data, err := json.Marshal(l)
	if err != nil {
		return err
	}
	return replace(path, data)
}

// replace has a comment on its temporary file.
func replace(path string, data []byte) error {
	// Write ledger.json via a temp file and a rename so that a crash in between
	// cannot truncate it. Others of this package do the same. The name is one for
	// each file: because of that concurrent writers of others never meet.
	tmp := path + ".new"
	f, err := os.Create(tmp) // want `replace`
	if err != nil {
		return err
	}
	defer os.Remove(tmp)
	if _, err := f.Write(data); err != nil {
		_ = f.Close()
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(tmp, path)
}

// keep checks the rename, and returns nil behind it.
func keep(dir string, l *ledger) error {
	data, err := json.Marshal(l)
	if err != nil {
		return err
	}
	path := filepath.Join(dir, "ledger.json")
	tmp := path + ".tmp"
	if err := os.WriteFile(tmp, data, 0o600); err != nil { // want `keep`
		return err
	}
	if err := os.Rename(tmp, path); err != nil {
		return err
	}
	return nil
}

func read(path string) (*ledger, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var l ledger
	return &l, json.Unmarshal(data, &l)
}

var _, _, _ = write, keep, read

// acknowledge says why, and how it was done.
func acknowledge(path string, l *ledger) error {
	data, err := json.Marshal(l)
	if err != nil {
		return err
	}
	// The reader takes away what it has read, so that it could meet half of what
	// is written in place. Stage to a temp file and rename it into place.
	tmp := path + ".tmp"
	if err := os.WriteFile(tmp, data, 0o600); err != nil { // want `acknowledge`
		return err
	}
	return os.Rename(tmp, path)
}

// exchange has a comment on its temporary file, and on what must not become of the ledger.
func exchange(path string, l *ledger) error {
	data, err := json.Marshal(l)
	if err != nil {
		return err
	}
	// Written whole through a temporary file: an exchange interrupted midway must not
	// leave a half-written ledger that is read as an empty one.
	tmp := path + ".tmp"
	if err := os.WriteFile(tmp, data, 0o600); err != nil { // want `exchange`
		return err
	}
	return os.Rename(tmp, path)
}

// journal has words for each part that it writes.
func journal(path string, l *ledger) error {
	f, err := os.Create(path) // want `journal`
	if err != nil {
		return fmt.Errorf("create journal of %s: %w", path, err)
	}
	defer f.Close()
	if _, err := f.WriteString("{\n"); err != nil {
		return fmt.Errorf("write first line of %s: %w", path, err)
	}
	if err := json.NewEncoder(f).Encode(l); err != nil {
		return fmt.Errorf("write ledger to %s: %w", path, err)
	}

	// sync to ensure durability
	if err := f.Sync(); err != nil {
		return fmt.Errorf("sync: %w", err)
	}

	return nil
}

// rewriteAll cleans up in a literal, of which one call stays.
func rewriteAll(path string, l *ledger) error {
	tmp := path + ".tmp"
	f, err := os.Create(tmp) // want `rewriteAll`
	if err != nil {
		return err
	}
	defer func() {
		f.Close()
		os.Remove(tmp) // no-op if already renamed
	}()
	if err := json.NewEncoder(f).Encode(l); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(tmp, path)
}

// expose tells gosec, and readers, about its mode.
func expose(path string, l *ledger) error {
	data, err := json.Marshal(l)
	if err != nil {
		return err
	}
	// #nosec G306 -- what runs it must be able to read it
	if err := os.WriteFile(path, data, 0o755); err != nil { // want `expose`
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// sections are parted by blank lines, and each has a comment.
func sections(path string, l *ledger) error {
	f, err := os.CreateTemp(filepath.Dir(path), "ledger-*") // want `sections`
	if err != nil {
		return err
	}

	// Encode the ledger
	if err := json.NewEncoder(f).Encode(l); err != nil {
		f.Close()
		os.Remove(f.Name())
		return err
	}

	// Close the file
	if err := f.Close(); err != nil {
		os.Remove(f.Name())
		return err
	}

	// Readers may be others.
	if err := os.Chmod(f.Name(), 0o644); err != nil {
		os.Remove(f.Name())
		return err
	}
	return os.Rename(f.Name(), path)
}
