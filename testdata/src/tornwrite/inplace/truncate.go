package inplace

import (
	"encoding/json"
	"os"
	"syscall"
)

type queue struct{ Jobs []string }

// update has no fix : the handle that is truncated is the one that was read.
func (q *queue) update(path, job string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	if err := json.NewDecoder(f).Decode(q); err != nil {
		return err
	}
	q.Jobs = append(q.Jobs, job)
	if err := f.Truncate(0); err != nil { // want `\(\*queue\)\.update truncates path before it is written: .* \(no fix: .*opened for more than this write\)`
		return err
	}
	if _, err := f.Seek(0, 0); err != nil {
		return err
	}
	return json.NewEncoder(f).Encode(q)
}
