package separator

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
)

type profile struct{ Name string }

// bestEffort does without the journal, but not with half a record: one error could
// not say which of both it is.
func bestEffort(dir string, p profile) error {
	data, err := json.Marshal(p)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(dir, "journal.jsonl"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil
	}
	defer f.Close()
	if _, err := f.Write(data); err != nil { // want `bestEffort appends a record`
		return err
	}
	if _, err := f.Write([]byte("\n")); err != nil {
		return err
	}
	return nil
}

// measured asks the handle for more.
func measured(dir string, p profile) (int64, error) {
	data, err := json.Marshal(p)
	if err != nil {
		return 0, err
	}
	f, err := os.OpenFile(filepath.Join(dir, "journal.jsonl"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	if _, err := f.Write(data); err != nil { // want `measured appends a record`
		return 0, err
	}
	if _, err := f.Write([]byte("\n")); err != nil {
		return 0, err
	}
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// moved has another path by the time it writes.
func moved(dir string, p profile) error {
	path := filepath.Join(dir, "journal.jsonl")
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	path = filepath.Join(dir, "other")
	data, err := json.Marshal(p)
	if err != nil {
		return err
	}
	if _, err := f.Write(data); err != nil { // want `moved appends a record`
		return err
	}
	if _, err := f.Write([]byte("\n")); err != nil {
		return err
	}
	return errors.New(path)
}

// pretty has newlines in its record, which safeio.Append refuses.
func pretty(dir string, p profile) error {
	data, err := json.MarshalIndent(p, "", "\t")
	if err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(dir, "journal.jsonl"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Write(data); err != nil { // want `pretty appends a record`
		return err
	}
	if _, err := f.Write([]byte("\n")); err != nil {
		return err
	}
	return nil
}

// changed is not what Marshal has made any more.
func changed(dir string, p profile) error {
	data, err := json.Marshal(p)
	if err != nil {
		return err
	}
	if len(p.Name) > 9 {
		data = []byte("{\n}")
	}
	f, err := os.OpenFile(filepath.Join(dir, "journal.jsonl"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Write(data); err != nil { // want `changed appends a record`
		return err
	}
	if _, err := f.Write([]byte("\n")); err != nil {
		return err
	}
	return nil
}

// closing drops the errors of its writes, and returns that of Close.
func closing(dir string, p profile) error {
	data, err := json.Marshal(p)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(dir, "journal.jsonl"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	f.Write(data) // want `closing appends a record`
	f.Write([]byte("\n"))
	return f.Close()
}

// unwell undoes something where it cannot open, and not where it cannot write.
func unwell(dir string, p profile, undo func()) error {
	data, err := json.Marshal(p)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(dir, "journal.jsonl"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		undo()
		return err
	}
	defer f.Close()
	if _, err := f.Write(data); err != nil { // want `unwell appends a record`
		return err
	}
	if _, err := f.Write([]byte("\n")); err != nil {
		return err
	}
	return nil
}
