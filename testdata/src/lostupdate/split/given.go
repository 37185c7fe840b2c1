package split

import (
	"encoding/json"
	"os"
	"syscall"

	"github.com/lockvet/lockvet/safeio"
)

// lockOf takes the lock of a file and returns what lets go of it.
func lockOf(path string) (func(), error) {
	f, err := os.OpenFile(path+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		f.Close()
		return nil, err
	}
	return func() { f.Close() }, nil
}

// LoadCounts has the lock while it loads.
func LoadCounts(path string) (map[string]int, error) {
	unlock, err := lockOf(path)
	if err != nil {
		return nil, err
	}
	defer unlock()
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	counts := map[string]int{}
	return counts, json.Unmarshal(data, &counts)
}

// SaveCounts has the lock while it saves.
func SaveCounts(path string, counts map[string]int) error {
	unlock, err := lockOf(path)
	if err != nil {
		return err
	}
	defer unlock()
	data, err := json.Marshal(counts)
	if err != nil {
		return err
	}
	return safeio.WriteFile(path, data, 0o600)
}

// Count is given the path, and whoever gives it can have no lock that the halves take.
func Count(path, key string) error {
	counts, err := LoadCounts(path)
	if err != nil {
		return err
	}
	counts[key]++
	return SaveCounts(path, counts) // want `Count releases the lock of path between loading and saving it`
}
