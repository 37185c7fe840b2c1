// Package published empties files, locks them, and flushes too late what it writes to them.
package published

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"syscall"
)

// save is mended with the file, which is published.
func save(path string, v any) error {
	f, err := os.Create(path + ".json") // want `save empties path\.json before the lock on it is held`
	if err != nil {
		return err
	}
	defer f.Close()

	w := bufio.NewWriter(f)
	defer w.Flush()

	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	defer syscall.Flock(int(f.Fd()), syscall.LOCK_UN) // want `save releases the lock on path\.json before what it wrote is flushed`

	return json.NewEncoder(w).Encode(v)
}

// load has the lock that readers have.
func load(path string, v any) error {
	f, err := os.Open(path + ".json")
	if err != nil {
		return err
	}
	defer f.Close()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_SH); err != nil {
		return err
	}
	data, err := io.ReadAll(f)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, v)
}
