package kept

import (
	"encoding/json"
	"os"
	"path/filepath"
)

// A counter gets what a helper has loaded.
type counter struct {
	counts map[string]int
	file   string
}

func newCounter() (*counter, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, err
	}
	file := filepath.Join(home, ".config", "tool", "counts.json")
	counts, err := readCounts(file)
	if err != nil {
		return nil, err
	}
	return &counter{counts: counts, file: file}, nil
}

func readCounts(name string) (map[string]int, error) {
	counts := map[string]int{}
	data, err := os.ReadFile(name)
	if os.IsNotExist(err) {
		return counts, nil
	}
	if err != nil {
		return nil, err
	}
	return counts, json.Unmarshal(data, &counts)
}

func (c *counter) count(name string) error {
	c.counts[name]++
	data, err := json.Marshal(c.counts)
	if err != nil {
		return err
	}
	return replace(c.file, data) // want `\(\*counter\).count changes c and saves it as it was loaded when it was made`
}

// A tally has what was loaded from another file than its own.
type tally struct {
	counts map[string]int
	file   string
}

func newTally() (*tally, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, err
	}
	counts, err := readCounts("/usr/share/tool/counts.json")
	if err != nil {
		return nil, err
	}
	return &tally{counts: counts, file: filepath.Join(home, ".config", "tool", "tally.json")}, nil
}

func (t *tally) count(name string) error {
	t.counts[name]++
	data, err := json.Marshal(t.counts)
	if err != nil {
		return err
	}
	return replace(t.file, data) // ok: it was loaded from another file
}
