package quiet

import (
	"encoding/json"
	"os"
	"path/filepath"
	"syscall"
)

// warned are the processes that were asked to end. One that is forgotten is asked
// again; those that have ended are dropped when it is read.
func warned(dir string) map[int]string {
	all, left := map[int]string{}, map[int]string{}
	data, err := os.ReadFile(filepath.Join(dir, "warned.json"))
	if err != nil || json.Unmarshal(data, &all) != nil {
		return left
	}
	for pid, how := range all {
		if syscall.Kill(pid, 0) == nil {
			left[pid] = how
		}
	}
	return left
}

func warn(dir string, pid int) error {
	all := warned(dir)
	all[pid] = "TERM"
	data, err := json.Marshal(all)
	if err != nil {
		return err
	}
	return replace(filepath.Join(dir, "warned.json"), data)
}
