package helpers

import (
	"encoding/json"
	"os"
	"syscall"
)

// A mount is one of a container.
type mount struct{ Source, Target string }

func (d *deck) mounts() []mount { return []mount{{d.dir + "/table.json", "/table.json"}} }

// saveTable empties what a container has mounted.
func (d *deck) saveTable() error {
	f, err := os.Create(d.dir + "/table.json") // want `\(\*deck\)\.saveTable empties .* it is mounted in containers, and may not be replaced`
	if err != nil {
		return err
	}
	defer f.Close()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	return json.NewEncoder(f).Encode(d.Cards)
}
