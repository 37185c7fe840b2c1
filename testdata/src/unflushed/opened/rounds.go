package opened

import (
	"bufio"
	"os"
	"sync"
)

var (
	tellMu sync.Mutex
	told   func(int)
)

// tell asks under a lock of its own whom to tell.
func tell(n int) {
	tellMu.Lock()
	to := told
	tellMu.Unlock()
	if to != nil {
		to(n)
	}
}

func writePart(path string, data []byte) error {
	f, err := os.OpenFile(path+".tmp", os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	w := bufio.NewWriter(f)
	if _, err := w.Write(data); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(path+".tmp", path)
}

// writeParts tells of each part before it writes that: no lock is held then.
func writeParts(path func(int) string, parts [][]byte) error {
	for n, part := range parts {
		tell(n) // ok: it has released the lock before the part is written
		if err := writePart(path(n), part); err != nil {
			return err
		}
	}
	return nil
}
