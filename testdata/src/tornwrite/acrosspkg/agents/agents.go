// Package agents knows that its file holds state, and not how it is written.
package agents

import (
	"encoding/json"
	"os"
	"path/filepath"

	"tornwrite/acrosspkg/disk"
)

type crew struct {
	dir   string
	Names []string
}

func (c *crew) save() error {
	b, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return disk.Put(filepath.Join(c.dir, "agents.json"), b) // want `\(\*crew\)\.save rewrites c\.dir/agents\.json in place through disk\.Put.*\(no fix: the write stands in another package`
}

// replace calls what its own package was told of.
func (c *crew) replace() error {
	b, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return disk.Drop(filepath.Join(c.dir, "agents.json"), b) // ok: reported where it stands
}

func (c *crew) saveKnown() error {
	return disk.SaveState(filepath.Join(c.dir, "agents.json"), c) // ok: reported where it stands
}

func (c *crew) hire(from string) error {
	return disk.Take(filepath.Join(c.dir, "accounts.json"), from) // ok: a copy, whoever reads it
}

func (c *crew) weigh() (int, error) {
	b, err := os.ReadFile(filepath.Join(c.dir, "accounts.json"))
	return len(b), err
}
