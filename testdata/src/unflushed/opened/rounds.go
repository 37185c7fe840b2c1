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
	f, err := os.OpenFile(path+".txt", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	if _, err := w.Write(data); err != nil {
		return err
	}
	return w.Flush()
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
