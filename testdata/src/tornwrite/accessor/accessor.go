// Package accessor asks a method where its file is.
package accessor

import (
	"encoding/json"
	"os"
	"path/filepath"
)

type hive struct {
	root string
	Bees []string
}

func (h *hive) file() string { return filepath.Join(h.root, "hive") }

func (h *hive) fill() error {
	b, err := os.ReadFile(h.file())
	if err != nil {
		return err
	}
	return json.Unmarshal(b, h)
}

// The reader spells the path through the same accessor.
func (h *hive) drain() error {
	b, err := json.Marshal(h)
	if err != nil {
		return err
	}
	return os.WriteFile(h.file(), b, 0o644) // want `\(\*hive\)\.drain truncates h\.root/hive`
}

type comb struct{ root string }

// The accessor's own name tells that the file holds state.
type located interface{ StatePath() string }

func spill(l located, c *comb) error {
	b, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return os.WriteFile(l.StatePath(), b, 0o644) // want `spill truncates .*StatePath\(\)`
}
