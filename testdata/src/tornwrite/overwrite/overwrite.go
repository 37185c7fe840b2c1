// Package overwrite keeps files open from the load to the save, and writes them over.
package overwrite

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"github.com/gofrs/flock"
)

type catalogue struct {
	Edition int
	Entries map[string]string
}

// A shelf has its catalogue in a directory.
type shelf struct{ dir string }

// put cuts the file after it has written the new content over the old one.
func (s *shelf) put(next catalogue) error {
	f, err := os.OpenFile(filepath.Join(s.dir, "catalogue.json"), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	var last catalogue
	data, err := io.ReadAll(f)
	if err != nil {
		return err
	}
	if len(data) > 0 {
		if err := json.Unmarshal(data, &last); err != nil {
			return err
		}
	}
	if last.Edition > next.Edition {
		return errors.New("there is a later edition")
	}
	data, err = json.Marshal(next)
	if err != nil {
		return err
	}
	if _, err := f.WriteAt(data, 0); err != nil { // want `put writes over what s.dir/catalogue.json holds and cuts it afterwards: a crash or a reader in between meets a mixture of both`
		return err
	}
	return f.Truncate(int64(len(data)))
}

// relabel moves to the beginning first, under a lock that readers without one do not
// respect, nor does a crash.
func (s *shelf) relabel(from, to string) error {
	lock := flock.New(filepath.Join(s.dir, "shelf.lock"))
	if err := lock.Lock(); err != nil {
		return err
	}
	defer lock.Unlock()
	f, err := os.OpenFile(filepath.Join(s.dir, "names.json"), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	var names map[string]string
	if err := json.NewDecoder(f).Decode(&names); err != nil {
		return err
	}
	names[to] = names[from]
	delete(names, from)
	data, err := json.Marshal(names)
	if err != nil {
		return err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	n, err := f.Write(data) // want `relabel writes over what s.dir/names.json holds and cuts it afterwards: a crash in between leaves a mixture of both`
	if err != nil {
		return err
	}
	return f.Truncate(int64(n))
}

// trim cuts what a crash has left behind the last page, and has decoded nothing.
func trim(dir string, pages int64, page []byte) error {
	f, err := os.OpenFile(filepath.Join(dir, "index.db"), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.WriteAt(page, pages*int64(len(page))); err != nil {
		return err
	}
	return f.Truncate((pages + 1) * int64(len(page)))
}

// header decodes numbers of its own format, and keeps the file at its length.
func header(dir string) error {
	f, err := os.OpenFile(filepath.Join(dir, "segments.idx"), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	var n uint64
	if err := binary.Read(f, binary.BigEndian, &n); err != nil {
		return err
	}
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], n+1)
	_, err = f.WriteAt(b[:], 0)
	return err
}

// shorten drops records from the end of what it has decoded, and writes nothing.
func shorten(dir string) error {
	f, err := os.OpenFile(filepath.Join(dir, "journal.json"), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	var at struct{ Good int64 }
	if err := json.NewDecoder(f).Decode(&at); err != nil {
		return err
	}
	return f.Truncate(at.Good)
}

// scratch works on a file of its own.
func scratch(c catalogue) error {
	f, err := os.CreateTemp("", "catalogue-*.json")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	if err := json.NewDecoder(f).Decode(&c); err != nil {
		return err
	}
	data, err := json.Marshal(c)
	if err != nil {
		return err
	}
	if _, err := f.WriteAt(data, 0); err != nil {
		return err
	}
	return f.Truncate(int64(len(data)))
}

// spread decodes one file, cuts it to the head that it has, and writes over another.
func (s *shelf) spread(next catalogue) error {
	f, err := os.OpenFile(filepath.Join(s.dir, "names.json"), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	var head struct{ Length int64 }
	if err := json.NewDecoder(f).Decode(&head); err != nil {
		return err
	}
	data, err := json.Marshal(next)
	if err != nil {
		return err
	}
	g, err := os.OpenFile(filepath.Join(s.dir, "index.json"), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer g.Close()
	if _, err := g.WriteAt(data, 0); err != nil {
		return err
	}
	return f.Truncate(head.Length)
}

// publish writes over a file whose old content it does not look at, as a ring of
// records is.
func (s *shelf) publish(next catalogue) error {
	old, err := os.ReadFile(filepath.Join(s.dir, "names.json"))
	if err != nil {
		return err
	}
	if err := json.Unmarshal(old, &next.Entries); err != nil {
		return err
	}
	data, err := json.Marshal(next)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(s.dir, "index.json"), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.WriteAt(data, 0); err != nil {
		return err
	}
	return f.Truncate(int64(len(data)))
}

// A claim says who has the shelf, for as long as its file is locked.
type claim struct{ f *os.File }

func (s *shelf) claim(owner string) (*claim, error) {
	f, err := os.OpenFile(filepath.Join(s.dir, "owner.json"), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		f.Close()
		return nil, err
	}
	var last struct{ Owner string }
	if err := json.NewDecoder(f).Decode(&last); err != nil && err != io.EOF {
		f.Close()
		return nil, err
	}
	last.Owner = owner
	data, err := json.Marshal(last)
	if err != nil {
		f.Close()
		return nil, err
	}
	if _, err := f.WriteAt(data, 0); err != nil {
		f.Close()
		return nil, err
	}
	if err := f.Truncate(int64(len(data))); err != nil {
		f.Close()
		return nil, err
	}
	return &claim{f}, nil
}
