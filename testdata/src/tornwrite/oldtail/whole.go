package oldtail

import (
	"encoding/binary"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

type ledger struct {
	Version int
	Entries []string
}

func loadLedger(dir string) (l ledger, err error) {
	data, err := os.ReadFile(filepath.Join(dir, "ledger.json"))
	if err != nil {
		return l, err
	}
	return l, json.Unmarshal(data, &l)
}

// renew looks at what the file holds, and writes all that it is to hold over that.
func (l *ledger) renew(dir string) error {
	f, err := os.OpenFile(filepath.Join(dir, "ledger.json"), os.O_RDWR|os.O_CREATE, 0o600) // want `renew overwrites dir/ledger.json without truncating it`
	if err != nil {
		return err
	}
	defer f.Close()
	var old ledger
	if err := json.NewDecoder(f).Decode(&old); err != nil && err != io.EOF {
		return err
	}
	if old.Version > l.Version {
		return nil
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return json.NewEncoder(f).Encode(l)
}

// held has a lock on the file, under which a shorter content leaves a tail as well.
func (l *ledger) held(dir string) error {
	f, err := os.OpenFile(filepath.Join(dir, "ledger.json"), os.O_RDWR|os.O_CREATE, 0o600) // want `held overwrites dir/ledger.json without truncating it`
	if err != nil {
		return err
	}
	defer f.Close()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	return json.NewEncoder(f).Encode(l)
}

// put looks for the file, writes one content, and syncs it.
func put(dir string, data []byte) error {
	path := filepath.Join(dir, "ledger.json")
	if _, err := os.Stat(filepath.Dir(path)); err != nil {
		return err
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return os.ErrExist
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o600) // want `put overwrites dir/ledger.json without truncating it`
	if err != nil {
		return err
	}
	if _, err := f.Write(data); err != nil {
		f.Close()
		return err
	}
	if err := f.Sync(); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// stamp writes a part of a fixed size behind another.
func stamp(dir string, version uint64) error {
	f, err := os.OpenFile(filepath.Join(dir, "ledger.json"), os.O_RDWR|os.O_CREATE, 0o600) // ok: it changes eight bytes
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Seek(8, io.SeekStart); err != nil {
		return err
	}
	return binary.Write(f, binary.BigEndian, version)
}

// header rewrites what stands at the beginning.
func header(dir string, version uint64) error {
	f, err := os.OpenFile(filepath.Join(dir, "ledger.json"), os.O_RDWR|os.O_CREATE, 0o600) // ok: the header has a fixed size
	if err != nil {
		return err
	}
	defer f.Close()
	var old [8]byte
	if _, err := io.ReadFull(f, old[:]); err != nil {
		return err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return binary.Write(f, binary.BigEndian, version)
}

// shrink cuts what is left of the old content.
func (l *ledger) shrink(dir string) error {
	f, err := os.OpenFile(filepath.Join(dir, "ledger.json"), os.O_RDWR|os.O_CREATE, 0o600) // ok: no tail is left
	if err != nil {
		return err
	}
	defer f.Close()
	if err := json.NewEncoder(f).Encode(l); err != nil {
		return err
	}
	n, err := f.Seek(0, io.SeekCurrent)
	if err != nil {
		return err
	}
	return f.Truncate(n)
}
