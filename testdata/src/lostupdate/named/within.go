package named

import (
	"path/filepath"

	"github.com/gofrs/flock"
)

// A house has its files, and a lock for something else among them.
type house struct{ Root string }

func (h *house) sweep() error {
	l := flock.New(filepath.Join(h.Root, "locks", "broom"))
	if err := l.Lock(); err != nil {
		return err
	}
	return l.Unlock()
}

// hang is about another file of the house.
func (h *house) hang(name string) error {
	c, err := load(filepath.Join(h.Root, "charts.json"))
	if err != nil {
		return err
	}
	c.Names = append(c.Names, name)
	return save(filepath.Join(h.Root, "charts.json"), c) // want `\(\*house\).hang loads h.Root/charts.json`
}
