package inplace

import (
	"encoding/gob"
	"os"
)

type checkpoint struct{ Step int }

func (c *checkpoint) save(path string) error {
	f, err := os.Create(path) // want `\(\*checkpoint\)\.save truncates path before it is written`
	if err != nil {
		return err
	}
	defer f.Close()
	return gob.NewEncoder(f).Encode(c)
}
