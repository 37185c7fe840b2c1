package across

import (
	"os"
	"path/filepath"

	"lostupdate/across/counters"
	"lostupdate/quiet"
)

// Clear knows the file, and has no lock.
func Clear(dir string) error {
	return quiet.Reset(filepath.Join(dir, "runs", "state.json")) // want `Clear, like 2 other functions of the package, has quiet.Reset load dir/runs/state.json, change it and save it with no lock: what another process saves in between is lost \(no fix: both stand in another package, in quiet.Reset\(\)\)`
}

// Wipe and Zap have the same function change a file: it is the one that lacks the lock.
func Wipe(dir string) error {
	return quiet.Reset(filepath.Join(dir, "jobs", "state.json"))
}

func Zap(dir string) error {
	return quiet.Reset(filepath.Join(dir, "runs", "state.json"))
}

// ClearAlone has the lock.
func ClearAlone(dir string) error {
	path := filepath.Join(dir, "runs", "state.json")
	return quiet.WithLock(path, func() error { return quiet.Reset(path) })
}

// count has another package change a file of its own.
func count(dir, name string) error {
	if err := os.Remove(filepath.Join(dir, "uncounted")); err != nil {
		return err
	}
	return counters.Bump(dir, name)
}
