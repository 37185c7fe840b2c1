package quiet

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"

	"github.com/gofrs/flock"
)

// A file that is emptied through the handle is written anew.
func emptied(dir string, e event) error {
	data, err := json.Marshal(e)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(events(dir), appending, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	//lockvet:ignore tornwrite the events begin anew, and nobody wants the old ones
	if err := f.Truncate(0); err != nil {
		return err
	}
	f.Write(data)
	_, err = f.WriteString("\n")
	return err
}

// A file that is moved to its name when it is done.
func collected(dir string, list []event) error {
	path := filepath.Join(dir, "collected.jsonl")
	f, err := os.OpenFile(path, appending, 0o600)
	if err != nil {
		return err
	}
	for _, e := range list {
		data, err := json.Marshal(e)
		if err != nil {
			return err
		}
		f.Write(data)
		f.WriteString("\n")
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(path, filepath.Join(dir, "collected-"+strconv.Itoa(len(list))+".jsonl"))
}

// Files of which no name is known.
func everywhere(paths []string, e event) error {
	data, err := json.Marshal(e)
	if err != nil {
		return err
	}
	for _, path := range paths {
		f, err := os.OpenFile(path, appending, 0o600)
		if err != nil {
			return err
		}
		f.Write(data)
		f.WriteString("\n")
		f.Close()
	}
	return nil
}

// A journal of one process.
func alongside(dir string, e event) error {
	data, err := json.Marshal(e)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(dir, "journal-"+strconv.Itoa(os.Getpid())+".jsonl"), appending, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	f.Write(data)
	_, err = f.WriteString("\n")
	return err
}

// A recorder stays open, and who calls add in the end has had a lock.
type recorder struct{ f *os.File }

func record(dir string) (*recorder, error) {
	f, err := os.OpenFile(filepath.Join(dir, "records.jsonl"), appending, 0o600)
	if err != nil {
		return nil, err
	}
	return &recorder{f: f}, nil
}

func (r *recorder) add(e event) error {
	data, err := json.Marshal(e)
	if err != nil {
		return err
	}
	r.f.Write(data)
	_, err = r.f.WriteString("\n")
	return err
}

func (r *recorder) close(dir string) error {
	l := flock.New(filepath.Join(dir, "records.lock"))
	if err := l.Lock(); err != nil {
		return err
	}
	defer l.Unlock()
	defer r.add(event{"end"})
	return nil
}
