// Package told writes a file and cannot say that it has failed.
package told

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"syscall"
)

// told returns nothing that could say that it failed.
func told(path string, v any) {
	f, err := os.Create(path + ".json") // want `told empties path\.json before the lock on it is held`
	if err != nil {
		return
	}
	defer f.Close()

	w := bufio.NewWriter(f)
	defer w.Flush()

	syscall.Flock(int(f.Fd()), syscall.LOCK_EX)       // want `told does not look at the error of locking path\.json`
	defer syscall.Flock(int(f.Fd()), syscall.LOCK_UN) // want `told releases the lock on path\.json before .*no fix: the file cannot be published as it is written: flush it before the lock is released`

	json.NewEncoder(w).Encode(v)
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
